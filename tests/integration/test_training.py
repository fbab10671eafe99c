"""Training on a user's own pairs: to a model folder, through a kill, and not on held-out data."""

import json
import subprocess
import sys

import numpy as np
import pytest

from molclip import MolCLIP
from molclip.errors import ConfigError, DataLeakError
from molclip.search.seen import SeenMolecules
from molclip.training.config import ObjectiveSection, TrainingConfig, load_config
from molclip.training.joining import join_folders
from molclip.training.run import run_training

SILANES = [f"[SiH3]{'C' * number}{end}" for number in range(1, 13) for end in "ON"]

CONFIG = """
output = "{output}"
[data]
pairs = "{pairs}"
[model]
dimension = 16
vocabulary = 200
[model.text]
max_tokens = 32
[model.text.encoder]
hidden_size = 32
num_hidden_layers = 1
num_attention_heads = 2
intermediate_size = 64
max_position_embeddings = 64
[model.molecule]
hidden = 32
[optimizer]
learning_rate = 0.01
[negatives]
batches = "neighbours"
batches_from = 2
group = 4
[run]
epochs = {epochs}
batch_size = 8
precision = "float32"
threads = 1
checkpoint_minutes = 0
"""


@pytest.fixture
def pairs(tmp_path):
    # Silanes, because plain alcohols and amines are in the held-out splits.
    rows = ["id,smiles,text"]
    for number in range(1, 25):
        rows.append(f"a{number},[SiH3]{'C' * number}O,alcohol with a chain of {number} carbons")
        rows.append(f"n{number},[SiH3]{'C' * number}N,amine with a chain of {number} carbons")
    path = tmp_path / "pairs.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def config_text(tmp_path, pairs, name, epochs=3):
    return CONFIG.format(output=tmp_path / name, pairs=pairs, epochs=epochs)


def configured(tmp_path, pairs, name, epochs=3):
    import tomllib

    return TrainingConfig.model_validate(tomllib.loads(config_text(tmp_path, pairs, name, epochs)))


def test_the_loss_falls_and_a_model_folder_comes_out(tmp_path, pairs):
    steps = []
    folder = run_training(configured(tmp_path, pairs, "out", 12), steps.append)
    losses = [step["loss"] for step in steps if "epoch_end" not in step and "loss" in step]
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) / 1.5
    assert {"temperature", "pairs_per_second", "gradient_norm"} <= set(steps[-1])
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "48 molecules" in card
    model = MolCLIP.from_pretrained(folder)
    scores = model.similarity(["alcohol with a chain of 3 carbons"], ["[SiH3]CCCO", "[SiH3]CCCN"])
    assert scores[0, 0] > scores[0, 1]


EVERYTHING = """
chunk_size = 3
[objective]
name = "moco"
queue = 20
add = { clip = 0.5, nt_xent = 0.2 }
augmentations = { bit_dropout = 0.2 }
"""


