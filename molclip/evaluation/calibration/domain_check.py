"""The applicability domain on held-out molecules and texts: how many lie outside, and what of it?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError
from molclip.evaluation.calibration.held_out import Asked
from molclip.evaluation.calibration.pool import IntArray, Pool
from molclip.search.applicability import MoleculeApplicability
from molclip.search.library import Library

STATUSES = ("inside", "edge", "outside")
ELSEWHERE = {
    "moleculenet-bace": "BACE: enzyme inhibitors",
    "moleculenet-tox21": "Tox21: drugs and industrial chemicals",
    "npclassifier": "NPClassifier: natural products, trained on",
}
"""Data sets that show where the domain ends, if they are in the folder."""
DRAWN = 200
"""Molecules of each."""
_EDGES = (0.0, 1.0, 5.0, 25.0, 50.0, 100.0)
"""Percentiles between which molecules are put together."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class RankedPart:
    """Descriptions of some molecules, looked up among the whole pool."""

    name: str
    molecules: int
    hits_1: float
    hits_10: float
    mrr: float


@dataclass(frozen=True)
class DomainResult:
    """What was found."""

    molecules: Mapping[str, Mapping[str, float]]
    """Share of each status, by where the molecules come from."""
    numbers: Mapping[str, int]
    """Molecules looked at, likewise."""
    by_status: Sequence[RankedPart]
    by_similarity: Sequence[RankedPart]
    by_cosine: Sequence[RankedPart]
    texts: Mapping[str, Mapping[str, float]]
    """By kind of question: share of each status, and of texts that are `flat`, hold unusually many
    `unknown words`, or were `cut`."""


def measure_domain_check(
    library: Library,
    pool: Pool,
    texts: Sequence[str],
    rows: Sequence[int],
    asked: Sequence[Asked],
    elsewhere: Mapping[str, Sequence[str]],
    progress: Any,
) -> DomainResult:
    """Judge held-out molecules and texts.

    Parameters
    ----------
    library
        Of the model.
    pool
        What descriptions are looked up in.
    texts, rows
        Held-out descriptions and the rows of the pool they describe.
    asked
        Questions of every kind.
    elsewhere
        SMILES of other origin, by name.
    progress
        Told how far it is.
    """
    held = [pool.rows.smiles[row] for row in rows]
    judged = _judged(library, held, "held-out molecules", progress)
    readable = np.array([not isinstance(item, ParseFailure) for item in judged], dtype=bool)
    ranks = pool.ranks(library.model.encode_text(list(texts)), rows)[readable]
    found = _read(judged)
    statuses = np.array([item.status for item in found])
    origins = {"held out from ChEBI": found}
    for name, smiles in elsewhere.items():
        origins[name] = _read(_judged(library, smiles, name, progress))
    words: dict[str, dict[str, float]] = {}
    for part in asked:
        progress(f"applicability of {part.kind}", 0, len(part.texts))
        words[part.kind] = _text_shares(library, part.texts)
    return DomainResult(
        {name: _shares(items) for name, items in origins.items()},
        {name: len(items) for name, items in origins.items()},
        [_ranked(status, ranks[statuses == status]) for status in STATUSES],
        _by_percentile(found, ranks, "similarity"),
        _by_percentile(found, ranks, "cosine"),
        words,
    )


def drawn_elsewhere(folder: Any, seed: int = 0) -> dict[str, list[str]]:
    """Molecules of `ELSEWHERE` from the user's folder; sets that are not there are left out."""
    from molclip.datasets import load

    found = {}
    for name, title in ELSEWHERE.items():
        try:
            smiles = [text for text in load(name, folder)["smiles"][:] if text]
        except InputError:
            continue
        chosen = np.random.default_rng(seed).choice(len(smiles), min(DRAWN, len(smiles)), False)
        found[title] = [smiles[row] for row in np.sort(chosen).tolist()]
    return found


def _judged(
    library: Library, smiles: Sequence[str], what: str, progress: Any
) -> list[MoleculeApplicability | ParseFailure]:
    found: list[MoleculeApplicability | ParseFailure] = []
    for start in range(0, len(smiles), 100):
        progress(f"applicability of {what}", start, len(smiles))
        found += library.applicability(list(smiles[start : start + 100]))
    return found


def _read(items: Sequence[MoleculeApplicability | ParseFailure]) -> list[MoleculeApplicability]:
    return [item for item in items if not isinstance(item, ParseFailure)]


def _shares(items: Sequence[MoleculeApplicability]) -> dict[str, float]:
    return {
        **{status: float(np.mean([i.status == status for i in items])) for status in STATUSES},
        "seen": float(np.mean([bool(i.seen) for i in items])),
    }


def _ranked(name: str, ranks: IntArray) -> RankedPart:
    if not len(ranks):
        return RankedPart(name, 0, *([float("nan")] * 3))
    return RankedPart(
        name,
        len(ranks),
        float((ranks == 1).mean()),
        float((ranks <= 10).mean()),
        float((1 / ranks).mean()),
    )


def _by_percentile(
    found: Sequence[MoleculeApplicability], ranks: IntArray, what: str
) -> list[RankedPart]:
    values = np.array([getattr(item, f"{what}_percentile") for item in found], dtype=np.float64)
    parts = []
    for low, high in pairwise(_EDGES):
        here = (values >= low) & ((values < high) | (high == _EDGES[-1]))
        parts.append(_ranked(f"{low:g}–{high:g} %", ranks[here]))
    return parts


def _text_shares(library: Library, texts: Sequence[str]) -> dict[str, float]:
    found = library.text_applicability(list(texts))
    domain = library.judge.domain
    assert domain is not None
    strange = [bool(domain.wording(item.words, item.unknown_words)) for item in found]
    return {
        **{status: float(np.mean([i.status == status for i in found])) for status in STATUSES},
        "flat": float(np.mean([item.flat for item in found])),
        "unknown words": float(np.mean(strange)),
        "cut": float(np.mean([item.dropped_pieces > 0 for item in found])),
    }
