"""Features by hand: widths, counts, chains, and structures that must differ."""

import numpy as np
import pytest
from rdkit import Chem

from molclip.chem.features import BLOCKS, WIDTH, featurize, golden_hash

SHAPE = sum(width for name, width in BLOCKS.items() if name not in ("shape", "ladder"))
ELEMENTS = SHAPE - BLOCKS["elements"]
LADDER = SHAPE + BLOCKS["shape"]


def row(smiles):
    return featurize(Chem.MolFromSmiles(smiles))


def test_shape_and_type():
    assert row("CCO").shape == (WIDTH,)
    assert row("CCO").dtype == np.uint8


def test_elements_are_counted():
    elements = row("CC(=O)Oc1ccccc1C(=O)O")[ELEMENTS:SHAPE]
    assert elements[6] == 9
    assert elements[8] == 4
    assert elements.sum() == 13


@pytest.mark.parametrize(
    ("smiles", "chain"),
    [
        ("CCCCCCCCCCCCCCCCCC(=O)O", 18),
        ("CC(C)CC", 4),
        ("C1CCCCC1", 1),
        ("CCCC1CCCCC1", 4),
        ("[Na+]", 0),
        ("CCOCCC", 3),
    ],
)
def test_longest_carbon_chain(smiles, chain):
    ladder = row(smiles)[LADDER + 64 : LADDER + 104]
    assert ladder.sum() == 1
    assert ladder[chain] == 1


def test_charges_and_fragments():
    shape = row("[NH3+]CC(=O)[O-]")[SHAPE:LADDER]
    assert shape[:5].tolist() == [0, 0, 1, 1, 1]
    shape = row("[Na+].[Na+].[O-]S(=O)(=O)[O-]")[SHAPE:LADDER]
    assert shape[:5].tolist() == [0, 0, 2, 2, 3]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[125Te]", "[Te]"),
        ("CC(=O)O", "CC(=O)[O-]"),
        ("CC(=O)[C@H](C)O", "CC(=O)[C@@H](C)O"),
        ("OC(=O)/C=C/C(O)=O", r"OC(=O)/C=C\C(O)=O"),
        ("C" * 17 + "C(=O)O", "C" * 18 + "C(=O)O"),
        ("[2H]C([2H])([2H])O", "CO"),
        ("CC.CC", "CCCC"),
    ],
)
def test_near_relatives_differ(one, other):
    assert (row(one) != row(other)).any()


def test_the_writing_of_a_molecule_makes_no_difference():
    mol = Chem.MolFromSmiles("COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1")
    for seed in range(5):
        text = Chem.MolToRandomSmilesVect(mol, 1, randomSeed=seed)[0]
        np.testing.assert_array_equal(row(text), featurize(mol))


def test_large_counts_stay_at_255():
    elements = row("C" * 400)[ELEMENTS:SHAPE]
    assert elements[6] == 255


def test_the_golden_hash_is_stable_in_one_process():
    assert golden_hash() == golden_hash()
    assert len(golden_hash()) == 16
