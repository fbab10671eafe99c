"""Figures of reliability on cases worked out by hand."""

import numpy as np
import pytest

from molclip.evaluation.calibration.reliability import (
    Share,
    observed_below,
    percentile_error,
    two_fold_reliability,
)


def test_observed_shares_are_counted():
    values = np.array([0.1, 0.2, 0.2, 0.9])
    assert observed_below(values, np.array([0.05, 0.1, 0.2, 0.5, 0.95])).tolist() == [
        *(0.0, 0.25, 0.75, 0.75),
        1.0,
    ]


@pytest.mark.parametrize(
    ("values", "error"),
    [
        ((np.arange(10000) + 0.5) / 10000, 0.0),
        (np.full(50, 0.5), 0.25),  # the area between a step at one half and the diagonal
        (np.zeros(50), 0.5),
        (np.ones(50), 0.5),
        ((np.arange(10000) + 0.5) / 20000, 0.25),  # only the lower half: F(p) = min(2p, 1)
    ],
)
def test_percentile_error_is_the_area_to_the_diagonal(values, error):
    assert percentile_error(values) == pytest.approx(error, abs=0.006)


def test_wilson_interval():
    # Newcombe, Stat. Med. 1998, 17, 857, table I: 81 of 263 gives 0.2553 to 0.3662.
    share = Share.of([True] * 81 + [False] * 182)
    assert (share.value, share.number) == (pytest.approx(81 / 263), 263)
    assert share.low == pytest.approx(0.2553, abs=5e-5)
    assert share.high == pytest.approx(0.3662, abs=5e-5)
    assert Share.of([]).to_list() == [None, None, None, 0]
    assert Share.of([False] * 10).low == 0.0


def test_a_score_that_is_a_probability_is_reliable():
    random = np.random.default_rng(1)
    scores = random.random(40_000)
    right = random.random(40_000) < scores
    found = two_fold_reliability(scores, right)
    assert found.error < 0.02
    assert len(found.bins) == 20
    assert sum(item.weight for item in found.bins) == pytest.approx(1)
    middles = [item.observed for item in found.bins]
    assert middles[0] == pytest.approx(0.05, abs=0.02)
    assert middles[-1] == pytest.approx(0.95, abs=0.02)


def test_weights_count_cases():
    scores = np.concatenate([np.linspace(0, 0.1, 4000), np.linspace(0.9, 1, 4000)])
    right = np.array(([True] + [False] * 3) * 1000 + [True] * 4000)
    # A quarter of the low scores is right; with three times their weight, half of what weighs.
    weights = np.where(right & (scores < 0.5), 3.0, 1.0)
    plain = two_fold_reliability(scores, right, bins=2)
    heavy = two_fold_reliability(scores, right, weights, bins=2)
    assert np.mean([item.observed for item in plain.bins[:2]]) == pytest.approx(0.25, abs=0.04)
    assert np.mean([item.observed for item in heavy.bins[:2]]) == pytest.approx(0.5, abs=0.04)
    with pytest.raises(ValueError, match="too few"):
        two_fold_reliability(scores[:30], right[:30], bins=10)
