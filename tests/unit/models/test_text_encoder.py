"""The text tower: presets, layers, freezing, pooling, and architectures of transformers."""

import json

import pytest
import torch

from molclip.errors import ConfigError, ModelError
from molclip.models.config import TextConfig, text_preset
from molclip.models.pretrained_text import architecture, pooling_of
from molclip.models.text_encoder import (
    TextEncoder,
    build_transformer,
    freeze_layers,
    layer_of,
)

# Where transformers' classes name their parts differently.
TYPES = {
    "bert": {},
    "roberta": {},
    "roberta-prelayernorm": {},
    "mpnet": {},
    "electra": {"embedding_size": 16},
    "distilbert": {"dim": 16, "n_layers": 2, "n_heads": 2, "hidden_dim": 32},
    "modernbert": {"global_attn_every_n_layers": 2},
}


def small(model_type="roberta-prelayernorm", **more):
    return {
        "model_type": model_type,
        "hidden_size": 16,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "intermediate_size": 32,
        "max_position_embeddings": 40,
        **TYPES.get(model_type, {}),
        **more,
    }


def encoder(model_type="roberta-prelayernorm", vocabulary=50, **settings):
    torch.manual_seed(0)
    config = TextConfig(encoder=small(model_type), max_tokens=32, **settings)
    return TextEncoder(config, 8, vocabulary, 0).eval()


def test_the_small_preset_is_that_of_the_built_in_model():
    from molclip.models.model_files import resolve_folder

    shipped = json.loads((resolve_folder(None) / "config.json").read_text(encoding="utf-8"))
    assert text_preset("small") == shipped["text"]["encoder"] == TextConfig().encoder


@pytest.mark.parametrize(("size", "millions"), [("tiny", 2), ("small", 6), ("base", 25)])
def test_presets_have_the_stated_size(size, millions):
    built = build_transformer(TextConfig(encoder=text_preset(size)), 12_000, 0)
    parameters = sum(parameter.numel() for parameter in built.parameters())
    assert round(parameters / 1e6) == millions


@pytest.mark.parametrize("model_type", TYPES)
def test_layers_are_counted_from_the_embeddings_up(model_type):
    model = encoder(model_type)
    assert model.depth == 2
    layers = {name: layer_of(name, 2) for name, _ in model.transformer.named_parameters()}
    assert set(layers.values()) == {0, 1, 2}
    for name, layer in layers.items():
        below = "embed" in name or "relative_attention_bias" in name
        assert layer == (0 if below else 1 if ".0." in name else 2), name


def test_the_norm_after_the_last_layer_counts_with_it():
    assert layer_of("LayerNorm.weight", 4) == 4
    assert layer_of("encoder.layer.10.output.dense.bias", 12) == 11


@pytest.mark.parametrize(("layers", "trained"), [(0, {0, 1, 2}), (1, {2}), ("encoder", set())])
def test_frozen_layers_do_not_change(layers, trained):
    model = encoder("bert").train()
    freeze_layers(model, layers)
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    rate = torch.optim.SGD([p for p in model.parameters() if p.requires_grad], lr=1.0)
    ids = torch.randint(1, 50, (4, 9), generator=torch.Generator().manual_seed(1))
    goal = torch.randn(4, 8, generator=torch.Generator().manual_seed(2))
    (model(ids, torch.ones_like(ids)) * goal).sum().backward()
    rate.step()
    changed = {name for name, t in model.state_dict().items() if not torch.equal(t, before[name])}
    assert "projection.weight" in changed
    inner = {name.removeprefix("transformer.") for name in changed if name != "projection.weight"}
    assert {layer_of(name, 2) for name in inner} == trained


def test_more_frozen_layers_than_there_are_is_an_error():
    with pytest.raises(ConfigError, match=r"3 layers.*has 2"):
        freeze_layers(encoder(), 3)


@pytest.mark.parametrize("model_type", TYPES)
def test_pooling_by_hand(model_type):
    ids = torch.tensor([[3, 7, 9, 4, 0, 0], [5, 6, 8, 2, 9, 4]])
    mask = (ids != 0).long()
    mean, first = encoder(model_type, pooling="mean"), encoder(model_type, pooling="cls")
    with torch.no_grad():
        hidden = mean.transformer(input_ids=ids, attention_mask=mask).last_hidden_state
        expected = torch.stack([hidden[0, :4].mean(0), hidden[1].mean(0)])
        torch.testing.assert_close(mean.features(ids, mask), expected)
        torch.testing.assert_close(first.features(ids, mask), hidden[:, 0])


