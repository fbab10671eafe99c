"""How good predictions of labels are: ROC-AUC and accuracy of classes, RMSE and R² of values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from statistics import fmean

import numpy as np
import numpy.typing as npt

from molclip.datasets.labels import Task

FloatArray = npt.NDArray[np.float64]
Scores = dict[str, float | None]

CLASSIFICATION = ("roc_auc", "accuracy")
REGRESSION = ("rmse", "r2")
SHOWN = {"roc_auc": "ROC-AUC", "accuracy": "accuracy", "rmse": "RMSE", "r2": "R²"}


def task_scores(task: Task, truth: FloatArray, predicted: FloatArray) -> Scores:
    """Figures of one task; None where a figure is not defined on these labels.

    Parameters
    ----------
    task
        What was asked.
    truth
        Labels ``(N,)``; rows with NaN are left out.
    predicted
        Probabilities of the classes ``(N, C)``, or values ``(N,)``.

    Returns
    -------
    dict
        `roc_auc` (of more than two classes: the mean over one against the rest, for classes that
        occur) and `accuracy`; or `rmse` and `r2`. ROC-AUC needs two classes among the labels, R²
        two different values.
    """
    known = ~np.isnan(truth)
    truth, predicted = truth[known], predicted[known]
    if task.kind == "regression":
        return _regression(truth, predicted)
    if not len(truth):
        return dict.fromkeys(CLASSIFICATION)
    right = predicted.argmax(axis=1) == truth
    return {"roc_auc": roc_auc(truth, predicted), "accuracy": float(right.mean())}


def roc_auc(truth: FloatArray, probabilities: FloatArray) -> float | None:
    """Area under the ROC curve; None where the labels ``(N,)`` have one class only."""
    from sklearn.metrics import roc_auc_score

    found = np.unique(truth).astype(int).tolist()
    if len(found) < 2:
        return None
    classes = [1] if probabilities.shape[1] == 2 else found
    return fmean(float(roc_auc_score(truth == c, probabilities[:, c])) for c in classes)


def headline(task: Task) -> str:
    """The figure by which settings are chosen: ROC-AUC, or RMSE."""
    return "rmse" if task.kind == "regression" else "roc_auc"


def mean_scores(scores: Iterable[Scores], names: Sequence[str]) -> Scores:
    """Mean of each figure over the tasks that have it; None where none has."""
    listed = list(scores)
    means: Scores = {}
    for name in names:
        values = [value for score in listed if (value := score.get(name)) is not None]
        means[name] = fmean(values) if values else None
    return means


def figure_names(tasks: Iterable[Task]) -> tuple[str, ...]:
    """Names of the figures that these tasks have, in the order of a table."""
    kinds = {task.kind == "regression" for task in tasks}
    return (CLASSIFICATION if False in kinds else ()) + (REGRESSION if True in kinds else ())


def shown(value: float | None) -> str:
    """A figure in a table cell."""
    return "–" if value is None else f"{value:.3f}"


def _regression(truth: FloatArray, predicted: FloatArray) -> Scores:
    if not len(truth):
        return dict.fromkeys(REGRESSION)
    squared = float(((predicted - truth) ** 2).mean())
    spread = float(truth.var())
    return {"rmse": squared**0.5, "r2": 1 - squared / spread if spread else None}
