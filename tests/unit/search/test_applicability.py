"""Molecules and texts beside what a model was trained on, on a library of seven molecules."""

import json

import numpy as np
import pytest
from rdkit import Chem
from rdkit.Chem import rdMolDescriptors
from search_fakes import FakeModel

from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.errors import InputError
from molclip.models.molclip import MoleculeEmbeddings
from molclip.search.domain import DOMAIN_FILE, Domain, candidates_of
from molclip.search.domain_measure import measure_domain
from molclip.search.library import Library
from molclip.search.quantiles import STEPS
from molclip.search.seen import SEEN_FILE, write_seen

LINE = (STEPS / 100).tolist()
SEEN = ["CO", "CC(=O)Oc1ccccc1C(=O)O", "O=C(O)c1ccccc1", "C[C@H](N)C(=O)O"]


class Model(FakeModel):
    """Keeps bad rows in their place, as `MolCLIP` does, and has a list of words."""

    known_words = frozenset({"acid", "alcohol", "drug", "plant"})

    def encode_molecules(self, molecules):
        given = [molecules] if isinstance(molecules, str) else list(molecules)
        read = [
            item if not isinstance(item, str) else parse_molecule(item, row=row)
            for row, item in enumerate(given, start=1)
        ]
        vectors = np.full((len(read), self.dimension), np.nan, dtype=np.float32)
        good = [row for row, item in enumerate(read) if not isinstance(item, ParseFailure)]
        if good:
            vectors[good] = super().encode_molecules([read[row] for row in good]).vectors
        failures = [item for item in read if isinstance(item, ParseFailure)]
        return MoleculeEmbeddings(vectors, failures, read)

    def encode_text(self, texts):
        if any(not text.strip() for text in texts):
            raise InputError("Text 1 is empty.")
        return super().encode_text(texts)


def key(smiles):
    return Chem.MolToInchiKey(Chem.MolFromSmiles(smiles))


def domain(model, **changed):
    values = {
        "model_hash": model.model_hash,
        "training": 4000,
        "molecules": 500,
        "texts": 500,
        "pool": 6,
        "neighbours": 16,
        "scale": 5.0,
        "similarity": LINE,
        "cosine": [2 * x - 1 for x in LINE],
        "candidates": [6 * x for x in LINE],
        "unknown": [0.5 * x for x in LINE],
        "heavy_atoms": [1, 20],
        "elements": {"C": 4000, "O": 3000, "N": 3000},
    }
    return Domain(**{**values, **changed})


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "model"
    path.mkdir()
    write_seen([key(smiles) for smiles in SEEN], path / SEEN_FILE)
    return path


@pytest.fixture
def opened(folder, tmp_path, molecules_file):
    """A library of six molecules, four of which its model has seen."""
    model = Model(folder=folder)
    domain(model).save(folder / DOMAIN_FILE)
    return Library.build(tmp_path / "lib", molecules_file, model=model)


def counts(smiles):
    """Count fingerprints by RDKit's older function, as a dictionary."""
    mol = Chem.MolFromSmiles(smiles)
    return rdMolDescriptors.GetMorganFingerprint(mol, 3, useChirality=True).GetNonzeroElements()


def tanimoto(first, second):
    a, b = counts(first), counts(second)
    both = set(a) | set(b)
    low = sum(min(a.get(x, 0), b.get(x, 0)) for x in both)
    return low / sum(max(a.get(x, 0), b.get(x, 0)) for x in both)


def test_rows_stay_in_their_place(opened):
    found = opened.applicability(["CCO", "not a molecule", "CO"])
    assert [type(item).__name__ for item in found] == [
        "MoleculeApplicability",
        "ParseFailure",
        "MoleculeApplicability",
    ]
    assert found[1].row == 2


def test_similarity_is_the_largest_with_a_molecule_that_was_seen(opened):
    asked = "CCOc1ccccc1C(=O)O"
    (found,) = opened.applicability([asked])
    best = max(SEEN, key=lambda smiles: tanimoto(asked, smiles))
    assert found.similarity == pytest.approx(tanimoto(asked, best))
    assert Chem.CanonSmiles(found.nearest.smiles) == Chem.CanonSmiles(best)
    assert found.similarity_percentile == pytest.approx(100 * found.similarity, abs=0.1)
    model = opened.model
    (vector,) = model.encode_molecules([asked]).vectors
    assert found.cosine == pytest.approx(
        float((model.encode_molecules(SEEN).vectors @ vector).max()), abs=2e-3
    )
    assert found.cosine_percentile == pytest.approx(50 * (found.cosine + 1), abs=0.1)
    assert (found.seen, found.status, found.remark) == (False, "inside", "")


def test_a_row_that_was_not_seen_is_no_training_molecule(opened):
    # D-alanine stands in the library but only its mirror image was trained on.
    (found,) = opened.applicability("C[C@@H](N)C(=O)O")
    assert (found.seen, found.nearest.name) == (False, "L-alanine")
    assert found.similarity == pytest.approx(tanimoto("C[C@@H](N)C(=O)O", "C[C@H](N)C(=O)O"))
    assert found.similarity < 1


def test_elements_and_size_put_a_molecule_outside(opened):
    platinum, long = opened.applicability(["C[Pt]", "C" * 21])
    assert platinum.status == "outside"
    assert platinum.rare_elements == ("Pt",)
    assert platinum.remark.startswith("Outside what the model was trained on: no training molecule")
    assert (long.status, long.heavy_atoms) == ("outside", 21)