def test_sorted_chunks_give_what_single_texts_give():
    model = encoder()
    random = torch.Generator().manual_seed(0)
    texts = [
        torch.randint(1, 50, (length,), generator=random).tolist() for length in (9, 2, 30, 5, 9)
    ]
    with torch.no_grad():
        for plain, by_list in (
            (model.forward, model.forward_sorted),
            (model.project, model.project_sorted),
            (model.features, model.features_sorted),
        ):
            alone = [plain(torch.tensor([text]), torch.ones(1, len(text))) for text in texts]
            torch.testing.assert_close(by_list(texts, 0, chunk=2), torch.cat(alone))


@pytest.mark.parametrize("model_type", TYPES)
def test_an_architecture_is_built_again_from_its_description(model_type):
    """Also with spare rows in the embedding, which the tokenizer does not count."""
    trained = encoder(model_type, vocabulary=64)
    config = TextConfig(encoder=architecture(trained.transformer), max_tokens=32)
    again = TextEncoder(config, 8, 50, 0).eval()
    again.load_state_dict(trained.state_dict())
    ids = torch.tensor([[3, 7, 9, 4]])
    with torch.no_grad():
        torch.testing.assert_close(again(ids, torch.ones(1, 4)), trained(ids, torch.ones(1, 4)))


@pytest.mark.parametrize("model_type", TYPES)
def test_every_parameter_gets_a_gradient(model_type):
    """A pooling layer that nothing passes through would stop parallel training."""
    model = encoder(model_type).train()
    ids = torch.randint(1, 50, (4, 9), generator=torch.Generator().manual_seed(1))
    model(ids, torch.ones_like(ids))[:, 0].sum().backward()
    assert [name for name, p in model.named_parameters() if p.grad is None] == []


def test_too_long_texts_are_refused_by_number():
    config = TextConfig(encoder=small("bert"), max_tokens=41)
    with pytest.raises(ConfigError, match=r"41 pieces.*40 positions"):
        TextEncoder(config, 8, 50, 0)
    # RoBERTa's positions start after that of the padding token.
    with pytest.raises(ConfigError, match="39 positions"):
        TextEncoder(TextConfig(encoder=small("roberta"), max_tokens=40), 8, 50, 0)


@pytest.mark.parametrize("sizes", [{"model_type": "no-such"}, {"num_attention_heads": 3}])
def test_an_impossible_encoder_is_explained(sizes):
    with pytest.raises(ConfigError, match="No text encoder can be built"):
        build_transformer(TextConfig(encoder={**small("bert"), **sizes}), 50, 0)


@pytest.mark.parametrize(
    ("described", "pooling"),
    [
        ({"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": False}, "cls"),
        ({"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}, "mean"),
        ({"pooling_mode": "cls", "word_embedding_dimension": 8}, "cls"),
        (None, "mean"),
    ],
)
def test_pooling_is_read_from_the_folder(tmp_path, described, pooling):
    if described is not None:
        (tmp_path / "1_Pooling").mkdir()
        (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(described))
    assert pooling_of(str(tmp_path)) == pooling


@pytest.mark.parametrize(
    "described",
    [
        {"pooling_mode_max_tokens": True},
        {"pooling_mode_cls_token": True, "pooling_mode_mean_tokens": True},
    ],
)
def test_another_pooling_is_no_silent_mean(tmp_path, described):
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling" / "config.json").write_text(json.dumps(described))
    with pytest.raises(ConfigError, match="pools by pooling_mode"):
        pooling_of(str(tmp_path))


def test_a_folder_without_safetensors_is_refused(tmp_path):
    built = build_transformer(TextConfig(encoder=small("bert")), 50, 0)
    built.config.save_pretrained(tmp_path)
    torch.save(built.state_dict(), tmp_path / "pytorch_model.bin")
    with pytest.raises(ModelError, match="does not load"):
        build_transformer(TextConfig(pretrained=str(tmp_path)), 50, 0)
