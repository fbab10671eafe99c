"""The state of both towers on a fixed sample of pairs, once per epoch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.evaluation.negatives import hardness
from molclip.evaluation.representation import describe

PAIRS = 2048
"""Pairs that a diagnosis is made on: 0.3 s on one core at 256 dimensions."""
_CONTRASTIVE = ("clip", "siglip", "nt_xent", "moco")

Vectors = npt.NDArray[np.floating[Any]]


def sample_rows(rows: int, seed: int, most: int = PAIRS) -> npt.NDArray[np.int64]:
    """Return the rows to diagnose: the same ones in every epoch, sorted.

    Parameters
    ----------
    rows
        Rows to choose from.
    seed
        Of the draw.
    most
        At most so many.
    """
    if rows <= most:
        return np.arange(rows, dtype=np.int64)
    drawn = np.random.default_rng((seed, 11)).choice(rows, most, replace=False)
    return np.sort(drawn.astype(np.int64))


def diagnose(
    text_vectors: Vectors,
    molecule_vectors: Vectors,
    scale: float,
    mask: npt.NDArray[np.bool_] | None = None,
    objective_name: str = "clip",
) -> dict[str, float]:
    """Figures of the representation and of its negatives.

    Parameters
    ----------
    text_vectors, molecule_vectors
        Unit vectors of the same pairs, float ``(N, D)``; as of the network without dropout.
    scale
        Inverse temperature.
    mask
        Optional bool ``(N, N)``, text × molecule, true where a negative is false.
    objective_name
        `vicreg` and `wmse` have no negatives and no temperature, so no hardness is given.

    Returns
    -------
    dict
        `alignment`, `uniformity_text`, `uniformity_molecule`, `effective_rank_text`,
        `effective_rank_molecule`, `collapsed_text`, `collapsed_molecule`, `modality_gap`,
        `dimension`, `diagnosed_pairs`; with negatives also `hardest_negative` and
        `effective_negatives`, means of both directions among `diagnosed_negatives` each.
    """
    found = describe(text_vectors, molecule_vectors).to_dict()
    found["diagnosed_pairs"] = found.pop("pairs")
    if objective_name in _CONTRASTIVE and len(text_vectors) > 1:
        # float32 products are exact enough for weights and half the memory.
        scores = text_vectors.astype(np.float32) @ molecule_vectors.astype(np.float32).T
        sides = [
            hardness(scores, scale, mask),
            hardness(scores.T, scale, None if mask is None else mask.T),
        ]
        found["hardest_negative"] = float(np.mean([side.hardest for side in sides]))
        found["effective_negatives"] = float(np.mean([side.effective for side in sides]))
        found["diagnosed_negatives"] = float(np.mean([side.negatives for side in sides]))
    return found
