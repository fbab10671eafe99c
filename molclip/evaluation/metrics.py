"""Retrieval figures from ranks, with bootstrap intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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
    (resampled,) = _resampled([per_query(ranks, ties)], samples, seed)
    return {name: _interval(drawn, level) for name, drawn in resampled.items()}


@dataclass(frozen=True)
class Difference:
    """One figure of a second model minus that of a first, over the same queries."""

    value: float
    low: float
    high: float
    """Ends of the 95 % interval."""
    p: float
    """Two-sided: twice the smaller share of resamples in which the difference has the other
    sign or is none, at most 1 and, as there are finitely many, at least 2 / (samples + 1)."""

    def to_dict(self) -> dict[str, float | list[float]]:
        """Return the difference for the JSON report."""
        return {"difference": self.value, "interval_95": [self.low, self.high], "p": self.p}


def paired_bootstrap(
    first: Ranks,
    second: Ranks,
    ties: Ties = "pessimistic",
    *,
    samples: int = 1000,
    level: float = 0.95,
    seed: int = 0,
) -> dict[str, Difference]:
    """Return how much higher each figure of the second model is, with a bootstrap interval.

    Both models are measured on the same resampled queries, so what makes a query easy for both
    cancels, and the interval is narrower than that of two separate ones.

    Parameters
    ----------
    first, second
        Ranks of the same Q queries in the same order, in pools of the same size.
    ties, samples, level, seed
        As in `bootstrap`.

    Raises
    ------
    ValueError
        When the two do not have the same number of queries.

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap, 1993, chapters 13 and 16.
    """
    if len(first) != len(second):
        raise ValueError(f"{len(first)} and {len(second)} queries cannot be paired")
    before, after = figures(first, ties), figures(second, ties)
    columns = [per_query(first, ties), per_query(second, ties)]
    drawn_first, drawn_second = _resampled(columns, samples, seed)
    differences = {}
    for name in FIGURES:
        drawn = drawn_second[name] - drawn_first[name]
        low, high = _interval(drawn, level)
        tail = min((drawn <= 0).sum(), (drawn >= 0).sum())
        p = min(1.0, 2 * (int(tail) + 1) / (samples + 1))
        differences[name] = Difference(after[name] - before[name], low, high, p)
    return differences


def _resampled(
    columns: Sequence[dict[str, FloatArray]], samples: int, seed: int
) -> list[dict[str, FloatArray]]:
    """Every figure of every system on the same resamples of the queries, each (samples,)."""
    generator = np.random.default_rng(seed)
    queries = len(columns[0]["mrr"])
    parts: list[dict[str, list[FloatArray]]] = [{name: [] for name in each} for each in columns]
    at_once = max(1, _DRAWN_AT_ONCE // queries)
    for start in range(0, samples, at_once):
        size = (min(at_once, samples - start), queries)
        drawn = generator.integers(0, queries, size)
        for part, each in zip(parts, columns, strict=True):
            for name, column in each.items():
                part[name].append(_statistic(name, column[drawn]))
    return [{name: np.concatenate(found) for name, found in part.items()} for part in parts]


def _interval(drawn: FloatArray, level: float) -> tuple[float, float]:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high


def _statistic(name: str, values: FloatArray) -> FloatArray:
    """Mean or median over the last axis."""
    return np.asarray((np.median if name == "median_rank" else np.mean)(values, axis=-1))
