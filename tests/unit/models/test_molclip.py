"""MolCLIP's contract: shapes, rows in place, independence of batches, files."""

import hashlib
import json
import shutil

import numpy as np
import pytest
import torch
from model_fakes import TEXTS, tiny_model
from rdkit import Chem

from molclip import MolCLIP
from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, ModelError

SMILES = ["CCO", "c1ccccc1O", "CC(=O)[O-]", "CC(=O)O", "C[C@H](N)C(=O)O", "C[C@@H](N)C(=O)O"]


@pytest.fixture(scope="module")
def model():
    return tiny_model()


def test_text_vectors_are_unit_float32(model):
    vectors = model.encode_text(["a bitter alkaloid", "sweet"])
    assert vectors.shape == (2, 16)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-6)


def test_text_does_not_depend_on_its_neighbours(model):
    texts = ["sweet", " ".join(["alkaloid"] * 25), "a bitter alkaloid", *TEXTS]
    together = model.encode_text(texts)
    alone = np.concatenate([model.encode_text([text]) for text in texts])
    turned = model.encode_text(texts[::-1])[::-1]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together, turned, atol=1e-5)


def test_molecules_do_not_depend_on_their_neighbours(model):
    together = model.encode_molecules(SMILES).vectors
    alone = np.concatenate([model.encode_molecules([text]).vectors for text in SMILES])
    turned = model.encode_molecules(SMILES[::-1]).vectors[::-1]
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(together, turned, atol=1e-5)


def test_a_bad_row_costs_itself_only(model):
    encoded = model.encode_molecules(["CCO", "c1cncn1", "", "CCN"])
    assert encoded.vectors.shape == (4, 16)
    assert np.isnan(encoded.vectors).all(axis=1).tolist() == [False, True, True, False]
    assert encoded.valid.tolist() == [True, False, False, True]
    assert [failure.row for failure in encoded.failures] == [2, 3]
    assert "kekul" in encoded.failures[0].reason
    assert isinstance(encoded.molecules[1], ParseFailure)
    np.testing.assert_allclose(
        encoded.vectors[[0, 3]], model.encode_molecules(["CCO", "CCN"]).vectors, atol=1e-6
    )


def test_many_rows_go_through_processes_in_order(model):
    smiles = [f"{'C' * (1 + number % 9)}O" for number in range(150)]
    smiles[77] = "C1CC"
    encoded = model.encode_molecules(smiles, workers=2)
    assert [failure.row for failure in encoded.failures] == [78]
    np.testing.assert_allclose(encoded.vectors[5], encoded.vectors[14], atol=1e-6)
    assert [m.input for m in encoded.molecules] == smiles


def test_the_time_for_all_leaves_rows_in_place(model):
    smiles = ["CCO", "c1cncn1"] * 50
    encoded = model.encode_molecules(smiles, workers=2, time_limit=5.0, total_limit=-1.0)
    assert np.isnan(encoded.vectors).all()
    assert [failure.row for failure in encoded.failures] == list(range(1, 101))
    assert {failure.kind for failure in encoded.failures} == {"no time left"}


def test_charge_and_stereo_make_different_vectors(model):
    vectors = model.encode_molecules(SMILES).vectors
    assert np.abs(vectors[2] - vectors[3]).max() > 1e-4
    assert np.abs(vectors[4] - vectors[5]).max() > 1e-4


def test_an_rdkit_molecule_counts_as_its_smiles(model):
    mol = Chem.AddHs(Chem.MolFromSmiles("CCO"))
    vectors = model.encode_molecules([mol, "CCO"]).vectors
    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_nothing_in_nothing_out(model):
    assert model.encode_text([]).shape == (0, 16)
    assert model.encode_molecules([]).vectors.shape == (0, 16)


def test_a_truncated_text_is_said(model):
    with pytest.warns(UserWarning, match="longer than 32 pieces"):
        model.encode_text(["alkaloid " * 60])


