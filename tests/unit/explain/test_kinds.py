"""Explanations through graphs, and through any text encoder of transformers."""

import numpy as np
import pytest
import torch
from model_fakes import TEXTS, tiny_model
from rdkit import Chem

from molclip.chem.features import WIDTH, featurize
from molclip.chem.graphs import graph_of
from molclip.explain import explain
from molclip.models.config import MolCLIPConfig, MoleculeConfig, TextConfig
from molclip.models.joining import join_models
from molclip.models.molclip import MolCLIP
from molclip.models.network import DualEncoder
from molclip.text.tokenizer import TextTokenizer, train_tokenizer

LACTONE = "O=C1CCO1"
TEXT = "a bitter alkaloid"


def close_to_sum(part):
    difference = part.score - part.baseline
    total = part.gradient.sum() + sum(part.remainder.values())
    return total == pytest.approx(difference, abs=max(0.01 * abs(difference), 1e-4))


@pytest.mark.parametrize("kind", ["graph", "hybrid"])
@pytest.mark.parametrize("smiles", [LACTONE, "C", "[Na+].[Cl-]", "C[N+](C)(C)CC(=O)[O-]"])
def test_graphs_are_explained_through_their_atoms(kind, smiles):
    pytest.importorskip("torch_geometric")
    model = tiny_model(kind=kind)
    found = explain(smiles, TEXT, model=model)
    size = found.molecule.mol.GetNumAtoms()
    assert found.atoms.gradient.shape == found.atoms.occlusion.shape == (size,)
    assert np.isfinite(found.atoms.occlusion).all()
    assert found.score == pytest.approx(float(model.similarity(TEXT, smiles)[0, 0]), abs=1e-5)
    assert close_to_sum(found.atoms)
    # A graph has no inputs that belong to no atom; a fingerprint has.
    assert bool(found.atoms.remainder) == (kind == "hybrid")


def test_a_graph_without_an_atom_is_what_is_left_of_it():
    """Occlusion of the oxygen of ethanol, with the graph of what stays written by hand."""
    pytest.importorskip("torch_geometric")
    from dataclasses import replace

    model = tiny_model(kind="graph")
    found = explain("OCC", TEXT, model=model, method="occlusion")
    whole = graph_of(Chem.MolFromSmiles("OCC"))
    left = replace(
        whole,
        atoms=whole.atoms[1:],
        bonds=np.array([[0, 1], [1, 0]], dtype=np.int32),
        bond_fields=whole.bond_fields[2:],
    )
    score = model.encode_features([left]) @ model.encode_text(TEXT)[0]
    assert found.atoms.occlusion[0] == pytest.approx(found.score - float(score[0]), abs=1e-6)


def test_equal_atoms_of_a_graph_get_equal_shares():
    pytest.importorskip("torch_geometric")
    found = explain("c1ccccc1", TEXT, model=tiny_model(kind="graph"))
    for values in (found.atoms.gradient, found.atoms.occlusion):
        assert np.allclose(values, values[0], atol=1e-5)


def model_with(encoder, seed=0):
    text = TextConfig(encoder=encoder, max_tokens=32)
    molecule = MoleculeConfig(inputs=WIDTH, hidden=32)
    config = MolCLIPConfig(text=text, molecule=molecule, dimension=16)
    tokenizer = TextTokenizer(train_tokenizer(TEXTS, 200), text.max_tokens)
    torch.manual_seed(seed)
    return MolCLIP(config, DualEncoder(config, tokenizer.size, tokenizer.pad_id), tokenizer)


def test_words_of_another_architecture():
    bert = {
        "model_type": "bert",
        "hidden_size": 32,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 64,
        "max_position_embeddings": 64,
    }
    found = explain("CCO", "the molecule is a sweet sugar alcohol", model=model_with(bert))
    assert len(found.word_values.gradient) == 7
    assert close_to_sum(found.word_values)


def test_the_quick_encoder_and_that_of_transformers_explain_alike(tmp_path):
    trained = tiny_model()
    trained.save_pretrained(tmp_path)
    quick = MolCLIP.from_pretrained(tmp_path)
    assert type(quick.network.text.transformer) is not type(trained.network.text.transformer)
    one, other = (explain("CCO", TEXT, model=model).word_values for model in (trained, quick))
    assert np.allclose(one.gradient, other.gradient, atol=1e-5)
    assert np.allclose(one.occlusion, other.occlusion, atol=1e-5)
    assert close_to_sum(one)


def test_an_ensemble_is_explained_through_all_its_members():
    members = [tiny_model(seed) for seed in range(2)]
    molecules = ["CCO", "CCN", "c1ccccc1O", "CC(=O)O", "CCCCCC", "c1ccncc1", "ClCCl", "OCCO"]
    rows = np.stack([featurize(Chem.MolFromSmiles(smiles)) for smiles in molecules])
    joined = join_models(members, rows, 8)
    found = explain("CC(=O)Oc1ccccc1C(=O)O", TEXT, model=joined)
    assert found.score == pytest.approx(
        float(joined.similarity(TEXT, "CC(=O)Oc1ccccc1C(=O)O")[0, 0]), abs=1e-5
    )
    for part in (found.atoms, found.word_values):
        assert close_to_sum(part)
        assert np.abs(part.gradient).max() > 0
