"""Figures of labels: how well scores separate the molecules that have a label.

Figures of one label are scikit-learn's. Their bootstrap needs thousands of weighted evaluations
and is written out here; with unit weights both give the same number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.errors import MolclipError, install_hint

FloatArray = npt.NDArray[np.floating[Any]]
BoolArray = npt.NDArray[np.bool_]

FIRST_SHARE = 0.01
"""Share of the molecules in which enrichment is counted."""
RESAMPLES = 200
"""Of the bootstrap over molecules."""
TOP = (1, 3, 5)


@dataclass(frozen=True)
class LabelFigures:
    """Figures of L labels over N molecules; every array is (L,)."""

    auroc: FloatArray
    average_precision: FloatArray
    enrichment: FloatArray
    positives: npt.NDArray[np.int64]


@dataclass(frozen=True)
class Macro:
    """Means over labels, and their bootstrap over molecules."""

    auroc: float
    average_precision: float
    enrichment: float
    auroc_interval: tuple[float, float]
    average_precision_interval: tuple[float, float]
    labels: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for a report."""
        return {
            "macro_auroc": self.auroc,
            "macro_auroc_95": list(self.auroc_interval),
            "macro_average_precision": self.average_precision,
            "macro_average_precision_95": list(self.average_precision_interval),
            "macro_enrichment_1pc": self.enrichment,
            "labels": self.labels,
        }


def label_figures(truth: BoolArray, scores: FloatArray) -> LabelFigures:
    """Return AUROC, average precision and enrichment of each label.

    Parameters
    ----------
    truth
        (N, L); every label needs a molecule that has it and one that has not.
    scores
        (N, L), higher for a better fit, no NaN.

    Raises
    ------
    ValueError
        When a label has no positive or no negative molecule.
    """
    metrics = scikit_learn().metrics
    positives = truth.sum(axis=0)
    if not ((positives > 0) & (positives < len(truth))).all():
        raise ValueError("a label that all or none of the molecules have cannot be measured")
    columns = range(truth.shape[1])
    auroc = [metrics.roc_auc_score(truth[:, i], scores[:, i]) for i in columns]
    precision = [metrics.average_precision_score(truth[:, i], scores[:, i]) for i in columns]
    gained = [enrichment(truth[:, i], scores[:, i]) for i in columns]
    return LabelFigures(
        np.array(auroc, dtype=np.float64),
        np.array(precision, dtype=np.float64),
        np.array(gained, dtype=np.float64),
        positives.astype(np.int64),
    )


def enrichment(truth: BoolArray, scores: FloatArray, share: float = FIRST_SHARE) -> float:
    """Return how many times more positives are in the first `share` than by chance.

    Molecules with the same score as the last one counted take the remaining places in equal
    parts, which is the mean over all orders.

    Parameters
    ----------
    truth, scores
        (N,).
    share
        The first ``ceil(share * N)`` molecules are looked at.
    """
    count = int(np.ceil(share * len(truth)))
    last = np.partition(scores, len(scores) - count)[len(scores) - count]
    above, level = scores > last, scores == last
    part = (count - above.sum()) / level.sum()
    found = truth[above].sum() + part * truth[level].sum()
    return float(found / count / truth.mean())


def resample(molecules: int, resamples: int = RESAMPLES, seed: int = 0) -> npt.NDArray[np.uint16]:
    """Return how often each molecule is drawn in each bootstrap sample, (B, N)."""
    generator = np.random.default_rng(seed)
    drawn = np.empty((resamples, molecules), dtype=np.uint16)
    for row in range(resamples):
        drawn[row] = np.bincount(generator.integers(0, molecules, molecules), minlength=molecules)
    return drawn