@pytest.mark.parametrize("more", ["", EVERYTHING], ids=["defaults", "queues, two views, chunks"])
def test_a_killed_run_goes_on_as_if_unbroken(tmp_path, pairs, more):
    changed = [('batches = "neighbours"', 'batches = "mined"\nrefresh = 2')] if more else []
    paths = []
    for name in ("unbroken", "broken"):
        text = config_text(tmp_path, pairs, name) + more
        for old, new in changed:
            assert old in text
            text = text.replace(old, new)
        paths.append(tmp_path / f"{name}.toml")
        paths[-1].write_text(text, encoding="utf-8")
    unbroken, broken = paths

    def losses(path):
        told = []
        run_training(load_config(path), told.append)
        return [(n["step"], n["loss"]) for n in told if "loss" in n and "epoch_end" not in n]

    script = tmp_path / "train.py"
    script.write_text(
        "import json, sys\n"
        "from pathlib import Path\n"
        "from molclip.training.config import load_config\n"
        "from molclip.training.run import run_training\n"
        "def report(n):\n"
        "    if 'loss' in n and 'epoch_end' not in n:\n"
        "        print(json.dumps([n['step'], n['loss']]), flush=True)\n"
        "run_training(load_config(Path(sys.argv[1])), report)\n",
        encoding="utf-8",
    )
    whole = losses(unbroken)
    assert len(whole) == 18
    seen = []
    command = [sys.executable, str(script), str(broken)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("["):
                seen.append(tuple(json.loads(line)))
            if len(seen) == 8:
                process.kill()
                break
    rest = losses(broken)
    assert rest[0][0] <= seen[-1][0] + 1
    joined = dict(seen) | dict(rest)
    assert sorted(joined) == sorted(dict(whole))
    for step, loss in whole:
        assert joined[step] == pytest.approx(loss, abs=1e-6), step


def test_other_settings_do_not_continue_a_run(tmp_path, pairs):
    run_training(configured(tmp_path, pairs, "out", 1))
    with pytest.raises(ConfigError, match="other settings"):
        run_training(configured(tmp_path, pairs, "out", 2))


def test_a_held_out_molecule_stops_the_training(tmp_path, pairs):
    # Quinine is in the ChEBI-20 test split.
    quinine = "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1"
    with pairs.open("a", encoding="utf-8") as handle:
        handle.write(f"q1,{quinine},bitter alkaloid\n")
    with pytest.raises(DataLeakError, match="q1"):
        run_training(configured(tmp_path, pairs, "out", 1))
    assert not (tmp_path / "out" / "model").exists()


def test_a_stereoisomer_of_a_held_out_molecule_is_left_out_and_said(tmp_path, pairs):
    quinidine = "COc1ccc2nccc([C@H](O)[C@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1"
    with pairs.open("a", encoding="utf-8") as handle:
        handle.write(f"q2,{quinidine},bitter alkaloid\n")
    with pytest.warns(UserWarning, match="1 of 49 molecules share a skeleton"):
        folder = run_training(configured(tmp_path, pairs, "out", 1))
    assert "48 molecules" in (folder / "README.md").read_text(encoding="utf-8")


def test_a_file_without_the_columns_is_explained(tmp_path):
    path = tmp_path / "pairs.csv"
    path.write_text("id,smiles,words\n1,CCO,x\n", encoding="utf-8")
    with pytest.raises(ConfigError, match="text"):
        run_training(configured(tmp_path, path, "out", 1))


def test_a_pretrained_encoder_is_used_with_its_own_tokenizer(tmp_path, pairs):
    import torch
    from transformers import BertConfig, BertModel

    from molclip.text.tokenizer import TextTokenizer, train_tokenizer

    folder = tmp_path / "bert"
    texts = ["alcohol with a chain of 3 carbons", "amine with a chain of 12 carbons"] * 20
    tokenizer = TextTokenizer(train_tokenizer(texts, 120), 32)
    size = tokenizer.size
    torch.manual_seed(0)
    BertModel(
        BertConfig(
            vocab_size=size,
            hidden_size=16,
            num_hidden_layers=1,
            num_attention_heads=2,
            intermediate_size=32,
            max_position_embeddings=40,
        )
    ).save_pretrained(folder)
    tokenizer.save(folder)
    config = configured(tmp_path, pairs, "out", 1)
    config.model.text = {"pretrained": str(folder), "pooling": "cls", "max_tokens": 32}
    model_folder = run_training(config)
    saved = json.loads((model_folder / "config.json").read_text())
    assert saved["text"]["encoder"]["model_type"] == "bert"
    # The model stands on its own: its origin may go.
    folder.rename(tmp_path / "gone")
    model = MolCLIP.from_pretrained(model_folder)
    assert model.tokenizer.size == size
    assert model.encode_text(["amine"]).shape == (1, 16)


def test_what_cannot_work_is_said_before_anything_is_computed(tmp_path, pairs):
    changes = [
        ({"text": {"encoder": {"hiden_size": 32}}}, {}, "hidden_size"),
        ({"text": {"encoder": {"model_type": "robertaa"}}}, {}, "no model_type 'robertaa'"),
        ({}, {"name": "nt_xent", "augmentations": {"bit_drop": 0.1}}, "bit_dropout"),
        ({}, {"name": "wmse"}, "cannot whiten"),
    ]
    for number, (model, objective, words) in enumerate(changes):
        config = configured(tmp_path, pairs, f"out{number}", 1)
        config.model.text = model.get("text", config.model.text)
        config.objective = ObjectiveSection.model_validate(objective)
        with pytest.raises(ConfigError, match=words):
            run_training(config)
        assert not (tmp_path / f"out{number}" / "checkpoint.pt").exists()


def test_a_start_model_of_another_architecture_is_named(tmp_path, pairs):
    folder = run_training(configured(tmp_path, pairs, "first", 1))
    config = configured(tmp_path, pairs, "second", 1)
    config.init_from = str(folder)
    config.model.molecule["hidden"] = 24
    with pytest.raises(ConfigError, match=r"molecule\.\S+ is \(.*32.*\) there and \(.*24.*\) here"):
        run_training(config)
    others = tmp_path / "others.csv"
    rows = [f"s{n},[SiH3]{'C' * n}S,thiol of {n} carbons" for n in range(1, 10)]
    others.write_text("\n".join(["id,smiles,text", *rows]) + "\n", encoding="utf-8")
    config = configured(tmp_path, others, "third", 1)
    config.init_from = str(folder)
    # The molecules of both runs have shaped its weights.
    assert len(SeenMolecules.beside(run_training(config))) == 48 + 9


def test_members_with_one_tokenizer_are_joined_and_trained_on(tmp_path, pairs):
    first = run_training(configured(tmp_path, pairs, "first", 2))
    config = configured(tmp_path, pairs, "second", 2)
    config.run.seed = 1
    config.model.tokenizer = str(first)
    second = run_training(config)
    tokenizers = [(folder / "tokenizer.json").read_bytes() for folder in (first, second)]
    assert tokenizers[0] == tokenizers[1]
    both = join_folders(
        [first, second], tmp_path / "both", dimension=16, molecules=SILANES, workers=1
    )
    assert both.dimension == 16
    # A run that starts from the ensemble starts from its first member.
    config = configured(tmp_path, pairs, "third", 1)
    config.init_from = str(tmp_path / "both")
    config.run.max_steps = 1
    config.optimizer.learning_rate = 1e-9
    with pytest.warns(UserWarning, match="ensemble of 2 members"):
        third = MolCLIP.from_pretrained(run_training(config))
    texts = ["alcohol with a chain of 3 carbons", "amine with a chain of 5 carbons"]
    np.testing.assert_allclose(
        third.similarity(texts, SILANES),
        MolCLIP.from_pretrained(first).similarity(texts, SILANES),
        atol=5e-3,  # float16 files
    )
