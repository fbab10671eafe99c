"""What is decayed, how fast each layer learns, and the schedule."""

import pytest
from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.training.config import OptimizerSection
from molclip.training.optimizer import build_optimizer, rate_at, set_rate


@pytest.fixture
def network(tmp_path):
    pairs = tiny_pairs(tmp_path)
    config = tiny_config(tmp_path)
    return tiny_network(config, tiny_tokenizer(pairs), bias=-3.0)


def settings_of(network, optimizer):
    names = {id(parameter): name for name, parameter in network.named_parameters()}
    return {
        names[id(parameter)]: (group["weight_decay"], group["lr"])
        for group in optimizer.param_groups
        for parameter in group["params"]
    }


def test_temperature_bias_norms_and_biases_are_not_decayed(network):
    found = settings_of(network, build_optimizer(network, OptimizerSection()))
    assert set(found) == {name for name, _ in network.named_parameters()}
    for name, (decay, _) in found.items():
        plain = name in ("log_scale", "bias") or name.endswith(".bias") or "orm.weight" in name
        assert decay == (0.0 if plain else 0.1), name


def test_each_text_layer_learns_slower_than_the_one_above(network):
    settings = OptimizerSection(learning_rate=1e-2, text_learning_rate=1e-3, text_layer_decay=0.5)
    optimizer = build_optimizer(network, settings)
    set_rate(optimizer, 1e-2)
    found = {name: rate for name, (_, rate) in settings_of(network, optimizer).items()}
    prefix = "text.transformer."
    rates = {
        "molecule.first.weight": 1e-2,
        "text.projection.weight": 1e-2,
        f"{prefix}encoder.layer.1.output.dense.weight": 1e-3,
        f"{prefix}encoder.layer.0.output.dense.weight": 5e-4,
        f"{prefix}embeddings.word_embeddings.weight": 2.5e-4,
    }
    for name, rate in rates.items():
        assert found[name] == pytest.approx(rate), name


def test_a_frozen_parameter_is_left_out(network):
    network.molecule.first.weight.requires_grad = False
    found = settings_of(network, build_optimizer(network, OptimizerSection()))
    assert "molecule.first.weight" not in found
    assert "molecule.first.bias" in found


def test_the_schedule_warms_up_and_falls_as_a_cosine():
    settings = OptimizerSection(learning_rate=1.0, warmup=0.1)
    assert rate_at(settings, 0, 100) == pytest.approx(0.1)
    assert rate_at(settings, 9, 100) == pytest.approx(1.0)
    assert rate_at(settings, 55, 100) == pytest.approx(0.5)
    assert rate_at(settings, 100, 100) == pytest.approx(0.0)


def test_a_constant_schedule_stays_and_no_warm_up_starts_at_once():
    settings = OptimizerSection(learning_rate=2.0, warmup=0.0, schedule="constant")
    assert [rate_at(settings, step, 10) for step in (0, 5, 20)] == [2.0, 2.0, 2.0]
