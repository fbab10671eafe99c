"""What labels are worth with training data: a supervised reference, and the nearest neighbour.

Both use the feature rows that the model sees and know the labels of the training side. They do not
depend on the model, so their scores are kept on disk.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.features import BLOCKS, VERSION, golden_hash
from molclip.evaluation import cache
from molclip.evaluation.feature_table import FeatureTable
from molclip.evaluation.zero_shot.scores import BoolArray, scikit_learn

Float32 = npt.NDArray[np.float32]
Progress = Callable[[str, int, int | None], None]

SUPERVISED = "logistic regression"
NEIGHBOUR = "nearest neighbour"
BASELINES = (SUPERVISED, NEIGHBOUR)

MOST_POSITIVE, MOST_NEGATIVE = 500, 2000
"""A regression is fitted on at most so many molecules with and without the label: which share of
them has it moves the intercept alone, and the order of scores does not depend on that."""
FEWEST = 5
"""With fewer training molecules of a label the reference is cross-validated on the others."""
FOLDS = 5
STRENGTH = 0.1
"""Inverse regularisation C."""
_AT_ONCE = 256


def reference_scores(
    measured: FeatureTable,
    truth: BoolArray,
    training: FeatureTable,
    training_truth: BoolArray,
    key: tuple[str, ...],
    progress: Progress,
    seed: int = 0,
) -> dict[str, Float32]:
    """Return the scores of both baselines, each (N, L).

    Parameters
    ----------
    measured, truth
        Feature rows of the N molecules, and their labels (N, L); the labels are looked at only
        where the training side has fewer than `FEWEST` molecules with one.
    training, training_truth
        Feature rows of the M training molecules, and their labels (M, L).
    key
        What names the molecules and labels, for the file on disk.
    progress
        Told how many labels are done.
    seed
        Of the choice of molecules for a regression.
    """
    bits = (np.packbits(truth).tobytes().hex(), np.packbits(training_truth).tobytes().hex())
    path = cache.cache_file("references", VERSION, golden_hash(), str(seed), *key, *bits)
    names = {"supervised": SUPERVISED, "neighbour": NEIGHBOUR}
    stored = cache.load(path, tuple(names))
    if stored is not None:
        return {title: stored[0][name] for name, title in names.items()}
    made = {
        "supervised": supervised(measured, truth, training, training_truth, progress, seed),
        "neighbour": nearest(measured, training, training_truth, progress),
    }
    cache.save(path, made, ())
    return {title: made[name] for name, title in names.items()}


def supervised(
    measured: FeatureTable,
    truth: BoolArray,
    training: FeatureTable,
    training_truth: BoolArray,
    progress: Progress,
    seed: int = 0,
) -> Float32:
    """Return scores (N, L) of one logistic regression per label on log(1 + count) features."""
    sklearn = scikit_learn()
    new, old = _sparse(measured), _sparse(training)
    scores = np.empty(truth.shape, dtype=np.float32)
    for column in range(truth.shape[1]):
        progress("logistic regression", column, truth.shape[1])
        labels = training_truth[:, column]
        if labels.sum() < FEWEST or (~labels).sum() < FEWEST:
            scores[:, column] = _cross_validated(sklearn, new, truth[:, column], seed)
            continue
        rows = _drawn(labels, seed)
        fitted = _regression(sklearn).fit(old[rows], labels[rows])
        scores[:, column] = fitted.decision_function(new)
    progress("logistic regression", truth.shape[1], truth.shape[1])
    return scores


def _regression(sklearn: Any) -> Any:
    return sklearn.linear_model.LogisticRegression(solver="liblinear", C=STRENGTH, tol=1e-3)


def _cross_validated(sklearn: Any, rows: Any, labels: BoolArray, seed: int) -> npt.NDArray[Any]:
    """Scores of each molecule by regressions that have not seen it; zeros where none can be."""
    folds = min(FOLDS, int(labels.sum()), int((~labels).sum()))
    if folds < 2:
        return np.zeros(len(labels))
    parts = sklearn.model_selection.StratifiedKFold(folds, shuffle=True, random_state=seed)
    made: npt.NDArray[Any] = sklearn.model_selection.cross_val_predict(
        _regression(sklearn), rows, labels, cv=parts, method="decision_function"
    )
    return made


def _drawn(labels: BoolArray, seed: int) -> npt.NDArray[np.int64]:
    generator = np.random.default_rng(seed)
    parts = []
    for rows, most in (
        (np.flatnonzero(labels), MOST_POSITIVE),
        (np.flatnonzero(~labels), MOST_NEGATIVE),
    ):
        parts.append(rows if len(rows) <= most else generator.choice(rows, most, replace=False))
    return np.sort(np.concatenate(parts))


def nearest(
    measured: FeatureTable, training: FeatureTable, training_truth: BoolArray, progress: Progress
) -> Float32:
    """Return the Tanimoto similarity of each molecule to the nearest with each label, (N, L).

    Compared are the sets of circular environments up to radius 3, counts left aside; 0 for a
    label that no training molecule has.
    """
    new, old = _environments(measured), _environments(training).T.tocsc()
    sizes_new = np.asarray(new.sum(axis=1)).ravel()
    sizes_old = np.asarray(old.sum(axis=0)).ravel()
    # The molecules of all labels behind one another, so that one pass takes every maximum.
    columns, rows = np.nonzero(training_truth.T)
    starts = np.searchsorted(columns, np.arange(training_truth.shape[1]))
    used = np.bincount(columns, minlength=training_truth.shape[1]) > 0
    result = np.zeros((len(measured), training_truth.shape[1]), dtype=np.float32)
    for start in range(0, len(measured), _AT_ONCE):
        progress("nearest neighbours", start, len(measured))
        shared = (new[start : start + _AT_ONCE] @ old).toarray()
        for offset, common in enumerate(shared):
            joined = sizes_new[start + offset] + sizes_old - common
            similarity = common / np.maximum(joined, 1)
            if used.any():
                best = np.maximum.reduceat(similarity[rows], starts[used])
                result[start + offset, used] = best
    progress("nearest neighbours", len(measured), len(measured))
    return result


def _sparse(table: FeatureTable) -> Any:
    """Feature rows as log(1 + count), in scipy's compressed rows."""
    from scipy.sparse import csr_matrix

    return csr_matrix(
        (np.log1p(table.counts.astype(np.float64)), table.columns.astype(np.int32), table.starts),
        shape=(len(table), table.width),
    )


def _environments(table: FeatureTable) -> Any:
    """Presence of circular environments, the first block of a feature row."""
    rows = _sparse(table)[:, : BLOCKS["morgan"]].astype(np.float32)
    rows.data[:] = 1
    return rows
