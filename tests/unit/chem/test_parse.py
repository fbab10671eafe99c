"""One text, one molecule or one reason."""

import pickle
import subprocess
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.chem.rdkit_log import capture
from molclip.errors import InputError


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("50-78-2", "a CAS number"),
        ("BSYNRYMUTXBXSQ-UHFFFAOYSA-N", "an InChIKey"),
        ("CHEBI:15365", "a database identifier"),
        ("acetic acid", "a name"),
        ("2-methylpropan-1-ol", "a name"),
        ("(R)-carvone", "a name"),
        ("β-carotene", "a name"),
    ],
)
def test_names_and_numbers_are_recognised(text, words):
    found = parse_molecule(text)
    assert f"looks like {words}" in found.reason
    assert f'molclip search "{text}" --mode name' in found.hint


@pytest.mark.parametrize(
    ("text", "reason", "hint"),
    [
        ("C6H12O6", "position 3", "formula"),
        ("C1CC", "ring is opened and never closed", "twice"),
        ("CC(", "position 3", "1 opening and 0 closing"),
        ("CCO;CC", "position 4 (';')", "one SMILES in each row"),
        ("CC−O", "'−' at position 3", "word processor"),
        ("CN(C)(C)C", "atom 2 (N) has valence 4", "[N+]"),
        ("CC(C)(C)(C)C", "atom 2 (C) has valence 5", "bonds"),
        ("c1ccccc1c", "atom 7 (c) is written as aromatic, but is in no ring", "capital"),
        ("cocoon", "in no ring", "Search by name"),
        ("CC\nO", "more than one line", "line break"),
        ("InChI=1S/C9H8", "does not parse as InChI", "whole InChI"),
        ("InChI=foo", "an InChI starts with", "whole InChI"),
        (" \t\n", "empty", "Fill in"),
        ("\ufeff\u200b", "empty", "Fill in"),
    ],
)
def test_reasons_and_hints(text, reason, hint):
    found = parse_molecule(text)
    assert isinstance(found, ParseFailure)
    assert reason in found.reason
    assert hint in found.hint


@pytest.mark.parametrize(
    ("text", "smiles", "name"),
    [
        ("CCO\tethyl alcohol", "CCO", "ethyl alcohol"),
        ("CCO |c:bad| x", "CCO", "x"),
        ("‘CCO’", "CCO", None),
        ('"CCO"', "CCO", None),
        ("\ufeffCCO", "CCO", None),
        ("CCO\xa0ethanol", "CCO", "ethanol"),
        ("inchi=1S/CH4/h1H4", "C", None),
        ("[CH3:1][OH:2]", "[CH3:1][OH:2]", None),
        ("[2H]C", "[2H]C", None),
    ],
)
def test_what_is_read(text, smiles, name):
    found = parse_molecule(text)
    assert (found.smiles, found.name, found.input) == (smiles, name, text)


def test_lost_extension_is_said():
    (warning,) = parse_molecule("CCO |bad| x").warnings
    assert "|bad|" in warning
    assert "lost" in warning


def test_given_name_wins():
    assert parse_molecule("CCO ethanol", name="alcohol").name == "alcohol"


def test_words_are_smiles_in_a_column():
    assert [parse_molecule(word).smiles for word in ("PCP", "CO", "CNS")] == ["PCP", "CO", "CNS"]


def test_format_can_be_forced():
    assert isinstance(parse_molecule("CCO", format="inchi"), ParseFailure)
    with pytest.raises(InputError, match="Unknown structure format"):
        parse_molecule("CCO", format="cif")


def test_elements_in_warnings():
    warned = {
        smiles: " ".join(parse_molecule(smiles).warnings)
        for smiles in ("[Na+].CC(=O)[O-]", "[Co]", "c1cc[se]c1", "CC[Hg]C", "[Sc+3]", "Cl", "CCCl")
    }
    assert warned["[Na+].CC(=O)[O-]"] == warned["c1cc[se]c1"] == warned["CCCl"] == ""
    assert "(Hg)" in warned["CC[Hg]C"]
    assert "(Sc)" in warned["[Sc+3]"]
    assert "only 1 heavy atom:" in warned["[Co]"]
    assert "carbon" in " ".join(parse_molecule("O=S(=O)(O)Cl").warnings)


