"""The neighbour without the match, against a search by hand."""

import dataclasses

import numpy as np
import pytest
from rdkit import Chem
from search_fakes import FakeModel

from molclip import parse_molecule
from molclip.explain.counter import _ones, counter_example
from molclip.search.library import Library
from molclip.search.structure import count_tanimoto

ASKED = "OC(=O)C(C)c1ccc(CC(C)C)cc1"
SMILES = [
    "CC(C)Cc1ccc(cc1)C(C)C(=O)[O-]",
    "CC(C)Cc1ccc(cc1)C(C)C#N",
    "CC(C)Cc1ccc(cc1)C(C)C(=O)OC",
    "CC(C)Cc1ccc(cc1)C(C)C(N)=O",
    "CC(C)Cc1ccc(cc1)CC(=O)O",
    "CC(C)Cc1ccc(cc1)CC(=O)[O-]",
    "CC(C)Cc1ccc(cc1)C=O",
    "CCCCCCCC",
    "Cn1cnc2c1c(=O)n(C)c(=O)n2C",
    "OCC(O)CO",
]
WORDS = ["anti-inflammatory drug", "solvent", "alkaloid", "a sweet taste", "steroid"]


@pytest.fixture(scope="module")
def model():
    return FakeModel()


@pytest.fixture(scope="module")
def library(tmp_path_factory, model):
    folder = tmp_path_factory.mktemp("neighbours") / "library"
    return Library.build(folder, SMILES, model=model, workers=1)


def _by_hand(library, model, text, clearly, least):
    """Similarity and SMILES of the row that should be found."""
    words = model.encode_text([text])[0]
    own = float(model.encode_molecules([ASKED]).vectors[0] @ words)
    limit = own - clearly * float((library.vectors() @ words).std())
    asked = Chem.MolFromSmiles(ASKED)
    close = []
    for smiles in SMILES[1:]:  # the first is the same acid without its proton
        mol = Chem.MolFromSmiles(smiles)
        score = float(model.encode_molecules([smiles]).vectors[0] @ words)
        similarity = count_tanimoto(asked, mol)
        if score <= limit and similarity >= least:
            close.append((Chem.GetFormalCharge(mol) == 0, similarity, Chem.MolToSmiles(mol)))
    return max(close)[1:] if close else None


@pytest.mark.parametrize("text", WORDS)
@pytest.mark.parametrize("clearly", [0.2, 1.0])
@pytest.mark.parametrize("least", [0.0, 0.3])
def test_it_is_the_closest_row_that_is_clearly_lower(library, model, text, clearly, least):
    found = counter_example(
        library,
        parse_molecule(ASKED),
        text,
        background=library.vectors(),
        clearly=clearly,
        least=least,
    )
    wanted = _by_hand(library, model, text, clearly, least)
    assert (found is None) == (wanted is None)
    if found is not None:
        assert (found.similarity, found.molecule.smiles) == (pytest.approx(wanted[0]), wanted[1])
        assert found.score <= found.own_score - clearly * found.deviation
        assert found.record["smiles"] == found.molecule.smiles


def test_something_is_found_for_some_words(library, model):
    """The comparison above would also pass if nothing ever were."""
    found = [_by_hand(library, model, text, 0.2, 0.0) for text in WORDS]
    assert sum(one is not None for one in found) >= 2


def test_nothing_is_lower_than_impossible(library):
    asked = parse_molecule(ASKED)
    assert counter_example(library, asked, WORDS[0], clearly=1000.0, least=0.0) is None


def test_other_fingerprints_are_not_compared(library, monkeypatch):
    """After an update of RDKit the stored bits mean something else; the model still finds rows."""
    asked = parse_molecule(ASKED)
    options = {"background": library.vectors(), "clearly": 0.2, "least": 0.0}
    before = counter_example(library, asked, "solvent", **options)
    old = dataclasses.replace(library._index.manifest, rdkit_version="2020.03.1")
    monkeypatch.setattr(library._index, "manifest", old)
    after = counter_example(library, asked, "solvent", **options)
    assert (before and before.molecule.smiles) == (after and after.molecule.smiles)


def test_bits_are_counted():
    packed = np.array([[0, 255], [1, 3], [128, 0]], dtype=np.uint8)
    assert _ones(packed).tolist() == [8, 3, 1]


def test_with_the_shipped_model():
    library = Library.open()
    asked = parse_molecule(ASKED)
    found = counter_example(library, asked, "non-steroidal anti-inflammatory drug")
    assert found is not None
    assert found.score <= found.own_score - found.deviation
    assert found.similarity >= 0.3
    assert found.own_score == pytest.approx(
        float(library.model.similarity("non-steroidal anti-inflammatory drug", ASKED)[0, 0]),
        abs=1e-5,
    )
    assert Chem.GetFormalCharge(found.molecule.mol) == 0
    # Indices are of the atoms as they were given: they fit the SMILES.
    for one, other in found.difference.common:
        symbols = [
            mol.GetAtomWithIdx(atom).GetSymbol()
            for mol, atom in ((Chem.MolFromSmiles(ASKED), one), (found.molecule.mol, other))
        ]
        assert symbols[0] == symbols[1]
    differing = found.difference.first_only + found.difference.second_only
    assert differing or found.difference.remarks