@pytest.mark.parametrize("texts", [[""], ["  "], [None], [3]])
def test_a_text_that_is_none_is_refused(model, texts):
    with pytest.raises(InputError, match="Text 1"):
        model.encode_text(texts)


def test_saved_and_loaded_is_the_same_model(model, tmp_path):
    model.save_pretrained(tmp_path / "m")
    loaded = MolCLIP.from_pretrained(tmp_path / "m")
    np.testing.assert_allclose(
        loaded.encode_text(TEXTS[:3]), model.encode_text(TEXTS[:3]), atol=1e-6
    )
    np.testing.assert_array_equal(
        loaded.encode_molecules(SMILES).vectors, model.encode_molecules(SMILES).vectors
    )
    assert loaded.model_hash == MolCLIP.from_pretrained(tmp_path / "m").model_hash


def test_half_precision_files_are_computed_in_float32(model, tmp_path):
    model.save_pretrained(tmp_path, storage="float16")
    loaded = MolCLIP.from_pretrained(tmp_path)
    assert loaded.network.log_scale.dtype == torch.float32
    np.testing.assert_allclose(
        loaded.encode_text(TEXTS[:3]), model.encode_text(TEXTS[:3]), atol=5e-3
    )


def test_two_models_have_two_hashes():
    assert tiny_model(0).model_hash == tiny_model(0).model_hash
    assert tiny_model(0).model_hash != tiny_model(1).model_hash


def test_incomplete_folders_give_no_answer(model, tmp_path):
    model.save_pretrained(tmp_path / "whole")
    for missing in ("model.safetensors", "config.json", "tokenizer.json"):
        folder = tmp_path / missing
        shutil.copytree(tmp_path / "whole", folder)
        (folder / missing).unlink()
        with pytest.raises(ModelError, match=missing.replace(".", r"\.")):
            MolCLIP.from_pretrained(folder)


def test_weights_of_another_size_are_refused(model, tmp_path):
    model.save_pretrained(tmp_path)
    config = json.loads((tmp_path / "config.json").read_text())
    config["dimension"] = 8
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="does not fit"):
        MolCLIP.from_pretrained(tmp_path)


def test_weights_with_one_other_bit_are_refused(model, tmp_path):
    model.save_pretrained(tmp_path)
    path = tmp_path / "model.safetensors"
    whole = path.read_bytes()
    config = json.loads((tmp_path / "config.json").read_text())
    assert config["weights_sha256"] == hashlib.sha256(whole).hexdigest()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    with pytest.raises(ModelError, match=r"model\.safetensors is damaged") as caught:
        MolCLIP.from_pretrained(tmp_path)
    assert "download or install the model again" in caught.value.hint
    # Without the record, as older folders are, the same file is loaded.
    del config["weights_sha256"]
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert MolCLIP.from_pretrained(tmp_path).dimension == 16


def test_a_changed_model_is_saved_with_its_own_record(model, tmp_path):
    model.save_pretrained(tmp_path / "first")
    loaded = MolCLIP.from_pretrained(tmp_path / "first")
    with torch.no_grad():
        loaded.network.log_scale.add_(0.5)
    loaded.save_pretrained(tmp_path / "second")
    again = MolCLIP.from_pretrained(tmp_path / "second")
    assert again.network.log_scale.item() == pytest.approx(loaded.network.log_scale.item())
    assert again.model_hash != loaded.model_hash


def test_the_model_hash_is_of_weights_and_tokenizer(model, tmp_path):
    model.save_pretrained(tmp_path)
    files = [(tmp_path / name).read_bytes() for name in ("model.safetensors", "tokenizer.json")]
    expected = hashlib.sha256(b"".join(files)).hexdigest()[:16]
    assert MolCLIP.from_pretrained(tmp_path).model_hash == expected


