"""Retrieval figures from ranks, with bootstrap intervals."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from molclip.evaluation.ranks import Ranks, Ties

HITS_AT = (1, 5, 10, 20)
#: Names of the figures, in the order of a report.
FIGURES = (*(f"hits@{k}" for k in HITS_AT), "mrr", "mean_rank", "median_rank")

FloatArray = npt.NDArray[np.float64]

_DRAWN_AT_ONCE = 1_000_000


def per_query(ranks: Ranks, ties: Ties = "pessimistic") -> dict[str, FloatArray]:
    """Return what each figure is an average of: one value per query, each of shape (Q,)."""
    rank = ranks.ranks(ties)
    values = {f"hits@{k}": ranks.hits(k, ties) for k in HITS_AT}
    values["mrr"] = ranks.reciprocal(ties)
    values["mean_rank"] = rank
    values["median_rank"] = rank
    return values


def figures(ranks: Ranks, ties: Ties = "pessimistic") -> dict[str, float]:
    """Return Hits@k, mean reciprocal rank, mean and median rank over all queries.

    Missed queries count: no hit, reciprocal rank 0, last rank of the pool.

    Raises
    ------
    ValueError
        When there is no query.
    """
    if not len(ranks):
        raise ValueError("no queries to average over")
    return {
        name: float(_statistic(name, values)) for name, values in per_query(ranks, ties).items()
    }


def bootstrap(
    ranks: Ranks,
    ties: Ties = "pessimistic",
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, tuple[float, float]]:
    """Return a percentile bootstrap interval over queries for each figure.

    All figures are taken from the same resamples, so they can be compared with one another.

    Parameters
    ----------
    ranks, ties
        As in `figures`.
    samples
        Resamples, each with as many queries as there are, drawn with replacement.
    level
        Share of the resampled figures inside the interval.
    seed
        Of the random generator; the same seed gives the same interval.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapter 13.
    """
    values = per_query(ranks, ties)
    generator = np.random.default_rng(seed)
    parts: dict[str, list[FloatArray]] = {name: [] for name in values}
    at_once = max(1, _DRAWN_AT_ONCE // len(ranks))
    for start in range(0, samples, at_once):
        size = (min(at_once, samples - start), len(ranks))
        drawn = generator.integers(0, len(ranks), size)
        for name, column in values.items():
            parts[name].append(_statistic(name, column[drawn]))
    tails = [(1 - level) / 2, (1 + level) / 2]
    intervals = {}
    for name, resampled in parts.items():
        low, high = np.quantile(np.concatenate(resampled), tails).tolist()
        intervals[name] = (low, high)
    return intervals


def _statistic(name: str, values: FloatArray) -> FloatArray:
    """Mean or median over the last axis."""
    return np.asarray((np.median if name == "median_rank" else np.mean)(values, axis=-1))
