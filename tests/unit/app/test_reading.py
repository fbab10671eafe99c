"""How the search form reads what was typed."""

from __future__ import annotations

from typing import Any

import pytest
from molclip.app.limits import HEAVY_ATOMS
from molclip.app.reading import read_question, read_structure, split_both, trimmed
from rdkit import Chem

from molclip.errors import InputError

FORMULA, KEY = "C17H25N", "JTJMJGYZQZDUJJ-UHFFFAOYSA-N"


class Names:
    """A library of one molecule."""

    def knows(self, name: str) -> bool:
        return name.lower() in ("phencyclidine", "pcp")

    def identifier(self, text: str) -> str | None:
        return {FORMULA: f"the formula {FORMULA}", KEY: "an InChIKey"}.get(text)

    def structure_of(self, name: str) -> str:
        return "C1CCC(CC1)(c1ccccc1)N1CCCCC1"


def test_words() -> None:
    reading = read_question(" bitter alkaloid ", "", Names())
    assert (reading.text, reading.molecule, reading.mode) == ("bitter alkaloid", None, "vector")
    assert reading.said == "Read as words."


def test_a_known_name_wins_over_smiles() -> None:
    reading = read_question("PCP", "", Names())
    assert (reading.text, reading.mode) == ("PCP", "hybrid")
    assert reading.said == "Read as a name; it would also parse as SMILES (P, C, P)."


def test_identifiers_are_looked_up_and_not_left_to_the_model() -> None:
    for text, said in ((FORMULA, "the formula C17H25N"), (KEY, "an InChIKey")):
        reading = read_question(text, "", Names())
        assert (reading.text, reading.molecule, reading.mode) == (text, None, "name")
        assert reading.said == f"Read as {said}."
        # Beside a structure there is no look-up.
        assert read_question(text, "CCO", Names()).mode == "vector"


def test_an_identifier_in_the_field_of_the_structure() -> None:
    molecule, said = read_structure(KEY, Names())
    assert molecule.mol.GetNumHeavyAtoms() == 18
    assert said == "Structure: read as an InChIKey."
    with pytest.raises(InputError, match="is a formula, which many molecules may share") as caught:
        read_structure(FORMULA, Names())
    assert "name" in caught.value.hint


def test_smiles_in_the_field_of_words() -> None:
    reading = read_question("OCC", "", Names())
    assert reading.text is None
    assert reading.molecule is not None
    assert reading.molecule.smiles == "CCO"
    assert reading.said.startswith("Read as SMILES")


def test_words_with_a_structure_given_by_name() -> None:
    reading = read_question("antagonist", "phencyclidine", Names())
    assert (reading.text, reading.mode) == ("antagonist", "vector")
    assert reading.molecule is not None
    assert reading.molecule.mol.GetNumHeavyAtoms() == 18
    assert reading.said == "Read as words. Structure: read as the name of a molecule."


def test_a_name_with_a_structure_is_not_looked_up_by_name() -> None:
    # The library compares names only without a structure.
    assert read_question("PCP", "CCO", Names()).mode == "vector"


@pytest.mark.parametrize(
    ("words", "structure", "sentence"),
    [
        (" ", "", "Nothing is asked yet."),
        ("CCO", "CCC", "Two structures are given."),
        ("", "C1CC(", "cannot be read"),
        ("", "no such thing", "neither a structure nor a name"),
        ("a" * 1001, "", "1,001 characters"),
        ("", "C" * 2001, "2,001 characters"),
        ("", "C" * (HEAVY_ATOMS + 1), "301 heavy atoms"),
    ],
)
def test_what_cannot_be_asked(words: str, structure: str, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        read_question(words, structure, Names())
    assert sentence in raised.value.message


def test_letters_in_the_field_of_structures_are_taken_for_one() -> None:
    molecule, said = read_structure("CNS", Names())
    assert molecule.smiles == "CNS"
    assert said == "Structure: read as SMILES."


@pytest.mark.parametrize(
    ("text", "both"),
    [
        ("opioid antagonist\nCCO", ("opioid antagonist", "CCO")),
        ("CCO\nopioid antagonist", ("opioid antagonist", "CCO")),
        ("opioid antagonist + phencyclidine", ("opioid antagonist", "phencyclidine")),
        ("anti-inflammatory CC(=O)Oc1ccccc1C(=O)O", ("anti-inflammatory", "CC(=O)Oc1ccccc1C(=O)O")),
        ("CC(=O)Oc1ccccc1C(=O)O for the heart", ("for the heart", "CC(=O)Oc1ccccc1C(=O)O")),
        ("gas InChI=1S/CH4/h1H4", ("gas", "InChI=1S/CH4/h1H4")),
        # A name or number behind a SMILES is its title, as in a file.
        ("CC(=O)Oc1ccccc1C(=O)O phencyclidine", None),
        ("CC(=O)Oc1ccccc1C(=O)O ZINC000053", None),
        # Words that would parse are words.
        ("inhibitor of NO", None),
        ("contrast agent CNS", None),
        ("PCP + phencyclidine", None),
        ("acid 2-(4-isobutylphenyl)propanoic", None),
        ("beta-lactam antibiotic", None),
        ("CC(=O)Oc1ccccc1C(=O)O", None),
        ("PCP", None),
    ],
)
def test_words_and_a_structure_in_one_field(text: str, both: tuple[str, str] | None) -> None:
    assert split_both(text, Names()) == both


def test_a_broken_structure_on_a_line_of_its_own_is_said() -> None:
    with pytest.raises(InputError, match="'CN1CCC23C4Oc5' cannot be read"):
        read_question("opioid antagonist\nCN1CCC23C4Oc5", "", Names())


def test_both_in_one_field_are_read_as_in_two() -> None:
    reading = read_question("antagonist + phencyclidine", "", Names())
    assert reading.said == "Read as words. Structure: read as the name of a molecule."
    assert reading.molecule is not None
    assert (reading.text, reading.molecule.mol.GetNumHeavyAtoms()) == ("antagonist", 18)


ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


@pytest.mark.parametrize("before", ["", "aspirin", "\naspirin", "\n\n", "  \n  "])
@pytest.mark.parametrize("written", [Chem.MolToMolBlock, Chem.MolToV3KMolBlock])
def test_a_mol_block_with_or_without_a_title(before: str, written: Any) -> None:
    # RDKit writes an empty first line where the molecule has no name.
    block = before + written(Chem.MolFromSmiles(ASPIRIN))
    for words, structure in ((block, ""), ("", block.replace("\n", "\r\n"))):
        molecule = read_question(words, structure, Names()).molecule
        assert molecule is not None
        assert molecule.smiles == ASPIRIN
    assert read_question("medicine", block, Names()).text == "medicine"


def test_what_may_be_empty_in_a_mol_block_stays() -> None:
    block = "\n\n\n" + Chem.MolToMolBlock(Chem.MolFromSmiles("CCO")).split("\n", 3)[3]
    assert trimmed(block) == block
    assert trimmed("\n \n" + block) == block
    assert trimmed(" CCO \n") == "CCO"
