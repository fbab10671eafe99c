"""What a run takes over from earlier starts and from the model it starts with."""

from types import SimpleNamespace

import pytest
import torch
from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.errors import ConfigError
from molclip.text.tokenizer import TextTokenizer, train_tokenizer
from molclip.training import run
from molclip.training.run import _load_start, _pin


def test_a_tokenizer_of_other_settings_is_not_kept(tmp_path):
    learned = tmp_path / "tokenizer.json"
    first, second = (tiny_config(tmp_path, model={"vocabulary": n}) for n in (200, 300))
    _pin(first, tmp_path)
    learned.touch()
    _pin(first, tmp_path)
    assert learned.is_file()
    _pin(second, tmp_path)
    assert not learned.exists()
    learned.touch()
    (tmp_path / "checkpoint.pt").touch()
    with pytest.raises(ConfigError, match="other settings"):
        _pin(first, tmp_path)
    assert learned.is_file()


@pytest.mark.parametrize(
    ("objective", "expected"),
    [({}, 0.02), ({"name": "siglip"}, 0.02), ({"temperature": 0.3}, 0.3)],
)
def test_the_start_model_gives_weights_and_temperature(tmp_path, objective, expected):
    tokenizer = tiny_tokenizer(tiny_pairs(tmp_path))
    config = tiny_config(tmp_path, objective=objective)
    bias = -5.0 if "name" in objective else None
    network = tiny_network(config, tokenizer, seed=1, bias=bias)
    started = tiny_network(config, tokenizer, seed=2, bias=None if bias else -3.0)
    with torch.no_grad():
        network.log_scale.fill_(-torch.tensor(config.objective.temperature).log())
        started.log_scale.fill_(-torch.tensor(0.02).log())
    _load_start(network, SimpleNamespace(network=started, folder=None), config)
    assert torch.equal(network.molecule.first.weight, started.molecule.first.weight)
    assert 1 / network.scale.item() == pytest.approx(expected)
    assert (None if network.bias is None else network.bias.item()) == bias


def test_texts_are_as_long_as_the_configuration_says_whatever_the_start_model_read(
    tmp_path, monkeypatch
):
    tokenizer = TextTokenizer(train_tokenizer(["a b c d e f"] * 9, 60), 99)
    start = SimpleNamespace(tokenizer=tokenizer, config=SimpleNamespace(members=[]))
    monkeypatch.setattr(run.MolCLIP, "from_pretrained", lambda _: start)
    config = tiny_config(tmp_path, model={"text": {"max_tokens": 8}})
    config.init_from = "anything"
    tokenizer, _ = run._tokenizer(config, None, tmp_path)
    assert len(tokenizer.encode(["a b c d e f a b c d e f"])[0].ids) == 8
