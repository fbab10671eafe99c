"""What a person typed, and what the answer says about it."""

import pytest

from molclip.chem.sniff import interpret

KNOWN = {"PCP", "CO", "aspirin", "2-butanol"}


def known(text: str) -> bool:
    return text in KNOWN


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("aspirin", "name"),
        ("2-butanol", "name"),
        ("CO", "name"),
        ("CNS", "words"),
        ("CNS drug", "words"),
        ("In vitro", "words"),
        ("painkiller", "words"),
        ("drug that lowers blood pressure", "words"),
        ("EC 3.1.1.7 inhibitor", "words"),
        ("HIV", "words"),
        ("H2O", "words"),
        ("PGE2", "words"),
        ("", "words"),
        ("CCO", "smiles"),
        ("c1ccccc1", "smiles"),
        ("CC(=O)O acetic acid", "smiles"),
        ("C[C@H](N)C(=O)O |&1:1|", "smiles"),
        ("c1cncn1", "smiles"),
        ("CC(=O", "smiles"),
        ("InChI=1S/CH4/h1H4", "inchi"),
        ("InChI=broken", "inchi"),
        ("\n\n\n  1  0  0  0  0  0            999 V2000\n    0 0 0 C\nM  END\n", "molblock"),
    ],
)
def test_kind(text, kind):
    assert interpret(text, known).kind == kind


def test_notes():
    assert "parse as SMILES (C, O)" in interpret("CO", known).note
    assert interpret("aspirin", known).note == ""
    assert "parse as SMILES (C, N, S)" in interpret("CNS drug", known).note
    assert interpret("painkiller", known).note == ""
    start = "Read as words; its start would also parse as SMILES (C, C, O)."
    assert interpret("CCO ethanol", known).note == start
    assert interpret("CNS", known).note.startswith("Read as words; it would also parse")
    assert "not as a word" in interpret("CCO", known).note
    assert interpret("c1ccccc1", known).note == ""


def test_structures_carry_their_molecule_or_reason():
    assert interpret(" CCO ", known).molecule.smiles == "CCO"
    broken = interpret("c1cncn1", known)
    assert broken.molecule is None
    assert "[nH]" in broken.failure.hint
    assert "[nH]" in broken.note


def test_an_identifier_is_neither_a_name_nor_a_smiles():
    def identifier(text):
        return {"H2SO4": "the formula H2O4S", "CCO": "the formula C2O"}.get(text)

    def read(text, known=False):
        return interpret(text, lambda _: known, identifier)

    found = read(" H2SO4 ")
    assert (found.kind, found.text, found.note) == (
        "identifier",
        "H2SO4",
        "Read as the formula H2O4S.",
    )
    assert read("H2SO4", known=True).kind == "name"
    assert read("CCO").kind == "smiles"
    assert read("sulfuric").kind == "words"
    assert interpret("H2SO4", lambda _: False).kind == "words"
