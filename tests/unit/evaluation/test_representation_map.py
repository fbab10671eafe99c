"""The 2D map: PCA and t-SNE against scikit-learn, and the colours."""

import numpy as np
import pytest
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_score

from molclip.evaluation.representation_map import OTHER, class_groups, pca, tsne


def test_pca_agrees_with_scikit_learn_up_to_signs():
    x = np.random.default_rng(0).normal(size=(60, 9)) * np.arange(1, 10)
    points, shares = pca(x, 3)
    reference = PCA(3).fit(x)
    assert np.abs(points) == pytest.approx(np.abs(reference.transform(x)))
    assert shares == pytest.approx(reference.explained_variance_ratio_)
    flat, none = pca(np.ones((4, 3)))
    assert (flat == 0).all()
    assert (none == 0).all()


def test_tsne_keeps_clusters_and_its_seed():
    rng = np.random.default_rng(0)
    centres = rng.normal(size=(3, 20))
    labels = np.repeat([0, 1, 2], 15)
    x = centres[labels] + 0.05 * rng.normal(size=(45, 20))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    points = tsne(x, seed=1)
    assert points.shape == (45, 2)
    assert silhouette_score(points, labels) > 0.7
    assert (tsne(x, seed=1) == points).all()


def test_groups_are_frequent_classes_that_are_not_too_broad():
    everything = {"A"}
    classes = [frozenset(everything | {"L", "F"})] * 4 + [frozenset(everything | {"S"})] * 3
    classes += [frozenset(everything | {"L"}), frozenset(everything | {"R"})]
    classes += [frozenset(everything)] * 11
    groups = class_groups(classes, {"L": "lipid", "F": "fat", "S": "steroid", "R": "rare"}.get)
    # A is of all twenty, L of five, F of four of those, S of three, R of one (5 %).
    assert groups == ["lipid"] * 4 + ["steroid"] * 3 + ["lipid", "rare"] + [OTHER] * 11
    two = class_groups(classes, str, most=2, ignore=frozenset("L"))
    assert two == ["F"] * 4 + ["S"] * 3 + [OTHER] * 13


def test_of_classes_with_the_same_molecules_left_the_narrowest_gives_the_name():
    classes = [frozenset("WN")] * 3 + [frozenset("MW")] + [frozenset("M")] * 5 + [frozenset()] * 21
    # M has six. Of the others W and N both have three, and W one more that M took.
    assert class_groups(classes, str) == ["N"] * 3 + ["M"] * 6 + [OTHER] * 21
