"""Models of every kind of molecule input through the product: encode, save, embed, build, search."""

import json

import numpy as np
import pytest
import torch
from model_fakes import TEXTS, tiny_model
from rdkit import Chem

from molclip import Library, MolCLIP
from molclip.chem import graphs
from molclip.chem.inputs import KINDS, gathered, golden_hash, input_of, input_version
from molclip.chem.parallel import featurize_stream
from molclip.errors import InputError
from molclip.evaluation.encoders import molclip_encoder

SMILES = [
    "CCO",
    "c1ccccc1O",
    "CC(=O)[O-]",
    "[Na+].[Cl-]",
    "C[C@H](N)C(=O)O",
    "C[C@@H](N)C(=O)O",
    r"C/C=C\C",
]


@pytest.fixture(scope="module", params=KINDS)
def model(request):
    return tiny_model(kind=request.param)


@pytest.fixture(scope="module")
def folder(model, tmp_path_factory):
    path = tmp_path_factory.mktemp("model") / model.kind
    model.save_pretrained(path)
    return path


def test_molecules_do_not_depend_on_their_neighbours(model):
    together = model.encode_molecules(SMILES).vectors
    alone = np.concatenate([model.encode_molecules(text).vectors for text in SMILES])
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)


def test_rows_go_through_processes_and_bad_ones_cost_themselves(model):
    smiles = [f"{'C' * (1 + number % 9)}O" for number in range(150)]
    smiles[77] = "C1CC"
    encoded = model.encode_molecules(smiles, workers=2)
    assert [failure.row for failure in encoded.failures] == [78]
    np.testing.assert_allclose(encoded.vectors[5], encoded.vectors[14], atol=1e-6)


def test_features_are_what_the_head_projects(model):
    smiles = [*SMILES, "no structure"]
    features = model.encode_molecules(smiles, features=True)
    vectors = model.encode_molecules(smiles).vectors
    assert features.vectors.shape == (len(smiles), model.network.molecule.width)
    assert features.vectors.dtype == np.float32
    assert features.valid.tolist() == [True] * len(SMILES) + [False]
    with torch.no_grad():
        projected = model.network.molecule.projection(torch.from_numpy(features.vectors)).numpy()
    projected /= np.linalg.norm(projected, axis=1, keepdims=True)
    np.testing.assert_allclose(projected[:-1], vectors[:-1], atol=1e-5)


def test_text_features_are_what_the_head_projects(model):
    texts = [*TEXTS[:3], "alkaloid " * 20]
    features = model.encode_text(texts, features=True)
    assert features.shape == (4, model.network.text.width)
    with torch.no_grad():
        projected = model.network.text.projection(torch.from_numpy(features)).numpy()
    projected /= np.linalg.norm(projected, axis=1, keepdims=True)
    np.testing.assert_allclose(projected, model.encode_text(texts), atol=1e-5)
    assert model.encode_text([], features=True).shape == (0, model.network.text.width)


def test_inputs_of_another_kind_are_refused(model):
    other = "graph" if model.kind != "graph" else "hybrid"
    inputs = gathered([input_of(Chem.MolFromSmiles("CCO"), other)], other)
    with pytest.raises(InputError, match="this model"):
        model.encode_features(inputs)


def test_a_stream_of_inputs_gives_the_same_vectors(model):
    made = list(featurize_stream(SMILES, kind=model.kind))
    vectors = model.encode_features(gathered(made, model.kind))
    np.testing.assert_allclose(vectors, model.encode_molecules(SMILES).vectors, atol=1e-6)


def test_saved_and_loaded_is_the_same_model(model, folder):
    loaded = MolCLIP.from_pretrained(folder)
    assert loaded.kind == model.kind
    np.testing.assert_allclose(
        loaded.encode_molecules(SMILES).vectors, model.encode_molecules(SMILES).vectors, atol=1e-6
    )


def test_a_library_is_built_and_searched(model, tmp_path):
    library = Library.build(tmp_path / "library", SMILES, model=model)
    hits = library.search("a bitter alkaloid", k=len(SMILES)).to_dict()
    expected = model.similarity("a bitter alkaloid", SMILES)[0]
    got = {hit["smiles"]: hit["score"] for hit in hits}
    assert len(got) == len(SMILES)
    for smiles, score in zip(SMILES, expected, strict=True):
        assert got[Chem.CanonSmiles(smiles)] == pytest.approx(float(score), abs=2e-3)
    manifest = json.loads((tmp_path / "library" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["feature_version"] == input_version(model.kind)


def test_the_pool_of_an_evaluation_is_cached_by_kind(model, folder, tmp_path, monkeypatch):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path))
    smiles = [*SMILES, "no structure"]
    expected = model.encode_molecules(smiles).vectors
    for _ in range(2):  # the second time from disk
        encoder = molclip_encoder(str(folder), 1, lambda *_: None)
        pool = encoder.encode_pool(smiles)
        np.testing.assert_allclose(pool.vectors, expected, atol=1e-5)
        assert [failure.row for failure in pool.failures] == [len(smiles)]
        monkeypatch.setattr("molclip.chem.parallel.featurize_stream", _refuse)
    names = {path.name.split("-")[0] for path in (tmp_path / "evaluation").iterdir()}
    assert (
        names
        == {
            "fingerprint": {"features"},
            "graph": {"graphs"},
            "hybrid": {"features", "graphs"},
        }[model.kind]
    )


def _refuse(*_, **__):
    raise AssertionError("computed again")


@pytest.mark.parametrize("kind", ["graph", "hybrid"])
def test_changed_graph_codes_are_noticed(kind, tmp_path, monkeypatch, recwarn):
    model = tiny_model(kind=kind)
    model.config.golden_features = golden_hash(kind)
    model.config.feature_version = input_version(kind)
    model.save_pretrained(tmp_path)
    MolCLIP.from_pretrained(tmp_path)
    assert not [w for w in recwarn if "makes other" in str(w.message)]
    monkeypatch.setitem(graphs._HYBRIDS, Chem.HybridizationType.SP3, 5)
    with pytest.warns(UserWarning, match="makes other"):
        MolCLIP.from_pretrained(tmp_path)


def test_inputs_of_another_version_are_noticed(tmp_path):
    model = tiny_model(kind="graph")
    model.config.feature_version = "graph-0"
    model.save_pretrained(tmp_path)
    with pytest.warns(UserWarning, match=r"version graph-0"):
        MolCLIP.from_pretrained(tmp_path)
