"""What two structures share, against what a chemist sees in them."""

import pytest
from rdkit import Chem

from molclip.chem.difference import _patterns, difference

IBUPROFEN = "CC(C)Cc1ccc(cc1)C(C)C(=O)O"
NITRILE = "CC(C)Cc1ccc(cc1)C(C)C#N"


def _mol(smiles):
    return Chem.MolFromSmiles(smiles)


def test_what_only_one_has():
    found = difference(_mol(IBUPROFEN), _mol(NITRILE))
    # The carboxyl oxygens here, the nitrogen there; both have the carbon between.
    assert found.first_only == (13, 14)
    assert found.second_only == (13,)
    assert len(found.common) == 13
    assert found.first_groups == (("carboxylic acid", 1),)
    assert found.second_groups == (("nitrile", 1),)
    assert found.remarks == ()


def test_common_atoms_are_of_the_same_element():
    first, second = _mol("OCCNc1ccccc1Cl"), _mol("Clc1ccccc1NCCO")
    found = difference(first, second)
    assert found.first_only == found.second_only == ()
    for one, other in found.common:
        assert first.GetAtomWithIdx(one).GetSymbol() == second.GetAtomWithIdx(other).GetSymbol()


def test_stereo_charge_and_isotopes_are_told():
    alanines = difference(_mol("C[C@H](N)C(=O)O"), _mol("C[C@@H](N)C(=O)O"))
    assert alanines.first_only == alanines.second_only == ()
    assert alanines.remarks == ("the same atoms and bonds; only the arrangement in space differs",)
    acids = difference(_mol("CC(=O)[O-]"), _mol("CC(=O)O"))
    assert acids.remarks == ("charge: -1 here, none there",)
    assert acids.first_groups == acids.second_groups == ()
    heavy = difference(_mol("[13CH3]O"), _mol("CO"))
    assert "isotopes" in heavy.remarks[0]
    assert difference(_mol("CCO"), _mol("OCC")).remarks == ()


def test_nothing_in_common():
    found = difference(_mol("[Na+].[Cl-]"), _mol("C"))
    assert found.common == ()
    assert found.first_only == (0, 1)
    assert found.second_only == (0,)


@pytest.mark.parametrize(
    ("smiles", "group", "count"),
    [
        ("CC(=O)Oc1ccccc1C(=O)O", "carboxylic acid", 1),
        ("CC(=O)Oc1ccccc1C(=O)O", "ester", 1),
        ("CC(=O)Oc1ccccc1C(=O)O", "phenol", 0),
        ("O=C1CCCCO1", "lactone", 1),
        ("O=C1CCCCO1", "ester", 0),
        ("CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O", "beta-lactam", 1),
        ("CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O", "amide", 1),
        ("CN1CCCC1", "amine", 1),
        ("CC(=O)NC", "amine", 0),
        ("CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "imidazole ring", 1),
        ("NC(=N)N", "guanidine", 1),
        ("NC(N)=O", "urea", 1),
        ("Nc1ccc(cc1)S(N)(=O)=O", "sulfonamide", 1),
        ("OC(=O)CP(O)(O)=O", "phosphate or phosphonate", 1),
        ("ClC(Cl)(Cl)Cl", "chlorine", 4),
        ("C=CC=C", "carbon-carbon double bond", 2),
        ("CCN(CC)CC", "amine", 1),
        ("COc1ccccc1", "ether", 1),
        ("OCC(O)CO", "alcohol", 3),
        ("Oc1ccccc1", "alcohol", 0),
    ],
)
def test_groups(smiles, group, count):
    assert len(_mol(smiles).GetSubstructMatches(_patterns()[group])) == count