@pytest.mark.parametrize("name", ["./nowhere", "/no/such/folder", "nowhere"])
def test_a_missing_model_is_said(name):
    with pytest.raises(ModelError, match="no model folder"):
        MolCLIP.from_pretrained(name)


def test_similarity_is_the_dot_product(model):
    texts, smiles = TEXTS[:2], SMILES[:3]
    expected = model.encode_text(texts) @ model.encode_molecules(smiles).vectors.T
    np.testing.assert_allclose(model.similarity(texts, smiles), expected, atol=1e-6)


def test_the_scale_is_clamped_at_a_hundred(model):
    network = tiny_model().network
    with torch.no_grad():
        network.log_scale.fill_(10.0)
    assert network.scale.item() == 100.0
    assert tiny_model().network.scale.item() == pytest.approx(1 / 0.07, rel=1e-5)


def test_feature_rows_of_another_width_are_refused(model):
    with pytest.raises(InputError, match="columns"):
        model.encode_features(np.zeros((2, 5), dtype=np.uint8))


def test_the_quick_encoder_is_the_transformers_one(model):
    """The inference class and transformers' own give the same hidden states for one state."""
    from molclip.models.network import DualEncoder

    tokenizer = model.tokenizer
    quick = DualEncoder(model.config, tokenizer.size, tokenizer.pad_id, inference=True).eval()
    quick.load_state_dict(model.network.state_dict())
    assert type(quick.text.transformer) is not type(model.network.text.transformer)
    ids = [item.ids for item in model.tokenize([*TEXTS[:3], "alkaloid " * 25])]
    with torch.inference_mode():
        ours = quick.text.forward_sorted(ids, tokenizer.pad_id)
        theirs = model.network.text.forward_sorted(ids, tokenizer.pad_id)
    torch.testing.assert_close(ours, theirs, atol=1e-6, rtol=1e-5)


def test_text_that_is_no_unicode_is_refused_by_number(model):
    with pytest.raises(InputError, match="Text 2 is not valid Unicode"):
        model.encode_text(["fine", "half a pair: \ud800"])


def test_a_single_label_is_one_label(model):
    assert model.zero_shot_classify("CCO", "alcohol", background=None).labels == ["alcohol"]


def test_a_damaged_tokenizer_is_said(model, tmp_path):
    model.save_pretrained(tmp_path / "m")
    (tmp_path / "m" / "tokenizer.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ModelError, match="is no tokenizer"):
        MolCLIP.from_pretrained(tmp_path / "m")


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda model: model.encode_text(5), "Texts were given as a int"),
        (lambda model: model.encode_text(None), "Texts were given as a NoneType"),
        (lambda model: model.encode_text(["fine", 5]), "Text 2 is a int"),
        (lambda model: model.encode_molecules(None), "Molecules were given as a NoneType"),
        (lambda model: model.encode_molecules(Chem.MolFromSmiles("C")), "given as a Mol"),
        (lambda model: model.similarity("sweet", 3.5), "Molecules were given as a float"),
        (lambda model: model.zero_shot_classify("C", 5), "Labels were given as a int"),
        (lambda model: model.zero_shot_classify("C", ["gas", 1]), "Label 2 is 1, a int"),
    ],
)
def test_arguments_of_another_kind_are_refused_by_name(model, call, said):
    with pytest.raises(InputError, match=said) as caught:
        call(model)
    assert caught.value.hint.startswith("Give ")


@pytest.mark.parametrize(
    ("background", "said"),
    [
        (np.ones((5, 7), dtype=np.float32), r"shape \(5, 7\).* 16 numbers"),
        (np.ones(16, dtype=np.float32), r"shape \(16,\)"),
        ("embedded", "a str that holds no numbers"),
    ],
)
def test_a_background_of_another_width_is_refused(model, background, said):
    with pytest.raises(InputError, match=said) as caught:
        model.zero_shot_classify("CCO", ["alcohol"], background=background)
    assert "(M, 16)" in caught.value.hint
