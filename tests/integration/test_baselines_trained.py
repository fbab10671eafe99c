"""Baselines that are trained: from a user's own pairs to a model folder in the common table."""

import json

import numpy as np
import pytest

from molclip.baselines.image_config import image_config
from molclip.baselines.text2mol import text2mol_config, train_text2mol
from molclip.errors import ConfigError

open_clip = pytest.importorskip("open_clip")

TOWERS = """
[drawings]
size = 32
views = 2
workers = 1
[model]
embed_dim = 16
[model.vision]
layers = [1, 1, 1, 1]
width = 8
head_width = 16
[model.text]
context_length = 24
vocab_size = 49408
width = 32
heads = 2
layers = 1
[data]
pairs = "{pairs}"
validation_pairs = "{validation}"
[optimizer]
learning_rate = 0.01
[run]
batch_size = 8
precision = "float32"
threads = 1
evaluate_every = 10
checkpoint_minutes = 0
"""


@pytest.fixture
def pairs(tmp_path, monkeypatch):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    # Silanes, because plain alcohols are in the held-out splits; rings and chains look different.
    rows = ["id,smiles,text"]
    for number in range(1, 13):
        rows.append(f"a{number},[SiH3]{'C' * number}O,a chain of {number} carbons")
        rows.append(
            f"r{number},[SiH3]{'c1ccccc1' + 'C1CCCCC1' * (number % 3)}{'C' * number},a ring"
        )
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def _image_config(tmp_path, pairs, name="run", epochs=4):
    file = tmp_path / "image.toml"
    # Molecules that are measured are kept from training, so they are others.
    validation = tmp_path / "validation.csv"
    rows = [f"v{n},[SiH3]{'C' * n}N,a chain of {n} carbons" for n in range(1, 9)]
    validation.write_text("\n".join(["id,smiles,text", *rows]) + "\n", encoding="utf-8")
    file.write_text(TOWERS.format(pairs=pairs, validation=validation), encoding="utf-8")
    return image_config(tmp_path / name, file, epochs=epochs)


def test_image_model_learns_and_is_a_baseline_that_loads(tmp_path, pairs):
    from molclip.baselines.image_clip import train_image_clip
    from molclip.models.image import ImageBaseline

    told = []
    config = _image_config(tmp_path, pairs, epochs=25)
    folder = train_image_clip(config, told.append)
    log = [json.loads(line) for line in (tmp_path / "run" / "history.jsonl").open()]
    losses = [each["loss"] for each in log if "loss" in each]
    assert np.mean(losses[-2:]) < np.mean(losses[:2]) - 1
    # The 12 rings have one text, so they are false negatives of one another.
    assert max(each["masked"] for each in log if "loss" in each) > 0.1
    scores = [each for each in log if "validation mrr" in each]
    assert [each["epoch"] for each in scores] == [10, 20, 25]
    assert any("drawings" in numbers for numbers in told)

    baseline = ImageBaseline.from_pretrained(folder)
    chains = baseline.encode_molecules(["[SiH3]CCCO", "[SiH3]CCCCCO"]).vectors.mean(axis=0)
    rings = baseline.encode_molecules(["[SiH3]c1ccccc1C", "[SiH3]c1ccccc1CC"]).vectors.mean(axis=0)
    chain, ring = baseline.encode_text(["a chain of 3 carbons", "a ring"])
    assert (chain - ring) @ (chains - rings) > 0.2
    page = (tmp_path / "run" / "training.html").read_text(encoding="utf-8")
    assert "Validation text to molecule" in page


def test_training_sees_drawings_as_the_loaded_model_does(tmp_path, pairs):
    import io

    from PIL import Image

    from molclip.baselines.image_model import build_network, normalised, save_image_clip
    from molclip.chem.depict import depict_png
    from molclip.models.image import ImageBaseline

    config = _image_config(tmp_path, pairs)
    network = build_network(config)
    save_image_clip(network, config, tmp_path / "saved")
    baseline = ImageBaseline.from_pretrained(tmp_path / "saved")
    picture = Image.open(io.BytesIO(depict_png("[SiH3]CCCO"))).convert("RGB")
    small = np.array(picture.resize((32, 32), Image.Resampling.BICUBIC))
    np.testing.assert_allclose(
        normalised(small[None])[0].numpy(), baseline.preprocess(picture).numpy(), atol=1e-6
    )
    assert baseline.count_cut(["word " * 30]) == 1


