"""Every molecule of tests/cases/molecules.tsv behaves as its last column says."""

import csv
from pathlib import Path

import pytest
from rdkit import Chem

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.chem.sniff import interpret
from molclip.chem.standardize import PROFILES, standardize

FILE = Path(__file__).parents[2] / "cases" / "molecules.tsv"
with FILE.open(encoding="utf-8", newline="") as stream:
    CASES = {
        case["id"]: case["input"]
        for case in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
    }


def molecule(case: str) -> Molecule:
    parsed = parse_molecule(CASES[case])
    assert isinstance(parsed, Molecule), parsed
    return parsed


def failure(case: str) -> ParseFailure:
    parsed = parse_molecule(CASES[case], row=7, id="A7", file="some.csv")
    assert isinstance(parsed, ParseFailure), parsed
    assert (parsed.file, parsed.row, parsed.id, parsed.input) == (
        "some.csv",
        7,
        "A7",
        CASES[case],
    )
    return parsed


def test_the_file_is_the_one_these_tests_know():
    assert len(CASES) == 31


@pytest.mark.parametrize(
    ("case", "nitrogen", "atoms"),
    [("kekulize-imidazole", "3", 5), ("kekulize-indole", "6", 9)],
)
def test_kekulization_names_ring_atoms_and_the_missing_hydrogen(case, nitrogen, atoms):
    found = failure(case)
    assert "cannot be kekulized" in found.reason
    assert f"{nitrogen} (n)" in found.reason
    assert f"{atoms} (" in found.reason
    assert "[nH]" in found.hint
    assert f"atom {nitrogen}" in found.hint
    example = found.hint.rsplit("for example ", 1)[1].rstrip(".")
    assert Chem.MolFromSmiles(example).GetNumAtoms() == atoms


def test_strained_arene_fails_alone():
    found = failure("strained-arene")
    assert "ring atoms 1 (c), 2 (c), 3 (c)" in found.reason
    assert "[nH]" not in found.hint


def test_radical_is_written_so_that_it_parses_again():
    written = molecule("roundtrip-radical").smiles
    again = Chem.MolFromSmiles(written)
    assert sum(atom.GetNumRadicalElectrons() for atom in again.GetAtoms()) == 1


def test_syntax_error_names_its_position():
    found = failure("garbage-fragment")
    assert CASES["garbage-fragment"][15] == ")"
    assert "position 16 (')')" in found.reason
    assert "parenthes" in found.hint


def test_valence_names_atom_charge_and_valence():
    reason = failure("valence-n").reason
    assert "atom 6 (N, charge +2)" in reason
    assert "valence 4" in reason


def test_empty_is_told_apart():
    no_atoms = "\n\n\n  0  0  0  0  0  0  0  0  0  0999 V2000\nM  END\n"
    kinds = [failure("empty").kind, failure("garbage-fragment").kind]
    kinds.append(parse_molecule(no_atoms).kind)
    assert kinds == ["empty", "does not parse", "no atoms"]


def test_peroxide_is_valid_with_a_warning():
    found = molecule("peroxide")
    assert found.smiles == "OO"
    assert any("outside what the model knows well" in warning for warning in found.warnings)
    assert molecule("enantiomer-r").warnings == ()


def test_salt_keeps_its_parts_by_default():
    parts = standardize(molecule("salt-two-fragments"), "none").smiles.split(".")
    assert sorted(len(Chem.MolFromSmiles(part).GetAtoms()) for part in parts) == [4, 21]


@pytest.mark.parametrize("profile", PROFILES)
def test_nucleoside_keeps_four_stereocentres(profile):
    found = standardize(molecule("nucleoside-stereo"), profile)
    assert found.smiles.count("@") - found.smiles.count("@@") == 4


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("fumarate", "maleate"),
        ("enantiomer-r", "enantiomer-s"),
    ],
)
def test_stereoisomers_stay_two(one, other, profile):
    first, second = (standardize(molecule(case), profile) for case in (one, other))
    assert first.smiles != second.smiles
    assert first.inchikey != second.inchikey


@pytest.mark.parametrize(("case", "label"), [("fumarate", "E"), ("maleate", "Z")])
def test_double_bond_stays(case, label):
    bonds = Chem.MolFromSmiles(molecule(case).smiles).GetBonds()
    assert [str(b.GetStereo())[-1] for b in bonds if b.GetStereo() > Chem.BondStereo.STEREOANY] == [
        label
    ]


