"""Configuration errors name the file, the key and the near miss."""

import pytest

from molclip.errors import ConfigError
from molclip.training.config import load_config


def write(tmp_path, text):
    path = tmp_path / "run.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_defaults_and_overrides(tmp_path):
    config = load_config(write(tmp_path, 'output = "x"\n[run]\nepochs = 3\n'))
    assert config.run.epochs == 3
    assert config.optimizer.learning_rate == 1e-3


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('output = "x"\n[run]\nepoch = 3\n', ["run.epoch", "epochs", "run.toml"]),
        ('output = "x"\n[runn]\nepochs = 3\n', ["runn", "'run'"]),
        ('output = "x"\n[run]\nepochs = "many"\n', ["run.epochs", "integer"]),
        ('output = "x"\n[run]\nepochs = 0\n', ["run.epochs", "greater than or equal to 1"]),
        ("[run]\nepochs = 3\n", ["output", "required"]),
        ('output = "x"\n[objective]\nname = "clipp"\n', ["objective.name", "Did you mean 'clip'?"]),
        ('output = "x"\n[objective]\nadd = { vicregg = 1 }\n', ["Did you mean 'vicreg'?"]),
        (
            'output = "x"\n[model.molecule]\nencodr = "graph"\n',
            ["model.molecule", "encodr", "Did you mean 'encoder'?"],
        ),
        ('output = "x"\n[model.molecule]\nencoder = "grpah"\n', ["Did you mean 'graph'?"]),
        ('output = "x"\n[model.text]\npoolin = "cls"\n', ["model.text", "'pooling'"]),
        ('output = "x"\n[data.shares]\ncheb20 = 1.0\n', ["data.shares", "did you mean 'chebi20'?"]),
        ('output = "x"\n[data.shares]\nchebi = 1.5\n', ["data.shares.chebi", "equal to 1"]),
        ('output = "x"\n[run]\nseed = -1\n', ["run.seed"]),
        ('output = "x"\n[run]\npatience = 2\nevaluate_every = 0\n', ["run", "evaluate_every"]),
        ('output = "x"\n[model]\nfreeze_text = -1\n', ["model.freeze_text"]),
        ('output = "x"\n[objective]\ntemperature = 0.001\n', ["objective.temperature"]),
        ('output = "x"\n[objective]\nadd = { vicreg = -0.1 }\n', ["objective.add.vicreg"]),
        ("output = \n", ["not valid TOML"]),
    ],
)
def test_a_wrong_file_is_explained(tmp_path, text, words):
    with pytest.raises(ConfigError) as caught:
        load_config(write(tmp_path, text))
    for word in words:
        assert word in str(caught.value)


def test_a_missing_file_is_explained(tmp_path):
    with pytest.raises(ConfigError, match=r"no configuration .*none\.toml"):
        load_config(tmp_path / "none.toml")
