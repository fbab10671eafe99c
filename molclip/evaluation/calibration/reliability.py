"""Are stated shares the observed ones? Figures of reliability, free of any model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.floating[Any]]
BoolArray = npt.NDArray[np.bool_]

NOMINAL = np.linspace(0.005, 0.995, 199)
"""Shares at which stated and observed ones are compared."""


def observed_below(percentiles: FloatArray, nominal: FloatArray = NOMINAL) -> FloatArray:
    """Share of cases whose percentile is at most each stated share.

    Where percentiles mean what they say, the answer is `nominal` itself.

    Parameters
    ----------
    percentiles
        (N,), 0 to 1.
    nominal
        (K,), 0 to 1.

    Returns
    -------
    (K,).
    """
    ordered = np.sort(percentiles)
    return np.asarray(np.searchsorted(ordered, nominal, side="right") / len(ordered))


def percentile_error(percentiles: FloatArray) -> float:
    """Expected calibration error of percentiles: mean distance of observed from stated shares.

    0: percentiles of the cases are spread evenly. 0.25: all are one half; 0.5: all are 0 or all
    are 1.
    """
    return float(np.abs(observed_below(percentiles) - NOMINAL).mean())


@dataclass(frozen=True)
class Share:
    """A share of N cases with its 95 % interval (Wilson, J. Am. Stat. Assoc. 1927, 22, 209)."""

    value: float
    low: float
    high: float
    number: int

    @classmethod
    def of(cls, hits: Sequence[bool] | BoolArray) -> Share:
        """Count; NaN for no cases."""
        number = len(hits)
        if not number:
            return cls(float("nan"), float("nan"), float("nan"), 0)
        share, z = float(np.mean(hits)), 1.959964
        centre = share + z * z / (2 * number)
        spread = z * float(np.sqrt(share * (1 - share) / number + z * z / (4 * number**2)))
        scale = 1 + z * z / number
        return cls(
            share,
            max(0.0, (centre - spread) / scale),
            min(1.0, (centre + spread) / scale),
            number,
        )

    def to_list(self) -> list[float | None]:
        """Value, low, high, number; null for what no case gives."""
        if not self.number:
            return [None, None, None, 0]
        return [self.value, self.low, self.high, self.number]


@dataclass(frozen=True)
class Bin:
    """Cases of like score: what was predicted of them and what was observed."""

    predicted: float
    observed: float
    weight: float
    """Share of all weight."""


@dataclass(frozen=True)
class Reliability:
    """A probability learnt on one half of the cases and tested on the other, and vice versa."""

    bins: tuple[Bin, ...]
    error: float
    """Expected calibration error: the weighted mean of |observed - predicted|."""


def two_fold_reliability(
    scores: FloatArray,
    right: BoolArray,
    weights: FloatArray | None = None,
    *,
    bins: int = 10,
    seed: int = 0,
) -> Reliability:
    """Reliability of a score that is turned into a probability by histogram binning.

    Half of the cases say how often those of like score are right, the other half whether that
    holds; then the halves change places. (Zadrozny and Elkan, ICML 2001.)

    Parameters
    ----------
    scores, right
        (N,): the score of each case, and whether it is right.
    weights
        (N,), all 1 where left out.
    bins
        Bins of equal number of cases.
    seed
        Of the halves.

    Raises
    ------
    ValueError
        With fewer than four cases for each bin.
    """
    number = len(scores)
    if number < 4 * bins:
        raise ValueError(f"{number} cases are too few for {bins} bins")
    weight = np.ones(number) if weights is None else np.asarray(weights, dtype=np.float64)
    half = np.zeros(number, dtype=bool)
    half[np.random.default_rng(seed).permutation(number)[: number // 2]] = True
    found: list[Bin] = []
    for fit, test in ((half, ~half), (~half, half)):
        edges = np.quantile(scores[fit], np.linspace(0, 1, bins + 1)[1:-1])
        mine = np.searchsorted(edges, scores[fit], side="right")
        others = np.searchsorted(edges, scores[test], side="right")
        for place in range(bins):
            learnt, met = mine == place, others == place
            if not learnt.any() or not met.any():
                continue
            found.append(
                Bin(
                    float(np.average(right[fit][learnt], weights=weight[fit][learnt])),
                    float(np.average(right[test][met], weights=weight[test][met])),
                    float(weight[test][met].sum() / weight.sum()),
                )
            )
    total = sum(item.weight for item in found)
    error = sum(item.weight * abs(item.observed - item.predicted) for item in found) / total
    return Reliability(tuple(sorted(found, key=lambda item: item.predicted)), error)
