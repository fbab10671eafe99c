"""Similarities against RDKit, and the join against a comparison of every pair."""

import numpy as np
import pytest
from negatives_fakes import CountStore
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator

from molclip.training.features import FeatureStore
from molclip.training.tanimoto import count_sets, similar_pairs, similarity

SMILES = (
    "CCO",
    "CCCCCCCCCCCCO",
    "CC(=O)[O-]",
    "C[C@H](N)C(=O)O",
    "C[C@@H](N)C(=O)O",
    "c1ccccc1C(=O)NC",
    "[Na+].[Cl-]",
    "CC(C)Cc1ccc(cc1)C(C)C(=O)O",
)


def test_similarities_are_those_of_rdkit(tmp_path):
    store = FeatureStore(tmp_path, workers=1)
    sets = count_sets(store, store.rows(SMILES))
    generator = rdFingerprintGenerator.GetMorganGenerator(
        radius=3, fpSize=4096, includeChirality=True
    )
    prints = [generator.GetCountFingerprint(Chem.MolFromSmiles(text)) for text in SMILES]
    i, j = np.indices((len(SMILES), len(SMILES))).reshape(2, -1)
    expected = [
        DataStructs.TanimotoSimilarity(prints[a], prints[b]) for a, b in zip(i, j, strict=True)
    ]
    np.testing.assert_allclose(similarity(sets, sets, i, j), expected, atol=1e-9)


def brute_force(first, second, threshold):
    low = np.minimum(first[:, None], second[None]).sum(axis=2, dtype=int)
    high = np.maximum(first[:, None], second[None]).sum(axis=2, dtype=int)
    # In whole numbers: a threshold of 0.8 is 4/5, not the float next to it.
    return {
        (int(i), int(j))
        for i, j in np.argwhere(low * 100 >= round(threshold * 100) * high)
        if high[i, j]
    }


def mutated(rng, count):
    """Count rows in families: copies of a few rows with one to six counts changed."""
    base = rng.poisson(0.6, (12, 60)).astype(np.uint8)
    rows = base[rng.integers(0, len(base), count)]
    for row in rows:
        for column in rng.integers(0, 60, rng.integers(0, 7)):
            row[column] = rng.integers(0, 4)
    rows[0] = 0
    return rows


@pytest.mark.parametrize("threshold", [0.05, 0.5, 0.8, 0.95, 1.0])
def test_the_join_finds_what_a_comparison_of_every_pair_finds(threshold):
    rng = np.random.default_rng(round(100 * threshold))
    first, second = mutated(rng, 90), mutated(rng, 120)
    second[5:9] = first[10:14]
    sets = (
        count_sets(CountStore(first), np.arange(90)),
        count_sets(CountStore(second), np.arange(120)),
    )
    i, j = similar_pairs(*sets, threshold)
    found = list(zip(i.tolist(), j.tolist(), strict=True))
    expected = brute_force(first, second, threshold)
    assert set(found) == expected
    assert len(found) == len(expected) > 3
    i, j = similar_pairs(sets[0], sets[0], threshold)
    assert set(zip(i.tolist(), j.tolist(), strict=True)) == brute_force(first, first, threshold)


def test_a_pair_right_at_the_threshold_counts():
    # 19 of 20 shared; one more count on one side makes it 19 of 21.
    first = np.zeros((70, 3), dtype=np.uint8)
    second = np.zeros((70, 3), dtype=np.uint8)
    first[3], second[4], second[5] = [19, 0, 0], [19, 1, 0], [19, 1, 1]
    sets = [count_sets(CountStore(rows), np.arange(70)) for rows in (first, second)]
    i, j = similar_pairs(*sets, 0.95)
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == [(3, 4)]


def test_counts_up_to_the_highest_are_kept():
    rows = np.array([[255, 0], [254, 0], [255, 255]], dtype=np.uint8)
    sets = count_sets(CountStore(rows), np.arange(3))
    assert sets.sizes.tolist() == [255, 254, 510]
    np.testing.assert_allclose(
        similarity(sets, sets, np.array([0, 0]), np.array([1, 2])), [254 / 255, 0.5]
    )