def test_what_was_trained_on_is_inside_whatever_it_holds(folder, opened):
    write_seen([key(smiles) for smiles in [*SEEN, "C[Pt]"]], folder / SEEN_FILE)
    again = Library.open(opened._index.folder, opened.model)
    (found,) = again.applicability(["C[Pt]"])
    assert (found.seen, found.status, found.reasons) == (True, "inside", ())


def test_composition_alone_claims_no_more_than_it_knows(opened):
    embedded = opened.model.encode_molecules(["CCO", "C[Pt]", "CO"])
    found = opened.judge.judge(embedded, compare=False)
    assert [item.status for item in found] == ["not known", "outside", "not known"]
    assert [item.similarity for item in found] == [None] * 3


def test_texts(opened):
    known, strange, mixed, long = opened.text_applicability(
        ["plant acid", "kerof", "acid drug alcohol plants zorb", "acid " * 10]
    )
    assert (known.words, known.unknown_words) == (2, ())
    assert strange.status == "outside"
    assert "has not met the word kerof" in strange.remark
    assert mixed.unknown_words == ("zorb",)
    assert (long.dropped_pieces, long.pieces) == (2, 10)
    assert "last 2 pieces" in long.remark
    vectors = opened.vectors()
    for found in (known, strange, mixed):
        scores = vectors @ opened.model.encode_text([found.text])[0]
        assert found.candidates == pytest.approx(candidates_of(scores, 5.0), rel=1e-2)
        assert found.pool == 6
        assert found.flat is (found.candidates > 6 * 0.95)
    with pytest.raises(InputError):
        opened.text_applicability([" "])


def test_a_flat_profile_is_a_reason(folder, opened):
    domain(opened.model, candidates=[x / 100 for x in LINE]).save(folder / DOMAIN_FILE)
    again = Library.open(opened._index.folder, opened.model)
    (found,) = again.text_applicability("plant acid")
    assert (found.status, found.flat) == ("edge", True)
    assert found.remark.startswith("The words single out little: ")
    warnings = again.search("plant acid").query.warnings
    assert any(warning.startswith("The words single out little") for warning in warnings)
    # The same figures say nothing where they were measured among many more molecules.
    domain(opened.model, candidates=[x / 100 for x in LINE], pool=60).save(folder / DOMAIN_FILE)
    other = Library.open(opened._index.folder, opened.model)
    assert other.text_applicability("plant acid")[0].candidates is None


def test_a_search_says_what_lies_outside(opened):
    result = opened.search("kerof acid", smiles="C[Pt]")
    query = result.to_dict("all")["query"]
    assert query["text_applicability"]["unknown_words"] == ("kerof",)
    assert query["structure_applicability"]["rare_elements"] == ("Pt",)
    assert any("1 of 2 words: kerof" in warning for warning in result.query.warnings)
    assert any(warning.startswith("Outside what") for warning in result.query.warnings)
    json.dumps(query)


def test_a_model_without_figures_answers_not_known(folder, opened):
    (folder / DOMAIN_FILE).unlink()
    plain = Library.open(opened._index.folder, opened.model)
    (found,) = plain.applicability(["C[Pt]"])
    assert (found.status, found.similarity, found.remark, found.seen) == (
        *("not known", None, ""),
        False,
    )
    (text,) = plain.text_applicability(["kerof"])
    assert (text.status, text.unknown_words) == ("not known", ("kerof",))
    result = plain.search("kerof", smiles="C[Pt]")
    assert result.query.text_applicability is None
    assert not any("trained on" in warning for warning in result.query.warnings)


def test_rows_that_are_added_are_looked_at(opened):
    before = len(opened.judge.training)
    opened.add([{"smiles": "CO", "id": "again"}])
    assert len(opened.judge.training) == before + 1


class Scaled(Model):
    """With the temperature that flatness is measured at."""

    class network:
        class log_scale:
            @staticmethod
            def detach():
                import torch

                return torch.tensor(np.log(5.0))


def test_a_domain_is_measured(folder, tmp_path, molecules_file):
    model = Scaled(folder=folder)
    library = Library.build(tmp_path / "scaled", molecules_file, model=model)
    asked = ["C" * n + "O" for n in range(2, 103)] + ["CO", "broken"]
    texts = [f"acid number {'x' * (3 + n % 7)}" for n in range(120)]
    found = measure_domain(library, asked, texts, source="chains")
    assert (found.training, found.molecules, found.texts, found.pool) == (4, 101, 120, 6)
    assert found.elements == {"C": 4, "O": 4, "N": 1}
    assert found.heavy_atoms == [2, 13]
    best = sorted(max(tanimoto(smiles, seen) for seen in SEEN) for smiles in asked[:-2])
    assert found.similarity[0] == pytest.approx(best[0], abs=1e-5)
    assert found.similarity[-1] == pytest.approx(best[-1], abs=1e-5)
    # Two of three words are unknown ("number", "xxx").
    assert found.unknown[100] == pytest.approx(2 / 3, abs=1e-5)
    assert found.scale == pytest.approx(5.0, abs=1e-3)
    with pytest.raises(InputError, match="too few"):
        measure_domain(library, asked[:20], texts)
    (folder / SEEN_FILE).unlink()
    with pytest.raises(InputError, match="training molecule"):
        measure_domain(Library.open(library._index.folder, model), asked, texts)
