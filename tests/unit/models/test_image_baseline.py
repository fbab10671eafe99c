"""The image baseline: pretrained weights or a refusal, and vectors that are open_clip's own."""

import json

import numpy as np
import pytest
from open_clip_folder import CONFIG, write_open_clip

from molclip.chem.depict import depict_png
from molclip.chem.molecule import ParseFailure
from molclip.errors import ModelError
from molclip.models.image import ImageBaseline

open_clip = pytest.importorskip("open_clip")
torch = pytest.importorskip("torch")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_open_clip(tmp_path_factory.mktemp("open_clip") / "tiny")


@pytest.fixture(scope="module")
def baseline(folder):
    return ImageBaseline.from_pretrained(folder)


def test_vectors_are_those_of_open_clip_on_the_depiction(folder, baseline):
    import io

    from PIL import Image

    model, preprocess = open_clip.create_model_from_pretrained(f"local-dir:{folder}")
    tokenizer = open_clip.get_tokenizer(f"local-dir:{folder}")
    picture = Image.open(io.BytesIO(depict_png("c1ccccc1O"))).convert("RGB")
    with torch.no_grad():
        image = model.eval().encode_image(preprocess(picture)[None])[0]
        text = model.encode_text(tokenizer(["a phenol"]))[0]
    expected_image = (image / image.norm()).numpy()
    expected_text = (text / text.norm()).numpy()
    encoded = baseline.encode_molecules(["c1ccccc1O"])
    np.testing.assert_allclose(encoded.vectors[0], expected_image, atol=1e-5)
    np.testing.assert_allclose(baseline.encode_text(["a phenol"])[0], expected_text, atol=1e-5)
    assert encoded.vectors.dtype == np.float32


def test_rows_stay_in_place_and_failures_say_why(baseline):
    known = ParseFailure("file.csv", 9, "x", "??", "not read.")
    baseline.batch_size = 2
    encoded = baseline.encode_molecules(["CCO", "C1CC", "CCN", known, "c1ccccc1"])
    assert np.isnan(encoded.vectors).all(axis=1).tolist() == [False, True, False, True, False]
    assert [failure.row for failure in encoded.failures] == [2, 9]
    alone = baseline.encode_molecules(["c1ccccc1"])
    np.testing.assert_allclose(encoded.vectors[4], alone.vectors[0], atol=1e-5)


def test_a_molecule_that_ends_its_process_costs_its_own_row_only(baseline, monkeypatch):
    import os

    from molclip.chem import depict

    def dangerous(mol):
        if mol.GetNumHeavyAtoms() == 7:
            os._exit(1)
        return drawing(mol)

    # More than are drawn in this process; in it, the drawing would end the test itself.
    smiles = ["C" * (1 + number % 5) + "O" for number in range(50)]
    smiles[20] = "CCCCCCO"
    drawing = depict.depict_png
    monkeypatch.setattr(depict, "depict_png", dangerous)
    encoded = baseline.encode_molecules(smiles, workers=2)
    (failure,) = encoded.failures
    assert (failure.row, failure.input) == (21, "CCCCCCO")
    assert "its process ended" in failure.reason
    assert np.isnan(encoded.vectors[:, 0]).nonzero()[0].tolist() == [20]
    # The same molecule, the same picture, in whichever process it was drawn.
    np.testing.assert_allclose(encoded.vectors[0], encoded.vectors[5], atol=1e-5)


def test_texts_longer_than_the_context_are_counted(baseline):
    # Every word is at least one piece, and two of the 77 places go to the marks.
    assert baseline.count_cut(["a short text", "word " * 90]) == 1


def test_dimension_and_hash_follow_the_weights(folder, baseline, tmp_path):
    from safetensors.torch import load_file, save_file

    assert baseline.dimension == 24
    weights = load_file(folder / "open_clip_model.safetensors")
    weights["logit_scale"] = weights["logit_scale"] + 1
    (tmp_path / "open_clip_config.json").write_text(json.dumps(CONFIG))
    save_file(weights, tmp_path / "open_clip_model.safetensors")
    assert ImageBaseline.from_pretrained(tmp_path).model_hash != baseline.model_hash


def _sentence(name):
    with pytest.raises(ModelError) as caught:
        ImageBaseline.from_pretrained(name)
    text = str(caught.value)
    assert text.count("\n") == 0
    assert text.endswith(".")
    assert ". " not in text  # one sentence
    return text


def test_unknown_name_is_refused_in_one_sentence():
    text = _sentence("ViT-B-32/no_such_tag")
    assert "'ViT-B-32/no_such_tag' are not there" in text
    assert "ViT-B-32/laion2b_s34b_b79k" in text  # what a right name looks like


def test_architecture_without_a_tag_is_refused_rather_than_filled_with_random_weights():
    assert "are not there" in _sentence("ViT-B-32")


def test_known_name_that_cannot_be_fetched_is_refused(monkeypatch, tmp_path):
    from huggingface_hub import constants

    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    assert "hub cannot be reached" in _sentence("ViT-B-32/laion2b_s34b_b79k")
    assert "hub cannot be reached" in _sentence("hf-hub:some/repository")


def test_nothing_is_fetched_where_that_is_not_wanted(monkeypatch, tmp_path):
    import huggingface_hub
    from huggingface_hub import constants

    def asked(*_, **options):
        assert options["local_files_only"], "the hub was asked"
        return fetch(*_, **options)

    fetch = huggingface_hub.hf_hub_download
    monkeypatch.setattr(huggingface_hub, "hf_hub_download", asked)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    for name in ("ViT-B-32/laion2b_s34b_b79k", "hf-hub:some/repository"):
        with pytest.raises(ModelError, match="are not fetched here"):
            ImageBaseline.from_pretrained(name, download=False)


def test_folder_without_weights_is_refused(folder, tmp_path):
    (tmp_path / "open_clip_config.json").write_text(json.dumps(CONFIG))
    assert "has no open_clip_model.safetensors" in _sentence(tmp_path)
    # A pickle beside the configuration is not loaded either.
    weights = torch.zeros(1)
    torch.save({"w": weights}, tmp_path / "open_clip_pytorch_model.bin")
    assert "has no open_clip_model.safetensors" in _sentence(tmp_path)


def test_folder_without_configuration_is_refused(folder, tmp_path):
    (tmp_path / "open_clip_model.safetensors").write_bytes(
        (folder / "open_clip_model.safetensors").read_bytes()
    )
    assert "has no open_clip_config.json" in _sentence(tmp_path)


def test_weights_that_lack_a_layer_are_refused(folder, tmp_path):
    from safetensors.torch import load_file, save_file

    weights = load_file(folder / "open_clip_model.safetensors")
    del weights["visual.proj"]
    (tmp_path / "open_clip_config.json").write_text(json.dumps(CONFIG))
    save_file(weights, tmp_path / "open_clip_model.safetensors")
    assert "do not load" in _sentence(tmp_path)
