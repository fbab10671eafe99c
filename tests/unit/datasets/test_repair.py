"""Structures read back from InChI get their hydrogens where a chemist draws them.

The wanted SMILES are those of PubChem or of textbooks, not the code's own output.
"""

import pytest
from molclip.data.repair import repaired
from rdkit import Chem

CASES = {
    "paracetamol": "CC(=O)Nc1ccc(O)cc1",
    "uracil": "O=c1cc[nH]c(=O)[nH]1",
    "thymine": "Cc1c[nH]c(=O)[nH]c1=O",
    "cytidine": "Nc1ccn([C@@H]2O[C@H](CO)[C@@H](O)[C@H]2O)c(=O)n1",
    "guanosine": "Nc1nc2c(ncn2[C@@H]2O[C@H](CO)[C@@H](O)[C@H]2O)c(=O)[nH]1",
    "glutathione": "N[C@@H](CCC(=O)N[C@@H](CS)C(=O)NCC(=O)O)C(=O)O",
    "penicillin G": "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
    "theophylline": "Cn1c(=O)c2[nH]cnc2n(C)c1=O",
    "2-pyridone": "O=c1cccc[nH]1",
    "urea": "NC(N)=O",
    "thiourea": "NC(N)=S",
    "phenobarbital": "CCC1(c2ccccc2)C(=O)NC(=O)NC1=O",
    "phthalimide": "O=C1NC(=O)c2ccccc21",
    "melamine": "Nc1nc(N)nc(N)n1",
    "2-thiouracil": "O=c1cc[nH]c(=S)[nH]1",
    "riboflavin": "Cc1cc2nc3c(=O)[nH]c(=O)nc-3n(C[C@H](O)[C@H](O)[C@H](O)CO)c2cc1C",
    "allopurinol": "O=c1[nH]cnc2[nH]ncc12",
}


@pytest.mark.parametrize("name", CASES)
def test_tautomer(name: str) -> None:
    wanted = Chem.MolFromSmiles(CASES[name])
    key = Chem.MolToInchiKey(wanted)
    read = Chem.MolFromInchi(Chem.MolToInchi(wanted))
    mended = repaired(read, key) or read
    assert Chem.MolToSmiles(mended) == Chem.MolToSmiles(wanted)


def test_there_is_something_to_mend() -> None:
    read = Chem.MolFromInchi(Chem.MolToInchi(Chem.MolFromSmiles(CASES["paracetamol"])))
    assert Chem.MolToSmiles(read) == "CC(O)=Nc1ccc(O)cc1"


@pytest.mark.parametrize(
    ("wanted", "zwitterion"),
    [
        ("[NH3+]CC(=O)[O-]", True),  # glycine zwitterion
        ("NCC(=O)O", False),  # glycine
        ("[NH3+][C@@H](CCC(=O)N[C@@H](CS)C(=O)NCC(=O)[O-])C(=O)[O-]", True),  # glutathionate(1-)
        ("CC(=O)N[C@@H](CCC(=O)[O-])C(=O)[O-]", True),  # N-acetyl-L-glutamate(2-)
        ("[NH3+][C@@H](CCC[NH+]=C(N)N)C(=O)[O-]", True),  # argininium(1+)
    ],
)
def test_charges_sit_on_acids_and_amines(wanted: str, zwitterion: bool) -> None:
    mol = Chem.MolFromSmiles(wanted)
    read = Chem.MolFromInchi(Chem.MolToInchi(mol))
    mended = repaired(read, Chem.MolToInchiKey(mol), zwitterion=zwitterion) or read
    assert Chem.MolToSmiles(mended) == Chem.MolToSmiles(mol)


def test_stereo_is_untouched_in_a_peptide() -> None:
    wanted = Chem.MolFromSmiles("C[C@H](N)C(=O)N[C@@H](C)C(=O)N[C@@H](C/C=C/C)C(N)=O")
    read = Chem.MolFromInchi(Chem.MolToInchi(wanted))
    mended = repaired(read, Chem.MolToInchiKey(wanted))
    assert Chem.MolToSmiles(mended) == Chem.MolToSmiles(wanted)


def test_nothing_is_kept_that_changes_the_inchikey() -> None:
    read = Chem.MolFromInchi(Chem.MolToInchi(Chem.MolFromSmiles(CASES["uracil"])))
    assert repaired(read, "AAAAAAAAAAAAAA-UHFFFAOYSA-N") is None


def test_carboxylic_acids_and_ketones_have_nothing_to_mend() -> None:
    for smiles in ("CC(=O)O", "CC(=O)CC(C)=O", "Oc1ccccc1"):
        mol = Chem.MolFromSmiles(smiles)
        assert repaired(mol, Chem.MolToInchiKey(mol)) is None


def test_amide_is_mended_where_a_longer_shift_would_change_the_inchikey() -> None:
    # The quinone methide would become a phenol: another molecule for InChI. The amide may not wait.
    wanted = Chem.MolFromSmiles("CC(=O)NN/C=C1\\C=CC(=O)C=C1")
    read = Chem.MolFromInchi(Chem.MolToInchi(wanted))
    assert "C(O)=N" in Chem.MolToSmiles(read)
    mended = repaired(read, Chem.MolToInchiKey(wanted))
    assert mended is not None
    assert Chem.MolToSmiles(mended) == Chem.MolToSmiles(wanted)
