"""Figures of labels against scikit-learn, closed forms and cases worked out by hand."""

import numpy as np
import pytest

from molclip.evaluation.zero_shot.scores import (
    enrichment,
    label_figures,
    macro,
    resample,
    top_k,
    weighted_figures,
)

metrics = pytest.importorskip("sklearn.metrics")


def _tied(seed, size=60):
    rng = np.random.default_rng(seed)
    return rng.random(size) < 0.3, rng.integers(0, 8, size).astype(np.float32)


@pytest.mark.parametrize("seed", range(5))
def test_weighted_figures_equal_scikit_learn_under_ties(seed):
    truth, scores = _tied(seed)
    weights = np.random.default_rng(seed + 100).integers(0, 4, (7, len(truth)))
    auroc, precision = weighted_figures(truth, scores, weights)
    for row, drawn in enumerate(weights):
        expected = metrics.roc_auc_score(truth, scores, sample_weight=drawn)
        assert auroc[row] == pytest.approx(expected, abs=1e-12)
        expected = metrics.average_precision_score(truth, scores, sample_weight=drawn)
        assert precision[row] == pytest.approx(expected, abs=1e-12)


def test_a_sample_without_positives_or_without_negatives_has_no_figure():
    truth = np.array([True, False, False])
    weights = np.array([[0, 2, 1], [3, 0, 0], [1, 1, 1]])
    auroc, precision = weighted_figures(truth, np.array([0.9, 0.5, 0.1]), weights)
    assert np.isnan(auroc[:2]).all()
    assert np.isnan(precision[:2]).all()
    assert auroc[2] == precision[2] == 1.0


def test_auroc_is_the_share_of_pairs_in_order():
    truth = np.array([[1, 0], [0, 1], [1, 0], [0, 0]], dtype=bool)
    scores = np.array([[0.9, 0.1], [0.8, 0.4], [0.3, 0.4], [0.1, 0.2]])
    figures = label_figures(truth, scores)
    # First label: pairs (0.9 > 0.8, 0.9 > 0.1, 0.3 < 0.8, 0.3 > 0.1); second: one tie of three.
    assert figures.auroc.tolist() == [0.75, pytest.approx(2.5 / 3)]
    # Positives of the first at ranks 1 and 3: (1 + 2/3) / 2.
    assert figures.average_precision[0] == pytest.approx((1 + 2 / 3) / 2)
    assert figures.positives.tolist() == [2, 1]


def test_a_label_of_all_or_none_is_refused():
    with pytest.raises(ValueError, match="all or none"):
        label_figures(np.ones((3, 1), dtype=bool), np.zeros((3, 1)))


def test_enrichment_counts_the_first_percent():
    truth = np.zeros(200, dtype=bool)
    truth[:4] = True
    scores = -np.arange(200.0)
    # Both of the first two are positives, where 2 % would be by chance.
    assert enrichment(truth, scores) == pytest.approx(50.0)
    assert enrichment(truth, -scores) == 0.0
    # All tied: exactly chance.
    assert enrichment(truth, np.zeros(200)) == pytest.approx(1.0)
    # One above, then three tied for the second place, one of them positive: 1 + 1/3 of 2.
    scores = np.full(200, -1.0)
    scores[[0, 1, 100, 101]] = [5, 3, 3, 3]
    assert enrichment(truth, scores) == pytest.approx((4 / 3) / 2 / 0.02)


def test_top_k_takes_the_best_of_several_labels_and_ties_against_the_model():
    truth = np.array([[1, 0, 0], [0, 1, 1], [0, 0, 0], [1, 0, 0]], dtype=bool)
    scores = np.array([[0.9, 0.5, 0.1], [0.9, 0.1, 0.5], [0, 0, 1], [0.5, 0.5, 0.1]])
    # Row 0 right at once, row 1 by its second label, row 2 has none, row 3 is tied.
    assert top_k(truth, scores, (1, 2)) == {"top_1": pytest.approx(1 / 3), "top_2": 1.0}


def test_resamples_draw_as_many_as_there_are_and_repeat_by_seed():
    drawn = resample(50, 20, seed=3)
    assert drawn.shape == (20, 50)
    assert (drawn.sum(axis=1) == 50).all()
    assert (drawn == resample(50, 20, seed=3)).all()
    assert (drawn != resample(50, 20, seed=4)).any()


def test_macro_interval_covers_the_standard_error_of_auroc():
    # Two normal classes one standard deviation apart: AUROC is 0.760, and its standard error by
    # Hanley and McNeil (1982) with 200 and 200 is 0.0238.
    rng = np.random.default_rng(0)
    truth = (np.arange(400) < 200)[:, None]
    scores = (rng.normal(size=400) + truth[:, 0])[:, None]
    result = macro(truth, scores, label_figures(truth, scores), resample(400, 1000))
    low, high = result.auroc_interval
    assert low < 0.760 < high
    assert (high - low) / (2 * 1.96) == pytest.approx(0.0238, rel=0.15)
    assert result.auroc == pytest.approx(metrics.roc_auc_score(truth[:, 0], scores[:, 0]))
