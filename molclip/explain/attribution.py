"""Values of the atoms of a molecule, or of the words of a text, by two methods."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Attribution:
    """What each of n parts, atoms or words, does to a score.

    Positive: the part raises the match; negative: it lowers it.
    """

    occlusion: FloatArray | None
    """Score minus the score without the part, ``(n,)``; the values sum to nothing in particular.
    None where the method was not asked for."""
    gradient: FloatArray | None
    """Integrated gradients, ``(n,)``; with `remainder` they sum to `difference`."""
    score: float
    """Cosine similarity of the molecule and the text."""
    baseline: float | None = None
    """Score where nothing is told about any part."""
    remainder: dict[str, float] = field(default_factory=dict)
    """Integrated gradients of inputs that belong to no part, by kind of input."""
    steps: int = 0
    """Gradients that the integration took."""

    @property
    def parts(self) -> int:
        """Number n of atoms or words."""
        values = self.gradient if self.occlusion is None else self.occlusion
        return 0 if values is None else len(values)

    @property
    def difference(self) -> float | None:
        """Score minus baseline: what integrated gradients explain."""
        return None if self.baseline is None else self.score - self.baseline

    @property
    def error(self) -> float | None:
        """By how much the parts and the remainder miss `difference`."""
        if self.gradient is None or self.difference is None:
            return None
        return float(self.gradient.sum()) + sum(self.remainder.values()) - self.difference

    @property
    def agreement(self) -> float | None:
        """Rank correlation of the two methods; None with one method or fewer than three parts."""
        if self.occlusion is None or self.gradient is None:
            return None
        return rank_correlation(self.occlusion, self.gradient)


def rank_correlation(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """Spearman's rank correlation, ties at their mean rank.

    Parameters
    ----------
    first, second
        n numbers each.

    Returns
    -------
    −1 to 1; None for n below 3, or where all numbers of one side are equal.

    References
    ----------
    Spearman, The Proof and Measurement of Association between Two Things, Am. J. Psychol. 1904,
    15, 72.
    """
    one, other = (_ranks(np.asarray(values, dtype=np.float64)) for values in (first, second))
    if len(one) < 3 or not one.std() or not other.std():
        return None
    return float(np.corrcoef(one, other)[0, 1])


def _ranks(values: FloatArray) -> FloatArray:
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    means: FloatArray = last - (counts - 1) / 2
    return means[place]
