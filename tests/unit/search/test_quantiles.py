"""Quantiles of a distribution and the way back."""

import numpy as np
import pytest

from molclip.search.quantiles import STEPS, percentile, quantiles, value_at


def test_there_and_back_on_a_straight_line():
    known = quantiles(np.arange(1001.0))
    assert len(known) == len(STEPS)
    assert value_at(known, 1) == pytest.approx(10)
    assert value_at(known, 99.25) == pytest.approx(992.5)
    assert percentile(known, 250.0) == pytest.approx(25)
    assert (percentile(known, -1.0), percentile(known, 2000.0)) == (0.0, 100.0)


def test_a_value_that_half_of_all_have_counts_by_what_is_below():
    known = quantiles(np.array([1.0] * 50 + [2.0] * 50))
    assert percentile(known, 1.0) == 0.0
    assert percentile(known, 2.0) == pytest.approx(50, abs=1)  # 100 values are a coarse staircase
