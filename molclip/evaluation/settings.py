"""What is ranked among what: the directions and pools of a retrieval evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np

from molclip.evaluation.metrics import bootstrap, figures
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.ranks import IntArray, Ranks, Ties

Pool = Literal["all", "split"]
TIES: tuple[Ties, ...] = ("pessimistic", "expected", "optimistic")


@dataclass(frozen=True)
class Setting:
    """One direction in one pool, and what came out."""

    key: str
    """For programs: `text_to_molecule`, `text_to_molecule_split`, ..."""
    title: str
    """For people, in lines of at most 15 letters."""
    query_ids: Sequence[str]
    ranks: Ranks
    figures: dict[Ties, dict[str, float]]
    """Tie policy to figure to value."""
    intervals: dict[str, tuple[float, float]]
    """95 % bootstrap interval of each pessimistic figure."""
    strengths: tuple[float, ...] = ()
    """Of a query-time correction: one, or that of each half of the queries; empty without one."""

    @classmethod
    def measure(
        cls,
        key: str,
        title: str,
        query_ids: Sequence[str],
        ranks: Ranks,
        *,
        samples: int,
        seed: int,
        strengths: tuple[float, ...] = (),
    ) -> Setting:
        """Take every figure and interval from ranks."""
        scores: dict[Ties, dict[str, float]] = {ties: figures(ranks, ties) for ties in TIES}
        intervals = bootstrap(ranks, samples=samples, seed=seed)
        return cls(key, title, query_ids, ranks, scores, intervals, strengths)

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of this setting for the JSON report."""
        return {
            "pool_size": self.ranks.pool_size,
            "queries": len(self.ranks),
            "missed_queries": int(self.ranks.missed.sum()),
            "strengths": list(self.strengths) or None,
            **{ties: self.figures[ties] for ties in TIES},
            "interval_95": {name: list(pair) for name, pair in self.intervals.items()},
        }


@dataclass(frozen=True)
class Directions:
    """Places of queries and right answers in the pool that is evaluated."""

    rows: IntArray
    """(P,) pool rows of the data that take part; a *place* is an index into them."""
    targets: IntArray
    """(Q,) place of each text's molecule."""
    small: IntArray
    """Places of molecules that have a text in the split."""
    described: IntArray
    """Places of the molecules that the texts describe; fewer than `small` in a sample of texts."""
    pool: Pool

    @classmethod
    def of(cls, data: RetrievalData, pool: Pool) -> Directions:
        """Lay out a task.

        Parameters
        ----------
        data
            The task.
        pool
            `all`: the whole pool, and the small one beside it; `split`: the small one alone.
        """
        inside = np.array(data.in_split, dtype=bool)
        rows = np.arange(len(inside)) if pool == "all" else np.flatnonzero(inside)
        place = {data.pool_ids[row]: index for index, row in enumerate(rows.tolist())}
        targets = np.array([place[identifier] for identifier in data.text_ids], dtype=np.int64)
        return cls(rows, targets, np.flatnonzero(inside[rows]), np.unique(targets), pool)

    @property
    def pools(self) -> dict[str, IntArray]:
        """Key of each text-to-molecule setting, and the places of its pool."""
        everyone = np.arange(len(self.rows))
        pools = {"text_to_molecule": everyone} if self.pool == "all" else {}
        # The same molecules a second time would say nothing new.
        if self.pool == "split" or len(self.small) < len(self.rows):
            pools["text_to_molecule_split"] = self.small
        return pools


class Ranker(Protocol):
    """Anything that can order molecules by a text and texts by a molecule."""

    def text_to_molecule(self, columns: IntArray) -> Ranks:
        """Ranks of all Q texts among the molecules at these places."""

    def molecule_to_text(self) -> Ranks:
        """Ranks of the described molecules among all Q texts."""


def measure_settings(
    ranker: Ranker, data: RetrievalData, directions: Directions, *, samples: int, seed: int
) -> list[Setting]:
    """Rank in every direction and pool.

    Parameters
    ----------
    ranker
        The model or baseline.
    data, directions
        The task.
    samples, seed
        Of the bootstrap.
    """
    settings = []
    for key, columns in directions.pools.items():
        ranks = ranker.text_to_molecule(columns)
        title = f"text → molecule\npool {len(columns):,}"
        settings.append(
            Setting.measure(key, title, list(data.text_ids), ranks, samples=samples, seed=seed)
        )
    ranks = ranker.molecule_to_text()
    ids = [data.pool_ids[row] for row in directions.rows[directions.described].tolist()]
    title = f"molecule → text\npool {ranks.pool_size:,}"
    settings.append(
        Setting.measure("molecule_to_text", title, ids, ranks, samples=samples, seed=seed)
    )
    return settings
