"""The temperature study, against the statistics of random directions."""

import math

import numpy as np
import pytest
from scipy.special import softmax
from scipy.stats import entropy

from molclip.evaluation.negatives import hardness
from molclip.evaluation.temperature import negatives_at, temperature_study


def test_cosines_of_random_directions_spread_by_one_over_root_d():
    study = temperature_study()
    assert [spread.dimension for spread in study.spreads] == [32, 128, 512]
    for spread in study.spreads:
        assert spread.expected == pytest.approx(1 / math.sqrt(spread.dimension))
        assert spread.measured == pytest.approx(spread.expected, rel=0.01)


def test_entropy_follows_its_closed_form_while_the_ratio_is_small():
    study = temperature_study()
    checked = 0
    for point in study.points:
        ratio = 1 / (point.temperature * math.sqrt(point.dimension))
        if ratio < 1:
            expected = math.log(1024) - ratio**2 / 2
            assert point.entropy == pytest.approx(expected, abs=0.02)
            checked += 1
    assert checked > 10


def test_a_low_temperature_leaves_the_nearest_alone_the_sooner_the_fewer_dimensions():
    points = {(p.dimension, p.temperature): p for p in temperature_study().points}
    assert points[32, 0.005].top > 0.9
    assert points[32, 0.005].effective < 1.5
    for temperature in (0.005, 0.02, 0.07, 0.2):
        tops = [points[d, temperature].top for d in (32, 128, 512)]
        assert tops == sorted(tops, reverse=True)
    # The same ratio of temperature to 1/√D gives the same softmax, here 0.1·√128 and 0.05·√512.
    assert points[128, 0.1].entropy == pytest.approx(points[512, 0.05].entropy, abs=0.02)


def test_a_point_is_the_mean_over_queries_that_scipy_gives():
    study = temperature_study((8,), (0.3,), candidates=20, queries=5, seed=4)
    rng = np.random.default_rng(4)
    asked, known = rng.normal(size=(5, 8)), rng.normal(size=(20, 8))
    asked /= np.linalg.norm(asked, axis=1)[:, None]
    known /= np.linalg.norm(known, axis=1)[:, None]
    weights = softmax(asked @ known.T / 0.3, axis=1)
    (point,) = study.points
    assert point.entropy == pytest.approx(entropy(weights, axis=1).mean())
    assert point.top == pytest.approx(weights.max(axis=1).mean())
    assert study.to_dict()["points"][0]["dimension"] == 8


def test_negatives_of_a_model_at_several_temperatures():
    scores = np.random.default_rng(0).uniform(-1, 1, (30, 30))
    cold, warm = negatives_at(scores, (0.01, 1.0))
    assert cold.hardest == hardness(scores, 100.0).hardest
    assert warm.effective == hardness(scores, 1.0).effective
    assert cold.hardest > warm.hardest
