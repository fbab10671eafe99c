"""How well a model finds the molecule of a text, and the text of a molecule."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal, Protocol

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, ModelError
from molclip.evaluation.metrics import bootstrap, figures
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.ranks import FloatArray, Ranks, Ties, best_similarity, rank_vectors

Pool = Literal["all", "split"]
#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]

TIES: tuple[Ties, ...] = ("pessimistic", "expected", "optimistic")
_TEXT_CHUNK = 512
_MOLECULE_CHUNK = 2048


class Encoded(Protocol):
    """Vectors of molecules, row-aligned with what went in."""

    @property
    def vectors(self) -> FloatArray:
        """(N, D) float32 with rows of NaN where a molecule is invalid."""

    @property
    def failures(self) -> Sequence[ParseFailure]:
        """Why, for each of those rows."""


class Encoder(Protocol):
    """What the evaluation needs of a model; `MolCLIP` and the image baseline have it."""

    @property
    def model_hash(self) -> str:
        """Identifies the weights."""

    def encode_text(self, texts: list[str]) -> FloatArray:
        """(N, D) float32 unit vectors."""

    def encode_molecules(self, molecules: list[Any]) -> Encoded:
        """Vectors and failures of SMILES."""


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
    correction: float | None = None
    """Weight of the query-time correction; None where scores are plain cosines."""

    def to_dict(self) -> dict[str, Any]:
        """Return the numbers of this setting for the JSON report."""
        return {
            "pool_size": self.ranks.pool_size,
            "queries": len(self.ranks),
            "missed_queries": int(self.ranks.missed.sum()),
            "correction": self.correction,
            **{ties: self.figures[ties] for ties in TIES},
            "interval_95": {name: list(pair) for name, pair in self.intervals.items()},
        }


@dataclass(frozen=True)
class RetrievalResult:
    """All settings of one evaluation."""

    data: RetrievalData
    settings: Sequence[Setting]
    failures: Sequence[ParseFailure]
    """Pool rows without a vector; each stays in the pool, and its texts count as misses."""
    seed: int
    bank_size: int = 0

    def __getitem__(self, key: str) -> Setting:
        return next(setting for setting in self.settings if setting.key == key)

    def write_ranks(self, path: str | Path) -> None:
        """Write the rank of every query under each tie policy as CSV.

        Columns: setting, query_id, pessimistic, expected, optimistic, missed.
        """
        with Path(path).open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle)
            writer.writerow(["setting", "query_id", *TIES, "missed"])
            for setting in self.settings:
                columns = [setting.ranks.ranks(ties).tolist() for ties in TIES]
                missed = setting.ranks.missed.astype(int).tolist()
                for row in zip(setting.query_ids, *columns, missed, strict=True):
                    writer.writerow([setting.key, row[0], *(f"{value:g}" for value in row[1:])])


def evaluate_retrieval(
    model: Encoder,
    data: RetrievalData,
    *,
    pool: Pool = "all",
    correction: float | None = None,
    seed: int = 0,
    samples: int = 1000,
    progress: Progress | None = None,
    encode_pool: Callable[[Sequence[str]], Encoded] | None = None,
) -> RetrievalResult:
    """Rank every text's molecule in the pool, and every molecule's text among the texts.

    Scores are dot products in float32. The right answer to a text is the pool row with its id,
    so a duplicate of that molecule under another id is a wrong answer that ties. A pool row that
    cannot be embedded stays in the pool, and its text is a miss.

    Parameters
    ----------
    model
        `MolCLIP`, the image baseline, or anything else with their two methods.
    data
        See `molclip.evaluation.pairs`.
    pool
        `all`: the whole pool, and beside it the molecules that have a text alone, which is an
        easier task; `split`: only the latter.
    correction
        Also rank by the score minus this weight times the row's highest similarity to any text
        of `data.bank`. Rows a model was fitted to stand too far in front; this pushes them back
        (the idea of CSLS [1]_ and query-bank normalisation [2]_). Given as settings of their own.
    seed, samples
        Of the bootstrap.
    progress
        Told how far the encoding is.
    encode_pool
        Embeds SMILES in place of `model.encode_molecules`, e.g. from cached features.

    Raises
    ------
    InputError
        When a correction is asked for and there are no training texts to make it from, or the
        texts to rank are training texts themselves.
    ModelError
        When the model gives something else than one vector per input.

    References
    ----------
    .. [1] Conneau et al., Word translation without parallel data, ICLR 2018.
    .. [2] Bogolin et al., Cross modal retrieval with querybank normalisation, CVPR 2022.
    """
    if correction is not None:
        _check_correction(data)
    report = progress or _no_progress
    rows = [row for row, inside in enumerate(data.in_split) if inside or pool == "all"]
    pool_ids = [data.pool_ids[row] for row in rows]
    smiles = [data.pool_smiles[row] for row in rows]
    small = np.array([data.in_split[row] for row in rows], dtype=bool)

    texts = _encode_texts(model, data.texts, "texts", report)
    if encode_pool is None:
        molecules, failures = _encode_molecules(model, smiles, report)
    else:
        encoded = encode_pool(smiles)
        molecules, failures = _checked(encoded.vectors, len(smiles)), list(encoded.failures)
    if texts.shape[1] != molecules.shape[1]:
        raise ModelError(
            f"Text vectors have {texts.shape[1]} dimensions and molecule vectors "
            f"{molecules.shape[1]}.",
            "Use a model whose two encoders were trained together.",
        )

    place = {identifier: index for index, identifier in enumerate(pool_ids)}
    targets = np.array([place[identifier] for identifier in data.text_ids], dtype=np.int64)
    everyone = np.arange(len(pool_ids))
    text_ids = list(data.text_ids)

    def measured(
        key: str, title: str, ids: Sequence[str], ranks: Ranks, weight: float | None = None
    ) -> Setting:
        scores: dict[Ties, dict[str, float]] = {ties: figures(ranks, ties) for ties in TIES}
        intervals = bootstrap(ranks, samples=samples, seed=seed)
        return Setting(key, title, ids, ranks, scores, intervals, weight)

    penalty = None
    if correction is not None:
        bank = _encode_texts(model, data.bank, "training texts", report)
        penalty = np.float32(correction) * best_similarity(molecules, bank)

    settings = []
    pools = [("", everyone)] if pool == "all" else []
    if pool == "split" or not small.all():
        pools.append(("_split", np.flatnonzero(small)))
    for suffix, columns in pools:
        title = f"text → molecule\npool {len(columns):,}"
        key = f"text_to_molecule{suffix}"
        ranks = rank_vectors(texts, molecules[columns], targets, columns)
        settings.append(measured(key, title, text_ids, ranks))
        # The correction is about training molecules in the pool; the small pool has none of them.
        if penalty is not None and suffix == pools[0][0]:
            ranks = rank_vectors(
                texts, molecules[columns], targets, columns, penalty=penalty[columns]
            )
            settings.append(
                measured(f"{key}_corrected", f"{title}\ncorrected", text_ids, ranks, correction)
            )
    described = np.unique(targets)
    ranks = rank_vectors(molecules[described], texts, described, targets)
    title = f"molecule → text\npool {len(texts):,}"
    described_ids = [pool_ids[index] for index in described.tolist()]
    settings.append(measured("molecule_to_text", title, described_ids, ranks))
    return RetrievalResult(data, settings, failures, seed, len(data.bank) if correction else 0)


def _no_progress(*_: object) -> None:
    """Say nothing."""


def _check_correction(data: RetrievalData) -> None:
    if not data.bank:
        raise InputError(
            f"{data.name} has no training texts, which the correction is made from.",
            "Leave --correction out, or add chebi20_train_text.tsv.gz to the data folder.",
        )
    if data.split == "train":
        raise InputError(
            "The correction is made from training texts, so it says nothing about the train split.",
            "Leave --correction out or evaluate another split.",
        )


def _encode_texts(model: Encoder, texts: Sequence[str], stage: str, report: Progress) -> FloatArray:
    parts = []
    for start in range(0, len(texts), _TEXT_CHUNK):
        report(stage, start, len(texts))
        part = list(texts[start : start + _TEXT_CHUNK])
        parts.append(_checked(model.encode_text(part), len(part)))
    report(stage, len(texts), len(texts))
    return np.concatenate(parts)


def _encode_molecules(
    model: Encoder, smiles: Sequence[str], report: Progress
) -> tuple[FloatArray, list[ParseFailure]]:
    parts: list[FloatArray] = []
    failures: list[ParseFailure] = []
    for start in range(0, len(smiles), _MOLECULE_CHUNK):
        report("molecules", start, len(smiles))
        part = list(smiles[start : start + _MOLECULE_CHUNK])
        encoded = model.encode_molecules(part)
        parts.append(_checked(encoded.vectors, len(part)))
        # The model counts rows from the start of what it was given.
        failures += [replace(failure, row=failure.row + start) for failure in encoded.failures]
    report("molecules", len(smiles), len(smiles))
    return np.concatenate(parts), failures


def _checked(vectors: npt.NDArray[Any], rows: int) -> FloatArray:
    if vectors.ndim != 2 or len(vectors) != rows:
        raise ModelError(
            f"The model gave vectors of shape {vectors.shape} for {rows} inputs.",
            "An encoder must return one row for each input.",
        )
    # float32 whatever the model computes in: lower precision merges scores and moves ranks.
    return np.ascontiguousarray(vectors, dtype=np.float32)