@pytest.mark.parametrize("text", ["C[C@H](N)C(=O)O |&1:1|", "OC(=O)/C=C/C", "C1CC(", "[125Te]"])
def test_pickling(text):
    parsed = parse_molecule(text, id="a", properties={"x": "1"})
    again = pickle.loads(pickle.dumps(parsed))
    if isinstance(parsed, ParseFailure):
        assert again == parsed
        return
    assert len(pickle.dumps(parsed)) < 1000
    assert {**again.__dict__, "mol": None} == {**parsed.__dict__, "mol": None}
    assert [a.GetSymbol() for a in again.mol.GetAtoms()] == [
        a.GetSymbol() for a in parsed.mol.GetAtoms()
    ]
    assert len(again.mol.GetStereoGroups()) == len(parsed.mol.GetStereoGroups())


def test_mol_is_made_again_when_dropped():
    found = parse_molecule("OC[C@H](C)N |&1:2|")
    found.drop_mol()
    assert "mol" not in found.__dict__
    assert Chem.MolToSmiles(found.mol) == found.smiles
    assert len(found.mol.GetStereoGroups()) == 1
    lazy = Molecule(row=1, id=None, name=None, input="OCC", smiles="CCO")
    assert lazy.inchikey == "LFQSCWFLJHTTHZ-UHFFFAOYSA-N"


def test_failure_as_words_and_dict():
    found = parse_molecule("C1CC", row=3, id="A7", file="x.csv")
    assert str(found).startswith("x.csv, row 3, id A7: does not parse")
    assert list(found.to_dict()) == ["file", "row", "id", "name", "input", "reason", "hint"]


def test_nothing_reaches_standard_error():
    code = (
        "from molclip.chem.parse import parse_molecule as p\n"
        "for s in ('c1cc1', 'C(', 'CN(C)(C)C', '[H+]', 'InChI=1S/C9', 'a\\n\\n\\n  1 V2000\\n'):\n"
        "    p(s)\n"
        "from rdkit import Chem; Chem.MolFromSmiles('c1cc1')\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    # The last line is the user's own call: its message must still be printed, once.
    assert {line.split("] ")[1] for line in done.stderr.splitlines()} == {
        "Can't kekulize mol.  Unkekulized atoms: 0 1 2"
    }


def test_messages_of_threads_do_not_mix():
    reasons: dict[str, set[str]] = {"c1cc1": set(), "CN(C)(C)C": set()}

    def parse(text: str) -> None:
        for _ in range(200):
            with capture() as messages:
                Chem.MolFromSmiles(text)
            reasons[text].update(messages)

    threads = [threading.Thread(target=parse, args=(text,)) for text in reasons]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert reasons == {
        "c1cc1": {"Can't kekulize mol.  Unkekulized atoms: 0 1 2"},
        "CN(C)(C)C": {"Explicit valence for atom # 1 N, 4, is greater than permitted"},
    }


def test_disabled_log_stays_disabled():
    from rdkit import RDLogger, rdBase

    RDLogger.DisableLog("rdApp.warning")
    try:
        parse_molecule("c1cc1")
        assert "rdApp.warning:disabled" in rdBase.LogStatus()
        assert "rdApp.error:enabled" in rdBase.LogStatus()
    finally:
        RDLogger.EnableLog("rdApp.warning")


@settings(max_examples=100, deadline=None)
@given(
    st.one_of(st.text(max_size=30), st.text(alphabet="CNOcnos()[]=#123@H+-./\\ |&:", max_size=20))
)
def test_any_text_is_a_molecule_or_a_failure(text):
    found = parse_molecule(text, row=5)
    assert found.row == 5
    assert found.input == text
    if isinstance(found, Molecule):
        assert Chem.MolFromSmiles(found.smiles) is not None
    else:
        assert found.reason.endswith(".")
        assert found.hint
