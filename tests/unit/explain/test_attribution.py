"""Sums and rank correlation."""

import numpy as np
import pytest

from molclip.explain.attribution import Attribution, rank_correlation


def test_rank_correlation_is_that_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    rng = np.random.default_rng(0)
    for size in (3, 10, 200):
        one, other = rng.integers(0, 6, size), rng.normal(size=size)  # with ties and without
        assert rank_correlation(one, other) == pytest.approx(stats.spearmanr(one, other)[0])


def test_rank_correlation_by_hand():
    assert rank_correlation([1, 2, 30], [5, 6, 7]) == pytest.approx(1)
    assert rank_correlation([1, 2, 30], [7, 6, 5]) == pytest.approx(-1)
    assert rank_correlation([1, 2], [1, 2]) is None
    assert rank_correlation([1, 1, 1], [1, 2, 3]) is None


def test_what_sums_miss_is_told():
    found = Attribution(None, np.array([0.25, 0.25]), 0.75, 0.125, {"shape": 0.0625})
    assert found.difference == 0.625
    assert found.error == 0.5 + 0.0625 - 0.625
    assert found.agreement is None
    assert Attribution(np.array([1.0]), None, 0.5).error is None
