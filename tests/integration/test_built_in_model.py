"""The shipped weights: what they were built for, and what they must refuse."""

import re

import numpy as np
import pytest

from molclip import Library, MolCLIP
from molclip.models.zero_shot import NONE_OF_THESE

MOLECULES = {
    "diazepam": "CN1C(=O)CN=C(c2ccccc2)c2cc(Cl)ccc12",
    "benzylpenicillin": "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
    "imatinib": "Cc1ccc(NC(=O)c2ccc(CN3CCN(C)CC3)cc2)cc1Nc1nccc(-c2cccnc2)n1",
    "trinitrotoluene": "Cc1c(cc(cc1[N+](=O)[O-])[N+](=O)[O-])[N+](=O)[O-]",
}
OUT_OF_SCOPE = ["[He]", "OO", "C"]


@pytest.fixture(scope="module")
def model():
    return MolCLIP.from_pretrained()


@pytest.fixture(scope="module")
def background():
    return Library.open().vectors(20_000)


def test_labels_fit_their_molecules(model, background):
    labels = ["sedative", "beta-lactam antibiotic", "kinase inhibitor", "explosive"]
    answer = model.zero_shot_classify(list(MOLECULES.values()), labels, background=background)
    assert answer.answers == labels


def test_nonsense_labels_get_none_of_these(model, background):
    labels = ["railway timetable", "quarterly tax return", "asdf qwer", "blorpt", "zzzz"]
    smiles = [*MOLECULES.values(), "N[Pt](N)(Cl)Cl", *OUT_OF_SCOPE]
    answer = model.zero_shot_classify(smiles, labels, background=background)
    assert answer.answers == [NONE_OF_THESE] * len(smiles)


def test_molecules_out_of_scope_get_none_of_these(model, background):
    labels = ["sedative", "beta-lactam antibiotic", "kinase inhibitor", "sweetener", "steroid"]
    answer = model.zero_shot_classify(OUT_OF_SCOPE, labels, background=background)
    assert answer.answers == [NONE_OF_THESE] * len(OUT_OF_SCOPE)


def test_the_card_is_true_of_the_weights(model):
    import hashlib

    card = (model.folder / "README.md").read_text(encoding="utf-8")
    digest = hashlib.sha256((model.folder / "model.safetensors").read_bytes()).hexdigest()
    assert digest in card
    assert model.model_hash in card
    million = sum(parameter.numel() for parameter in model.network.parameters()) / 1e6
    assert re.search(rf"{million:.1f} million parameters", card)
    assert (model.folder / "model.safetensors").stat().st_size < 45e6


def test_float32_vectors_do_not_depend_on_the_batch(model):
    texts = ["bitter alkaloid", "The molecule is " + "a very long description " * 20, "x"]
    together = model.encode_text(texts)
    alone = np.concatenate([model.encode_text([text]) for text in texts])
    np.testing.assert_allclose(together, alone, atol=1e-5)
