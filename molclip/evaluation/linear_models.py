"""Simple models on fixed features, their one setting chosen on the validation set.

Linear: logistic regression (scikit-learn, L2) or ridge regression. Neighbours: the mean of the
most similar training molecules, weighted by cosine. Constant: what is most likely without looking.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.datasets.labels import Task
from molclip.errors import InputError, install_hint
from molclip.evaluation.label_scores import headline, task_scores

FloatArray = npt.NDArray[np.float64]
Matrix = Any
"""Dense float array or sparse matrix, a row per molecule."""

STRENGTHS = (1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0)
"""Inverse regularisation C of logistic regression."""
PENALTIES = (1.0, 10.0, 100.0, 1000.0, 10000.0)
"""Ridge penalties."""
NEIGHBOURS = (1, 3, 5, 10, 20, 50)


Predict = Callable[[Matrix], FloatArray]
"""Features ``(N, W)`` to probabilities ``(N, C)``, or values ``(N,)``."""


@dataclass(frozen=True)
class Sets:
    """Features and labels of one task; rows without a label are in none of them."""

    task: Task
    train: tuple[Matrix, FloatArray]
    validation: tuple[Matrix, FloatArray]


@dataclass(frozen=True)
class Fitted:
    """A model and the setting it was chosen with."""

    predict: Predict
    setting: str


Fit = Callable[[Sets], Fitted]


def check_installed() -> None:
    """Refuse to begin what would fail later.

    Raises
    ------
    InputError
        When scikit-learn is not installed.
    """
    try:
        import sklearn  # noqa: F401
    except ImportError as error:
        raise InputError("Models on labels need scikit-learn.", install_hint("train")) from error


def fit_constant(sets: Sets) -> Fitted:
    """Shares of the classes in the training set, or the mean: the least a model must beat."""
    return Fitted(_always(sets.task, sets.train[1]), "")


def _always(task: Task, labels: FloatArray) -> Predict:
    if task.kind == "regression":
        answer = labels.mean()
    else:
        answer = np.bincount(labels.astype(int), minlength=len(task.classes)) / len(labels)
    return lambda x: np.broadcast_to(answer, (x.shape[0], *np.shape(answer)))


def fit_linear(sets: Sets) -> Fitted:
    """Logistic or ridge regression; dense features are standardised on the training set."""
    from scipy.sparse import issparse
    from sklearn.preprocessing import StandardScaler

    features, labels = sets.train
    if issparse(features):
        return _best(sets, _linear_models(sets.task, features, labels, lambda x: x))
    scale = StandardScaler().fit(features).transform
    return _best(sets, _linear_models(sets.task, scale(features), labels, scale))


def _linear_models(
    task: Task, scaled: Matrix, labels: FloatArray, scale: Callable[[Matrix], Matrix]
) -> Iterator[Fitted]:
    from sklearn.linear_model import LogisticRegression, Ridge

    if task.kind == "regression":
        for penalty in PENALTIES:
            ridge = Ridge(alpha=penalty).fit(scaled, labels)
            yield Fitted(_after(scale, ridge.predict), f"penalty {penalty:g}")
    elif len(np.unique(labels)) < 2:
        yield Fitted(_always(task, labels), "one class")
    else:
        for strength in STRENGTHS:
            model = LogisticRegression(C=strength, max_iter=1000).fit(scaled, labels)
            predict = _padded(model.predict_proba, model.classes_, len(task.classes))
            yield Fitted(_after(scale, predict), f"C {strength:g}")


def fit_neighbours(sets: Sets) -> Fitted:
    """Mean label of the k nearest training molecules by cosine, weighted by cosine."""
    from sklearn.neighbors import NearestNeighbors

    task, (features, labels) = sets.task, sets.train
    most = min(max(NEIGHBOURS), len(labels))
    index = NearestNeighbors(n_neighbors=most, metric="cosine", algorithm="brute").fit(features)
    votes = labels if task.kind == "regression" else np.eye(len(task.classes))[labels.astype(int)]

    def predict(k: int, x: Matrix) -> FloatArray:
        distances, places = index.kneighbors(x, n_neighbors=k)
        # Never all zero: a molecule that is like none still gets the mean of its neighbours.
        weights = np.maximum(1 - distances, 0) + 1e-6
        weights /= weights.sum(axis=1, keepdims=True)
        return np.asarray(np.einsum("nk,nk...->n...", weights, votes[places]))

    sizes = sorted({min(k, most) for k in NEIGHBOURS})
    return _best(sets, (Fitted(partial(predict, k), f"k {k}") for k in sizes))


def _best(sets: Sets, candidates: Iterator[Fitted]) -> Fitted:
    """The one with the best headline figure on the validation set, the first on a tie.

    Where that set has one class only, the one that finds its labels most likely; where it has no
    label, the one in the middle.
    """
    features, labels = sets.validation
    if not len(labels):
        listed = list(candidates)
        return listed[len(listed) // 2]
    name = headline(sets.task)
    best: tuple[float, Fitted] | None = None
    for candidate in candidates:
        predicted = candidate.predict(features)
        value = task_scores(sets.task, labels, predicted)[name]
        if value is None:
            likely = predicted[np.arange(len(labels)), labels.astype(int)]
            value = float(np.log(np.maximum(likely, 1e-12)).mean())
        merit = -value if name == "rmse" else value
        if best is None or merit > best[0]:
            best = merit, candidate
    assert best is not None
    return best[1]


def _after(scale: Callable[[Matrix], Matrix], predict: Predict) -> Predict:
    return lambda x: np.asarray(predict(scale(x)))


def _padded(predict: Predict, known: Sequence[float], classes: int) -> Predict:
    """Columns for all classes of a task, zero for those the training set does not have."""
    columns = np.asarray(known).astype(int)

    def padded(x: Matrix) -> FloatArray:
        found = np.zeros((x.shape[0], classes))
        found[:, columns] = predict(x)
        return found

    return padded
