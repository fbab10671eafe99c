"""Figures of representations, against closed forms and scipy."""

import math

import numpy as np
import pytest
from scipy.spatial.distance import pdist
from scipy.special import hyp0f1
from scipy.stats import entropy, skew
from sklearn.neighbors import NearestNeighbors

from molclip.evaluation import representation as rep


def sphere(rows, dimension, seed=0):
    x = np.random.default_rng(seed).normal(size=(rows, dimension))
    return x / np.linalg.norm(x, axis=1, keepdims=True)


def test_alignment_of_equal_orthogonal_and_opposite_partners():
    eye = np.eye(4)
    assert rep.alignment(eye, eye) == 0
    assert rep.alignment(eye, np.roll(eye, 1, axis=0)) == pytest.approx(2)
    assert rep.alignment(eye, -eye) == pytest.approx(4)
    assert rep.alignment(eye, np.roll(eye, 1, axis=0), alpha=1) == pytest.approx(math.sqrt(2))


def test_uniformity_of_one_point_and_of_an_orthonormal_set():
    assert rep.uniformity(np.tile(np.eye(3)[:1], (9, 1))) == 0
    # Any two of them are √2 apart.
    assert rep.uniformity(np.eye(6)) == pytest.approx(-4)
    assert rep.uniformity(np.eye(6), t=0.5) == pytest.approx(-1)


@pytest.mark.parametrize("dimension", [2, 3, 32])
def test_uniformity_of_a_uniform_sphere_has_its_closed_form(dimension):
    x = sphere(4000, dimension)
    expected = -4 + math.log(hyp0f1(dimension / 2, 4.0))
    assert rep.uniformity(x, sample=4000) == pytest.approx(expected, abs=0.02)


def test_uniformity_is_the_log_mean_of_pdist_and_its_sample_is_fixed():
    x = sphere(300, 8)
    expected = math.log(np.exp(-2 * pdist(x) ** 2).mean())
    assert rep.uniformity(x) == pytest.approx(expected)
    sampled = rep.uniformity(x, sample=100, seed=3)
    assert sampled == rep.uniformity(x, sample=100, seed=3)
    assert sampled != rep.uniformity(x, sample=100, seed=4)
    assert sampled == pytest.approx(expected, abs=0.2)


def test_effective_rank_of_orthonormal_equal_and_mixed_rows():
    assert rep.effective_rank(np.eye(5)) == pytest.approx(5)
    assert rep.effective_rank(np.tile(sphere(1, 7), (20, 1))) == pytest.approx(1)
    # Singular values 3, 2 and 1 whatever the rotations.
    left, _ = np.linalg.qr(np.random.default_rng(1).normal(size=(30, 3)))
    right, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(6, 6)))
    x = left @ np.diag([3.0, 2.0, 1.0]) @ right[:3]
    assert rep.effective_rank(x) == pytest.approx(math.exp(entropy([3, 2, 1])))
    assert rep.effective_rank(np.zeros((3, 3))) == 0


def test_collapsed_share_counts_dimensions_that_do_not_vary():
    x = sphere(500, 8)
    assert rep.collapsed_share(x) == 0
    flat = np.concatenate([x, np.zeros((500, 24))], axis=1)
    assert rep.collapsed_share(flat) == 0.75
    assert rep.collapsed_share(np.tile(x[:1], (9, 1))) == 1


def test_modality_gap_is_the_distance_of_the_means():
    eye = np.eye(4)
    assert rep.modality_gap(eye, eye) == 0
    assert rep.modality_gap(eye[:1], -eye[:1]) == pytest.approx(2)
    # Means (1/2, 1/2, 0, 0) and (0, 0, 1/2, 1/2).
    assert rep.modality_gap(eye[:2], eye[2:]) == pytest.approx(1)


def test_hubness_agrees_with_scikit_learn_and_scipy():
    queries, points = sphere(700, 10, 1), sphere(400, 10, 2)
    found = NearestNeighbors(n_neighbors=5).fit(points).kneighbors(queries)[1]
    counts = np.bincount(found.ravel(), minlength=400)
    hubs = rep.hubness(queries, points, k=5)
    assert hubs.skewness == pytest.approx(skew(counts))
    assert hubs.largest == counts.max()
    assert hubs.never == pytest.approx(np.mean(counts == 0))


def test_hubness_of_a_hub_and_of_a_fair_set():
    points = np.eye(4)
    assert rep.hubness(points, points, k=1) == rep.Hubness(1, 0.0, 1, 0.0)
    one = rep.hubness(np.tile(points[:1], (10, 1)), points, k=1)
    # One point of four has all: (3·(−2.5)³ + 7.5³)/4 over the cube of the deviation.
    assert one.skewness == pytest.approx((7.5**3 - 3 * 2.5**3) / 4 / (18.75**1.5))
    assert (one.largest, one.never) == (10, 0.75)


def test_hubness_of_points_among_themselves_leaves_each_out_of_its_own_list():
    points = sphere(1500, 6)
    found = NearestNeighbors(n_neighbors=4).fit(points).kneighbors()[1]
    counts = np.bincount(found.ravel(), minlength=1500)
    hubs = rep.hubness(points, points, k=4, without_self=True)
    assert (hubs.largest, hubs.never) == (counts.max(), np.mean(counts == 0))
    with pytest.raises(ValueError, match="k is 3"):
        rep.hubness(points[:3], points[:3], k=3, without_self=True)


def test_describe_joins_the_figures():
    text, molecule = sphere(50, 6, 1), sphere(50, 6, 2)
    found = rep.describe(text, molecule).to_dict()
    assert found["pairs"] == 50
    assert found["dimension"] == 6
    assert found["uniformity_molecule"] == rep.uniformity(molecule)
    assert found["effective_rank_text"] == rep.effective_rank(text)
    assert found["modality_gap"] == rep.modality_gap(text, molecule)


def test_wrong_vectors_are_refused():
    x = sphere(5, 3)
    with pytest.raises(ValueError, match="row 2 is no unit vector"):
        rep.modality_gap(x, x * np.array([1, 1, 1.5, 1, 1])[:, None])
    broken = x.copy()
    broken[3] = np.nan
    with pytest.raises(ValueError, match="row 3 holds a number that is not finite"):
        rep.uniformity(broken)
    with pytest.raises(ValueError, match="pairs of shapes"):
        rep.alignment(x, x[:4])
    with pytest.raises(ValueError, match="k is 9"):
        rep.hubness(x, x, k=9)