@pytest.mark.parametrize("profile", ["none", "light"])
def test_acid_and_anion_stay_two(profile):
    acid, anion = (standardize(molecule(f"conjugate-{case}"), profile) for case in ("acid", "base"))
    assert (acid.smiles, anion.smiles) == ("CC(=O)O", "CC(=O)[O-]")


def test_isotope_is_told_apart():
    assert molecule("isotope").smiles == "[125Te]" != parse_molecule("[Te]").smiles


def test_single_atom():
    assert molecule("single-atom").smiles == "[Na+]"


def test_dummy_atom_is_an_attachment_point():
    found = molecule("dummy-atom")
    assert any("attachment point" in warning for warning in found.warnings)
    assert found.inchikey is None


def test_double_backslash_is_read_once_and_said():
    found = molecule("double-backslash")
    assert CASES["double-backslash"] == r"F\\C=C\\F"
    assert found.smiles == Chem.CanonSmiles(r"F\C=C\F")
    assert found.input == CASES["double-backslash"]
    assert any(r"F\C=C\F" in warning for warning in found.warnings)


def test_white_space_is_taken_off():
    assert (molecule("whitespace").smiles, molecule("whitespace").name) == ("CCO", None)


def test_smiles_with_name():
    assert (molecule("smiles-with-name").smiles, molecule("smiles-with-name").name) == (
        "CCO",
        "ethanol",
    )


def test_name_says_how_to_search_by_name():
    found = failure("name-not-smiles")
    assert "looks like a name" in found.reason
    assert 'molclip search "aspirin" --mode name' in found.hint


def test_huge_molecule_is_read_standardised_and_described():
    """A peptide of 110 residues (over 600 heavy atoms, 110 stereocentres)."""
    from molclip.chem.descriptors import properties

    parsed = parse_molecule("N" + "[C@@H](CO)C(=O)N" * 110 + "C")
    assert isinstance(parsed, Molecule)
    assert parsed.mol.GetNumHeavyAtoms() == 1 + 110 * 6 + 1
    assert standardize(parsed, "parent").warnings == ()
    assert properties(parsed.mol)["heavy_atoms"] == 662


def test_cip_failure_of_rdkit_does_not_get_out(monkeypatch):
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("Digraph generation failed: more than 100000 nodes")

    monkeypatch.setattr("molclip.chem.parse.Chem.MolFromSmiles", fail)
    assert "Digraph generation failed" in parse_molecule("CCO", row=3).reason


def test_pcp_is_a_name_first_and_the_answer_says_it_parses():
    read = interpret(CASES["word-pcp"], known_name=lambda text: text == "PCP")
    assert read.kind == "name"
    assert "parse as SMILES (P, C, P)" in read.note


def test_cns_is_words_and_the_answer_says_it_parses():
    read = interpret(CASES["word-cns"], known_name=lambda _: False)
    assert read.kind == "words"
    assert "parse as SMILES (C, N, S)" in read.note


def test_no_is_hydroxylamine_in_a_column_and_explained_in_a_box():
    assert molecule("word-no").smiles == "NO"
    assert molecule("word-no").mol.GetNumAtoms() == 2
    as_name = interpret(CASES["word-no"], known_name=lambda _: True)
    assert (as_name.kind, "parse as SMILES (N, O)" in as_name.note) == ("name", True)
    unknown = interpret(CASES["word-no"], known_name=lambda _: False)
    assert (unknown.kind, "Read as SMILES (N, O)" in unknown.note) == ("smiles", True)


@pytest.mark.parametrize(
    ("case", "element"), [("metal-cisplatin", "Pt"), ("metal-ferrocene", "Fe")]
)
def test_metals_are_accepted_with_a_warning(case, element):
    found = molecule(case)
    assert any(f"unusual element ({element})" in warning for warning in found.warnings)


def test_ferrocene_keeps_three_parts():
    for profile in PROFILES:
        found = standardize(molecule("metal-ferrocene"), profile)
        assert Chem.MolFromSmiles(found.smiles) is not None
    assert molecule("metal-ferrocene").smiles.count(".") == 2


def test_racemate_keeps_its_stereo_group():
    found = molecule("racemate-cx")
    assert found.cx_smiles == "C[C@H](N)C(=O)O |&1:1|"
    assert any("stereo group kept: racemic" in warning for warning in found.warnings)


def test_inchi_of_aspirin():
    assert molecule("inchi").inchikey == "BSYNRYMUTXBXSQ-UHFFFAOYSA-N"