def test_a_run_that_was_killed_ends_like_one_that_was_not(tmp_path, pairs, monkeypatch):
    from safetensors.torch import load_file

    from molclip.baselines import image_run
    from molclip.baselines.image_clip import train_image_clip

    whole = train_image_clip(_image_config(tmp_path, pairs, "whole", epochs=2))
    step = image_run.ImageRun._step

    def killed(self, *arguments):
        if self.step == 4:
            raise KeyboardInterrupt
        return step(self, *arguments)

    monkeypatch.setattr(image_run.ImageRun, "_step", killed)
    broken = _image_config(tmp_path, pairs, "broken", epochs=2)
    with pytest.raises(KeyboardInterrupt):
        train_image_clip(broken)
    monkeypatch.setattr(image_run.ImageRun, "_step", step)
    resumed = train_image_clip(broken)
    first = load_file(whole / "open_clip_model.safetensors")
    second = load_file(resumed / "open_clip_model.safetensors")
    for name, tensor in first.items():
        np.testing.assert_array_equal(tensor.numpy(), second[name].numpy())
    with pytest.raises(ConfigError, match="other settings"):
        train_image_clip(_image_config(tmp_path, pairs, "broken", epochs=3))


def test_wrong_towers_and_keys_are_said(tmp_path, pairs):
    from molclip.baselines.image_model import build_network

    file = tmp_path / "wrong.toml"
    file.write_text("[drawing]\nsize = 64\n", encoding="utf-8")
    with pytest.raises(ConfigError, match=r"unknown key 'drawing'.*'drawings'"):
        image_config(tmp_path / "x", file)
    config = _image_config(tmp_path, pairs)
    config.model.vision = {"depth": 3}
    with pytest.raises(ConfigError, match="open_clip cannot build"):
        build_network(config)


def test_text2mol_recipe_has_the_published_shape():
    config = text2mol_config("out", epochs=3)
    assert (config.model.dimension, config.run.batch_size, config.run.epochs) == (300, 32, 3)
    assert config.model.molecule_head.model_dump() == {
        "kind": "mlp",
        "depth": 3,
        "hidden": 600,
        "norm": "none",
    }
    # Whole descriptions of the benchmark's molecules alone, and no negative left out.
    assert {name for name, share in config.data.shares.items() if share} == {"chebi20"}
    assert config.captions.short == config.captions.label == config.captions.name == 0
    assert config.negatives.false == "keep"


def test_text2mol_trains_to_a_model_that_the_table_takes(tmp_path, pairs):
    from molclip import MolCLIP

    config = text2mol_config(tmp_path / "text2mol", epochs=2)
    config.data.pairs = pairs
    config.model.vocabulary = 300
    config.run.threads = 1
    folder = train_text2mol(config)
    model = MolCLIP.from_pretrained(folder)
    assert model.encode_text(["a ring"]).shape == (1, 300)
    head = [module for module in model.network.molecule.projection if hasattr(module, "weight")]
    shapes = [tuple(module.weight.shape) for module in head]
    assert shapes == [(600, 300), (600, 600), (300, 600)]


def test_command_trains_and_prints_the_model_folder(tmp_path, pairs):
    from typer.testing import CliRunner

    from molclip.cli.main import app

    _image_config(tmp_path, pairs)
    options = ["--out", str(tmp_path / "new"), "--config", str(tmp_path / "image.toml")]
    result = CliRunner().invoke(app, ["baseline", "image", *options, "--epochs", "1"])
    assert result.exit_code == 0, result.output
    assert result.stdout == f"{tmp_path / 'new' / 'model'}\n"
    assert (tmp_path / "new" / "model" / "open_clip_model.safetensors").is_file()
    missing = CliRunner().invoke(app, ["baseline", "image", "--out", "x", "--config", "no.toml"])
    assert missing.exit_code == 2
    assert "no configuration no.toml" in missing.stderr
