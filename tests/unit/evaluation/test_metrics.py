"""Figures and their intervals against closed forms."""

import math

import numpy as np
import pytest

from molclip.evaluation.metrics import bootstrap, figures, paired_bootstrap
from molclip.evaluation.ranks import Ranks


def _ranks(higher, pool=1000):
    count = len(higher)
    return Ranks(np.array(higher), np.zeros(count, np.int64), np.zeros(count, bool), pool)


def test_interval_of_hits_is_that_of_a_binomial():
    # 400 queries, 30 % hits: the bootstrap of a share has the binomial's standard deviation.
    ranks = _ranks([0] * 120 + [500] * 280)
    low, high = bootstrap(ranks, samples=4000)["hits@1"]
    spread = 1.96 * math.sqrt(0.3 * 0.7 / 400)
    assert low == pytest.approx(0.3 - spread, abs=0.004)
    assert high == pytest.approx(0.3 + spread, abs=0.004)


def test_paired_difference_has_the_spread_of_the_pairs_not_of_the_models():
    # 1,000 queries. Both models hit 500 of them; the second hits 40 more and misses 10 of those.
    first = _ranks([0] * 500 + [9] * 500)
    second = _ranks([9] * 10 + [0] * 490 + [0] * 40 + [9] * 460)
    found = paired_bootstrap(first, second, samples=4000)["hits@1"]
    assert found.value == pytest.approx(0.03)
    # Differences of one query are +1 (40), -1 (10), 0 (950).
    variance = (40 + 10) / 1000 - 0.03**2
    spread = 1.96 * math.sqrt(variance / 1000)
    assert found.low == pytest.approx(0.03 - spread, abs=0.002)
    assert found.high == pytest.approx(0.03 + spread, abs=0.002)
    assert found.p < 0.01
    # Unpaired, each share alone would spread by 0.031.
    assert found.high - found.low < 0.03


def test_paired_difference_of_a_model_and_itself_is_nothing():
    ranks = _ranks([0, 3, 20, 7])
    for difference in paired_bootstrap(ranks, ranks, samples=200).values():
        assert (difference.value, difference.low, difference.high) == (0, 0, 0)
        assert difference.p == 1


def test_paired_difference_of_mean_rank_has_its_sign():
    worse = paired_bootstrap(_ranks([0, 0, 0]), _ranks([4, 4, 4]), samples=100)
    assert (worse["mean_rank"].value, worse["mean_rank"].low) == (4, 4)
    assert worse["mrr"].value == pytest.approx(1 / 5 - 1)
    assert figures(_ranks([4, 4, 4]))["mean_rank"] == 5


def test_unequal_queries_cannot_be_paired():
    with pytest.raises(ValueError, match="3 and 2 queries"):
        paired_bootstrap(_ranks([0, 0, 0]), _ranks([0, 0]))
