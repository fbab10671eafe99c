"""Each step does its chemistry, and nothing else."""

import pytest
from rdkit import Chem

from molclip.chem.molecule import Molecule
from molclip.chem.parse import parse_molecule
from molclip.chem.standardize import standardize
from molclip.errors import InputError


@pytest.mark.parametrize(
    ("before", "light", "parent"),
    [
        ("[CH3:1][OH:2]", "CO", "CO"),
        ("[Na]OC(C)=O", "[Na+].CC(=O)[O-]", "CC(=O)O"),
        ("[Ca](Cl)Cl", "[Ca+2].[Cl-].[Cl-]", None),
        ("C[S+](C)[O-]", "CS(C)=O", "CS(C)=O"),
        ("C[S+2]([O-])([O-])C", "CS(C)(=O)=O", "CS(C)(=O)=O"),
        ("C[P+](C)(C)[O-]", "CP(C)(C)=O", "CP(C)(C)=O"),
        ("C[N-][N+]#N", "CN=[N+]=[N-]", "CN=[N+]=[N-]"),
        ("CN(=O)=O", "C[N+](=O)[O-]", "C[N+](=O)[O-]"),
        ("C[NH3+].[Cl-]", "C[NH3+].[Cl-]", "CN"),
        ("CC(=O)[O-].[Na+]", "CC(=O)[O-].[Na+]", "CC(=O)O"),
        ("[O-]C(=O)C[NH3+]", "[O-]C(=O)C[NH3+]", "OC(=O)CN"),
        ("C[N+](C)(C)CC(=O)[O-]", "C[N+](C)(C)CC(=O)[O-]", "C[N+](C)(C)CC(=O)[O-]"),
        ("C[N+](C)(C)C.[Br-]", "C[N+](C)(C)C.[Br-]", "C[N+](C)(C)C"),
        ("O.O.CCO", "O.O.CCO", "CCO"),
        ("[13CH3]C(=O)O", "[13CH3]C(=O)O", "[13CH3]C(=O)O"),
        ("Oc1ccccn1", "Oc1ccccn1", "Oc1ccccn1"),
        ("N[Pt](N)(Cl)Cl", "N[Pt](N)(Cl)Cl", "N[Pt](N)(Cl)Cl"),
        ("C[Mg]Br", "C[Mg]Br", "C[Mg]Br"),
    ],
)
def test_profiles(before, light, parent):
    parsed = parse_molecule(before)
    assert standardize(parsed, "none") is parsed
    assert standardize(parsed, "light").smiles == Chem.CanonSmiles(light)
    if parent is not None:
        assert standardize(parsed, "parent").smiles == Chem.CanonSmiles(parent)


@pytest.mark.parametrize(
    ("sulfoxide", "drawn_with_charges"),
    [("C[S@](=O)CC", "C[S@@+](CC)[O-]"), ("C[S@@](=O)CC", "C[S@+](CC)[O-]")],
)
def test_chiral_sulfoxide_keeps_its_hand(sulfoxide, drawn_with_charges):
    """Neighbours in the order C, O, CC in one and C, CC, O in the other: one swap, one hand."""
    found = standardize(parse_molecule(drawn_with_charges), "light")
    assert found.smiles == Chem.CanonSmiles(sulfoxide)


def test_steps_are_recorded():
    found = standardize(parse_molecule("[Na]OC(C)=O", row=4, id="x"), "parent")
    assert (found.row, found.id, found.input) == (4, "x", "[Na]OC(C)=O")
    assert found.steps == (
        "ionic metals: bonds turned into charges",
        "parent: kept CC(=O)[O-], left out [Na+]",
        "neutral: charge -1 to 0",
    )
    assert standardize(parse_molecule("CCO"), "parent").steps == ()


def test_stereo_group_survives():
    found = standardize(parse_molecule("C[C@H](N)C(=O)[O-].[Na+] |&1:1|"), "parent")
    assert found.cx_smiles == "C[C@H](N)C(=O)O |&1:1|"


def test_what_cannot_be_standardised_is_kept_and_said():
    ferrocene = parse_molecule("[Fe+2].c1cc[cH-]c1.c1cc[cH-]c1")
    found = standardize(ferrocene, "parent")
    assert found.smiles == ferrocene.smiles
    assert any("kept as written" in warning for warning in found.warnings)


def test_error_of_rdkit_does_not_get_out(monkeypatch):
    def fail(*_: object) -> None:
        raise RuntimeError("Digraph generation failed")

    monkeypatch.setattr("molclip.chem.standardize.Chem.MolToSmiles", fail)
    molecule = Molecule(row=1, id=None, name=None, input="CCO", smiles="CCO")
    assert "Digraph generation failed" in standardize(molecule, "light").warnings[0]


def test_unknown_profile():
    with pytest.raises(InputError, match="'heavy'") as caught:
        standardize(parse_molecule("C"), "heavy")
    assert "none, light, parent" in caught.value.hint
