"""Figures and simple models against closed forms and scikit-learn."""

import numpy as np
import pytest
from scipy.sparse import csr_matrix
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.preprocessing import StandardScaler

from molclip.datasets.labels import Task
from molclip.evaluation.label_scores import figure_names, mean_scores, task_scores
from molclip.evaluation.linear_models import (
    PENALTIES,
    STRENGTHS,
    Sets,
    fit_constant,
    fit_linear,
    fit_neighbours,
)

BINARY = Task("active", "binary", ("0", "1"))
THREE = Task("kind", "multiclass", ("a", "b", "c"))
VALUE = Task("dose", "regression")


def both(positive):
    positive = np.array(positive)
    return np.stack([1 - positive, positive], axis=1)


def test_roc_auc_counts_pairs_in_the_right_order():
    # Positives 0.9 and 0.4, negatives 0.6 and 0.1: three of four pairs are right. NaN is unasked.
    scores = task_scores(BINARY, np.array([1, 0, np.nan, 1, 0.0]), both([0.9, 0.6, 0.99, 0.4, 0.1]))
    assert scores == {"roc_auc": 0.75, "accuracy": 0.5}


def test_figures_that_are_not_defined_are_none():
    assert task_scores(BINARY, np.array([1, 1.0]), both([0.9, 0.5]))["roc_auc"] is None
    assert task_scores(VALUE, np.array([2.0, 2.0]), np.array([1.0, 3.0])) == {
        "rmse": 1.0,
        "r2": None,
    }
    assert task_scores(BINARY, np.array([np.nan]), both([0.9])) == {
        "roc_auc": None,
        "accuracy": None,
    }


def test_more_classes_are_each_taken_against_the_rest():
    truth = np.array([0, 0, 1, 1.0])
    predicted = np.array([[0.5, 0.3, 0.2], [0.2, 0.6, 0.2], [0.3, 0.4, 0.3], [0.1, 0.8, 0.1]])
    # Class a: 0.5 and 0.2 against 0.3 and 0.1, three of four pairs right; class b: 0.4 and 0.8
    # against 0.3 and 0.6, three of four. Class c does not occur.
    assert task_scores(THREE, truth, predicted)["roc_auc"] == pytest.approx(0.75)
    assert task_scores(THREE, truth, predicted)["accuracy"] == pytest.approx(0.75)


def test_regression_figures_by_hand():
    scores = task_scores(VALUE, np.array([0.0, 2.0, 4.0]), np.array([1.0, 2.0, 3.0]))
    assert scores["rmse"] == pytest.approx((2 / 3) ** 0.5)
    assert scores["r2"] == pytest.approx(1 - 2 / 8)


def test_means_leave_out_what_is_not_defined():
    means = mean_scores([{"rmse": 1.0, "r2": None}, {"rmse": 3.0, "r2": 0.5}], ["rmse", "r2"])
    assert means == {"rmse": 2.0, "r2": 0.5}
    assert figure_names([VALUE, BINARY]) == ("roc_auc", "accuracy", "rmse", "r2")


@pytest.fixture
def numbers():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(150, 6)) * [1, 2, 3, 4, 5, 6]
    signal = features @ [1, 0.5, 0, 0, 0, 0.2] + rng.normal(size=150)
    return features, signal


def sets_of(task, features, labels):
    return Sets(task, (features[:90], labels[:90]), (features[90:120], labels[90:120]))


def test_linear_is_scikit_learns_with_the_best_strength_on_validation(numbers):
    features, signal = numbers
    labels = (signal > 0).astype(float)
    fitted = fit_linear(sets_of(BINARY, features, labels))
    scale = StandardScaler().fit(features[:90])
    best = None
    for strength in STRENGTHS:
        model = LogisticRegression(C=strength, max_iter=1000)
        model.fit(scale.transform(features[:90]), labels[:90])
        predicted = model.predict_proba(scale.transform(features))
        auc = task_scores(BINARY, labels[90:120], predicted[90:120])["roc_auc"]
        if best is None or auc > best[0]:
            best = auc, strength, predicted
    assert fitted.setting == f"C {best[1]:g}"
    np.testing.assert_allclose(fitted.predict(features), best[2])


def test_ridge_on_sparse_counts_is_not_standardised(numbers):
    features, signal = numbers
    fitted = fit_linear(sets_of(VALUE, csr_matrix(features), signal))
    penalty = float(fitted.setting.removeprefix("penalty "))
    assert penalty in PENALTIES
    expected = Ridge(alpha=penalty).fit(features[:90], signal[:90]).predict(features)
    np.testing.assert_allclose(fitted.predict(csr_matrix(features)), expected, atol=0.01)


def test_neighbours_weigh_by_cosine():
    # Three training molecules; the query has cosines 1, 0.6 and 0 with them.
    train = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    labels = np.array([10.0, 20.0, 40.0])
    # On validation three neighbours beat one: the right answer lies between.
    check = (np.array([[1.0, 0.0]]), np.array([13.75]))
    fitted = fit_neighbours(Sets(VALUE, (train, labels), check))
    assert fitted.setting == "k 3"
    query = np.array([[2.0, 0.0]])
    assert fitted.predict(query)[0] == pytest.approx((10 + 0.6 * 20) / 1.6, rel=1e-4)


def test_a_class_that_training_lacks_gets_no_chance_but_has_its_column(numbers):
    features, signal = numbers
    labels = np.where(signal > 0, 2.0, 0.0)
    for fit in (fit_linear, fit_neighbours, fit_constant):
        predicted = fit(sets_of(THREE, features, labels)).predict(features[120:])
        assert predicted.shape == (30, 3)
        np.testing.assert_allclose(predicted.sum(axis=1), 1)
        assert (predicted[:, 1] == 0).all()


def test_constant_is_the_share_of_the_classes_or_the_mean(numbers):
    features, signal = numbers
    labels = np.zeros(150)
    labels[:30] = 1
    shares = fit_constant(sets_of(BINARY, features, labels)).predict(features[:2])
    np.testing.assert_allclose(shares, [[2 / 3, 1 / 3]] * 2)
    mean = fit_constant(sets_of(VALUE, features, signal)).predict(features[:2])
    np.testing.assert_allclose(mean, [signal[:90].mean()] * 2)


def test_one_class_in_training_or_validation_is_no_error(numbers):
    features, signal = numbers
    labels = np.zeros(150)
    labels[120:] = 1
    predicted = fit_linear(sets_of(BINARY, features, labels)).predict(features)
    np.testing.assert_allclose(predicted, both(np.zeros(150)))
    mixed = (signal > 0).astype(float)
    mixed[90:120] = 1  # no ROC-AUC on validation
    assert fit_linear(sets_of(BINARY, features, mixed)).predict(features).shape == (150, 2)
    empty = Sets(BINARY, (features[:90], mixed[:90]), (features[:0], mixed[:0]))
    assert fit_linear(empty).setting == f"C {STRENGTHS[len(STRENGTHS) // 2]:g}"