def weighted_figures(
    truth: BoolArray, scores: FloatArray, weights: npt.NDArray[Any]
) -> tuple[FloatArray, FloatArray]:
    """Return AUROC and average precision of one label under many weightings.

    Equal to scikit-learn's `roc_auc_score` and `average_precision_score` with `sample_weight`.

    Parameters
    ----------
    truth, scores
        (N,).
    weights
        (B, N), non-negative.

    Returns
    -------
    Two arrays (B,); NaN where the weighting leaves no positive or no negative.
    """
    order = np.argsort(-scores, kind="stable")
    ordered = scores[order]
    # Groups of equal scores: first column, and first column after them.
    edges = np.concatenate([[0], np.flatnonzero(np.diff(ordered)) + 1, [len(ordered)]])
    places = np.flatnonzero(truth[order])
    groups = np.searchsorted(edges, places, side="right") - 1
    held, first = np.unique(groups, return_index=True)
    drawn = weights[:, order].astype(np.float32)
    # Whole numbers this small are exact in single precision, and half as long to sum.
    above = np.zeros((len(weights), len(ordered) + 1), dtype=np.float32)
    np.cumsum(drawn, axis=1, out=above[:, 1:])
    # Only groups with a positive move either figure.
    step = np.add.reduceat(drawn[:, places], first, axis=1).astype(np.float64)
    right = np.cumsum(step, axis=1)
    so_far = above[:, edges[held + 1]].astype(np.float64)
    wrong, wrong_before = so_far - right, above[:, edges[held]] - (right - step)
    positive = right[:, -1]
    negative = above[:, -1] - positive
    with np.errstate(invalid="ignore", divide="ignore"):
        # A pair within a group counts half.
        area = (step * (negative[:, None] - (wrong + wrong_before) / 2)).sum(axis=1)
        auroc = area / (positive * negative)
        precision = np.where(so_far > 0, right / so_far, 0.0)
        average = (step * precision).sum(axis=1) / positive
    average[negative == 0] = np.nan
    return auroc, average


def macro(
    truth: BoolArray, scores: FloatArray, figures: LabelFigures, weights: npt.NDArray[Any]
) -> Macro:
    """Return means over labels with 95 % percentile intervals.

    Parameters
    ----------
    truth, scores
        As in `label_figures`.
    figures
        Of the same labels.
    weights
        Result of `resample` for the same molecules. A label without positives in a sample is left
        out of that sample's mean.
    """
    areas = np.empty((truth.shape[1], len(weights)))
    precisions = np.empty_like(areas)
    for column in range(truth.shape[1]):
        areas[column], precisions[column] = weighted_figures(
            truth[:, column], scores[:, column], weights
        )
    return Macro(
        float(figures.auroc.mean()),
        float(figures.average_precision.mean()),
        float(figures.enrichment.mean()),
        _interval(areas),
        _interval(precisions),
        truth.shape[1],
    )


def _interval(values: FloatArray) -> tuple[float, float]:
    return percentile_interval(mean_over_labels(values))


def mean_over_labels(values: FloatArray) -> FloatArray:
    """Return the mean of each resample over the labels it has a figure for.

    Parameters
    ----------
    values
        (L, B), NaN where a resample leaves a label without a figure.

    Returns
    -------
    At most B means; resamples in which no label has a figure are left out.
    """
    usable = values[:, ~np.isnan(values).all(axis=0)]
    return np.asarray(np.nanmean(usable, axis=0))


def percentile_interval(values: FloatArray) -> tuple[float, float]:
    """Return the 2.5th and 97.5th percentiles; NaN for no values."""
    if not len(values):
        return float("nan"), float("nan")
    low, high = np.quantile(values, [0.025, 0.975]).tolist()
    return low, high


def top_k(truth: BoolArray, scores: FloatArray, ks: Sequence[int] = TOP) -> dict[str, float]:
    """Return the share of molecules whose label is among their k best-scored labels.

    A molecule with several labels counts by the best of them, one without is left out. Ties count
    against the model.

    Parameters
    ----------
    truth, scores
        (N, L) over every label of the set, also the rare ones.
    ks
        Depths.
    """
    has = truth.any(axis=1)
    best = np.where(truth, scores, -np.inf).max(axis=1)[has]
    rivals = (~truth[has] & (scores[has] >= best[:, None])).sum(axis=1)
    return {f"top_{k}": float((rivals < k).mean()) for k in ks}


def scikit_learn() -> Any:
    """Return the package, imported when first needed.

    Raises
    ------
    MolclipError
        When it is not installed.
    """
    try:
        import sklearn.linear_model
        import sklearn.metrics
        import sklearn.model_selection
    except ImportError as error:
        raise MolclipError(
            "The zero-shot evaluation needs scikit-learn.", install_hint("train")
        ) from error
    return sklearn
