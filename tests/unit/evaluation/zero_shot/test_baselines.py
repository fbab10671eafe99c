"""The supervised reference and the nearest neighbour on molecules made for it."""

import numpy as np
import pytest
from rdkit import Chem, DataStructs
from rdkit.Chem import rdFingerprintGenerator

from molclip.chem.features import WIDTH, featurize
from molclip.evaluation.feature_table import FeatureTable
from molclip.evaluation.zero_shot import baselines

pytest.importorskip("sklearn")

ALCOHOLS = ["CO", "CCO", "CCCO", "CC(C)O", "CCCCO", "OCC=C", "OCC#C", "OC1CCCC1"]
AMINES = ["CN", "CCN", "CCCN", "CC(C)N", "CCCCN", "NCC=C", "NCC#C", "NC1CCCC1"]
NEW = ["CCCCCO", "CCCCCN", "OC1CCCCC1", "NC1CCCCC1"]


def _table(smiles):
    return FeatureTable.collect((featurize(Chem.MolFromSmiles(s)) for s in smiles), WIDTH)


def _truth(smiles):
    return np.array([["O" in s, "N" in s] for s in smiles])


def _quiet(*_):
    pass


def test_nearest_neighbour_is_rdkits_tanimoto_to_the_nearest_with_the_label():
    old = ALCOHOLS + AMINES
    truth = np.column_stack([_truth(old), np.zeros(len(old), dtype=bool)])
    scores = baselines.nearest(_table(NEW), _table(old), truth, _quiet)
    make = rdFingerprintGenerator.GetMorganGenerator(radius=3, fpSize=4096, includeChirality=True)
    bits = {s: make.GetFingerprint(Chem.MolFromSmiles(s)) for s in NEW + old}
    for row, new in enumerate(NEW):
        for column, group in enumerate((ALCOHOLS, AMINES)):
            best = max(DataStructs.TanimotoSimilarity(bits[new], bits[s]) for s in group)
            assert scores[row, column] == pytest.approx(best, abs=1e-6)
    # A label that nothing was trained on.
    assert (scores[:, 2] == 0).all()


def test_regression_separates_what_one_atom_tells():
    old = ALCOHOLS + AMINES
    scores = baselines.supervised(_table(NEW), _truth(NEW), _table(old), _truth(old), _quiet)
    assert (scores[[0, 2], 0] > 0).all()
    assert (scores[[1, 3], 0] < 0).all()
    assert scores[:, 1] == pytest.approx(-scores[:, 0], abs=0.05)


def test_a_label_without_training_molecules_is_cross_validated():
    new = ALCOHOLS + AMINES
    truth = _truth(new)
    nothing = np.zeros((len(NEW), 2), dtype=bool)
    scores = baselines.supervised(_table(new), truth, _table(NEW), nothing, _quiet)
    assert scores[truth[:, 0], 0].min() > scores[~truth[:, 0], 0].max()
    # One positive cannot be in two folds.
    one = np.zeros((len(new), 1), dtype=bool)
    one[0] = True
    scores = baselines.supervised(_table(new), one, _table(NEW), nothing[:, :1], _quiet)
    assert (scores == 0).all()


def test_large_classes_are_drawn_from_and_small_ones_kept_whole(monkeypatch):
    monkeypatch.setattr(baselines, "MOST_POSITIVE", 10)
    monkeypatch.setattr(baselines, "MOST_NEGATIVE", 20)
    labels = np.arange(100) < 50
    rows = baselines._drawn(labels, 0)
    assert labels[rows].sum() == 10
    assert len(rows) == len(set(rows.tolist())) == 30
    few = np.arange(100) < 4
    assert set(range(4)) <= set(baselines._drawn(few, 0).tolist())


def test_scores_are_kept_on_disk_and_depend_on_the_labels(tmp_path, monkeypatch):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    old = ALCOHOLS + AMINES
    arguments = [_table(NEW), _truth(NEW), _table(old), _truth(old), ("test",)]
    first = baselines.reference_scores(*arguments, _quiet)
    again = baselines.reference_scores(*arguments, lambda *_: pytest.fail("not from disk"))
    assert set(first) == {baselines.SUPERVISED, baselines.NEIGHBOUR}
    for name, scores in first.items():
        assert (again[name] == scores).all()
    arguments[3] = ~arguments[3]
    other = baselines.reference_scores(*arguments, _quiet)
    assert (other[baselines.NEIGHBOUR] != first[baselines.NEIGHBOUR]).any()
