"""Precision among the first ten hits of queries whose right rows are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from molclip.evaluation.zero_shot.library_queries import HITS, LibraryQuery
from molclip.evaluation.zero_shot.library_terms import Rows

if TYPE_CHECKING:
    from molclip.search.library import Library

Float32 = npt.NDArray[np.float32]
Progress = Callable[[str, int, int | None], None]
Searcher = Callable[[str], Sequence[str]]
"""Query text to the ChEBI ids of the first hits, best first."""

RESAMPLES = 1000


@dataclass(frozen=True)
class Answer:
    """The first hits of one query."""

    query: LibraryQuery
    hits: Sequence[str]
    """ChEBI ids, best first."""
    right: Sequence[bool]
    precision: float
    """Right ones among the first ten, whether or not ten were found."""
    parts: tuple[float, ...] = ()
    """Precision of each simpler query, judged by the same right rows."""


@dataclass(frozen=True)
class Slice:
    """Queries of one kind."""

    queries: int
    precision: float
    interval: tuple[float, float]
    found: float
    """Share of queries with a right row among the first ten."""
    chance: float
    """Precision of rows drawn at random."""
    parts: tuple[float, ...] = ()
    """Mean precision of the simpler queries."""


@dataclass(frozen=True)
class PrecisionResult:
    """The whole suite."""

    answers: Sequence[Answer]
    slices: Mapping[str, Slice]
    strata: Mapping[str, Slice]
    rows: int
    seen_share: float | None
    """Share of the hits that the model was trained on; None where it does not say."""
    by_seen: Mapping[str, float] = field(default_factory=dict)
    """Share of right rows among hits that the model was trained on, and among others."""

    def to_dict(self) -> dict[str, Any]:
        """Return every number for a report."""
        return {
            "rows": self.rows,
            "slices": {name: asdict(part) for name, part in self.slices.items()},
            "strata": {name: asdict(part) for name, part in self.strata.items()},
            "seen_share": self.seen_share,
            "right_by_seen": dict(self.by_seen),
            "answers": [
                {
                    "query": answer.query.text,
                    "slice": answer.query.slice,
                    "terms": list(answer.query.terms),
                    "right_rows": len(answer.query.right),
                    "precision": answer.precision,
                    "parts": dict(zip(answer.query.parts, answer.parts, strict=True)),
                    "hits": list(answer.hits),
                    "right": list(answer.right),
                }
                for answer in self.answers
            ],
        }


class _Embeds(Protocol):
    def encode_text(self, texts: Sequence[str]) -> Float32: ...


def library_search(library: Library) -> Searcher:
    """Search as a user does: mode `vector`, curated rows."""

    def search(text: str) -> list[str]:
        found = library.search(text, k=HITS, mode="vector", curated=True)
        return [str(hit["id"]) for hit in found.to_dict("records")]

    return search


def vector_search(model: _Embeds, rows: Rows, vectors: Float32) -> Searcher:
    """Search rows that were embedded here, by cosine; ties by row.

    Parameters
    ----------
    model
        Embeds the queries.
    rows
        The N molecules.
    vectors
        Their unit vectors, (N, D); NaN rows are never found.
    """
    usable = np.nan_to_num(vectors, nan=-1.0)

    def search(text: str) -> list[str]:
        scores = usable @ model.encode_text([text])[0]
        scores[np.isnan(vectors[:, 0])] = -np.inf
        first = np.argsort(-scores, kind="stable")[:HITS]
        return [rows.ids[row] for row in first.tolist() if np.isfinite(scores[row])]

    return search


def measure_precision(
    queries: Sequence[LibraryQuery],
    rows: Rows,
    search: Searcher,
    *,
    seen: Any = None,
    progress: Progress | None = None,
    seed: int = 0,
) -> PrecisionResult:
    """Ask every query and judge the hits by what ChEBI states.

    A row to which ChEBI does not give the term counts as wrong, even if it has the property: the
    figures are lower bounds.

    Parameters
    ----------
    queries
        With the rows that are right for each.
    rows
        The molecules searched.
    search
        Gives ChEBI ids of `rows`.
    seen
        `molclip.search.seen.SeenMolecules` of the model, if it has a list.
    progress
        Told how many queries are answered.
    seed
        Of the bootstrap over queries.

    Raises
    ------
    ValueError
        When there is no query.
    """
    if not queries:
        raise ValueError("no queries to ask")
    place = {id_: row for row, id_ in enumerate(rows.ids)}
    known: dict[str, list[str]] = {}

    def ask(text: str) -> list[str]:
        if text not in known:
            known[text] = list(search(text))[:HITS]
        return known[text]

    answers = []
    for done, query in enumerate(queries):
        if progress is not None:
            progress("queries on the library", done, len(queries))
        hits = ask(query.text)
        right = [place.get(id_) in query.right for id_ in hits]
        parts = tuple(
            sum(place.get(id_) in query.right for id_ in ask(part)) / HITS for part in query.parts
        )
        answers.append(Answer(query, hits, right, sum(right) / HITS, parts))
    if progress is not None:
        progress("queries on the library", len(queries), len(queries))
    slices: dict[str, list[Answer]] = {}
    strata: dict[str, list[Answer]] = {}
    for answer in answers:
        slices.setdefault(answer.query.slice, []).append(answer)
    for answer in sorted(answers, key=lambda answer: answer.query.stratum):
        strata.setdefault(f"{answer.query.stratum:,} rows or more", []).append(answer)
    size = len(rows.ids)
    shares = _by_seen(answers, rows, place, seen)
    return PrecisionResult(
        answers,
        {name: _slice(part, size, seed) for name, part in [("all", answers), *slices.items()]},
        {name: _slice(part, size, seed) for name, part in strata.items()},
        size,
        *shares,
    )


def _slice(answers: Sequence[Answer], size: int, seed: int) -> Slice:
    values = np.array([answer.precision for answer in answers])
    drawn = np.random.default_rng(seed).integers(0, len(values), (RESAMPLES, len(values)))
    low, high = np.quantile(values[drawn].mean(axis=1), [0.025, 0.975]).tolist()
    # Means over parts only where every query of the slice has as many.
    widths = {len(answer.parts) for answer in answers}
    parts = np.array([answer.parts for answer in answers]) if len(widths) == 1 else np.empty((1, 0))
    return Slice(
        len(values),
        float(values.mean()),
        (low, high),
        float((values > 0).mean()),
        float(np.mean([len(answer.query.right) / size for answer in answers])),
        tuple(parts.mean(axis=0).tolist()),
    )


def _by_seen(
    answers: Sequence[Answer], rows: Rows, place: Mapping[str, int], seen: Any
) -> tuple[float | None, dict[str, float]]:
    if seen is None:
        return None, {}
    met, right = [], []
    for answer in answers:
        met += [rows.inchikeys[place[id_]] in seen for id_ in answer.hits]
        right += list(answer.right)
    trained, judged = np.array(met, dtype=bool), np.array(right, dtype=bool)
    shares = {}
    for name, part in (("trained on", trained), ("not trained on", ~trained)):
        if part.any():
            shares[name] = float(judged[part].mean())
    return float(trained.mean()) if len(trained) else None, shares
