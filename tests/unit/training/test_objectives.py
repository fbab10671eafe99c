"""Which views an objective needs, what it adds up, and what a configuration may not combine."""

import pytest
import torch
from training_fakes import tiny_config

from molclip.errors import ConfigError
from molclip.losses import Terms, clip_loss, moco_loss, vicreg_loss
from molclip.training.objectives import Objective, Surroundings, uses_bias


def objective(tmp_path, **section):
    return Objective(tiny_config(tmp_path, objective=section))


@pytest.mark.parametrize(
    ("section", "views", "keys"),
    [
        ({"name": "clip"}, {"text", "molecule"}, set()),
        ({"name": "siglip"}, {"text", "molecule"}, set()),
        ({"name": "nt_xent"}, {"molecule_a", "molecule_b"}, set()),
        ({"name": "moco"}, {"text", "molecule"}, {"text", "molecule"}),
        ({"name": "moco", "modality": "molecule"}, {"molecule_a"}, {"molecule_b"}),
        ({"name": "moco", "modality": "text"}, {"text_a"}, {"text_b"}),
        ({"name": "vicreg"}, {"text", "molecule"}, set()),
        (
            {"name": "clip", "add": {"nt_xent": 0.5}},
            {"text", "molecule", "molecule_a", "molecule_b"},
            set(),
        ),
    ],
)
def test_views(tmp_path, section, views, keys):
    made = objective(tmp_path, **section)
    assert set(made.views) == views
    assert set(made.key_views) == keys


def test_a_sum_is_the_weighted_sum_of_its_parts(tmp_path):
    made = objective(tmp_path, name="clip", add={"vicreg": 0.1})
    generator = torch.Generator().manual_seed(0)
    vectors = {view: torch.randn(6, 4, generator=generator) for view in ("text", "molecule")}
    scale = torch.tensor(5.0)
    value = made(vectors, Surroundings(scale))
    unit = [torch.nn.functional.normalize(rows, dim=1) for rows in vectors.values()]
    clip = clip_loss(*unit, Terms(scale)).loss
    vicreg = vicreg_loss(vectors["text"], vectors["molecule"], Terms(scale)).loss
    assert value.loss.item() == pytest.approx((clip + 0.1 * vicreg).item(), rel=1e-5)
    assert value.parts == pytest.approx({"clip": clip.item(), "vicreg": vicreg.item()})
    assert value.main.candidates == 6


def test_moco_asks_in_both_directions_with_the_other_modality_remembered(tmp_path):
    made = objective(tmp_path, name="moco")
    generator = torch.Generator().manual_seed(0)

    def unit(rows):
        drawn = torch.randn(rows, 4, generator=generator)
        return torch.nn.functional.normalize(drawn, dim=1)

    vectors = {"text": unit(3), "molecule": unit(3)}
    keys = {"text": unit(3), "molecule": unit(3)}
    queues = {"text": unit(5), "molecule": unit(5)}
    scale = torch.tensor(4.0)
    value = made(vectors, Surroundings(scale, keys=keys, queues=queues))
    there = moco_loss(vectors["text"], keys["molecule"], Terms(scale, queue=queues["molecule"]))
    back = moco_loss(vectors["molecule"], keys["text"], Terms(scale, queue=queues["text"]))
    assert value.loss.item() == pytest.approx(((there.loss + back.loss) / 2).item(), rel=1e-5)
    assert value.main.candidates == 6


@pytest.mark.parametrize(
    ("sections", "words"),
    [
        ({"objective": {"name": "clip", "add": {"clip": 1.0}}}, "main objective already"),
        ({"objective": {"name": "vicreg"}, "negatives": {"beta": 1.0}}, "negatives.beta"),
        ({"objective": {"name": "clip", "modality": "text"}}, "modality"),
        ({"objective": {"name": "wmse"}, "run": {"batch_size": 8}}, "cannot whiten"),
        ({"objective": {"augmentations": {"bit_dropout": 0.1}}}, "augmentations"),
    ],
)
def test_what_means_nothing_is_refused(tmp_path, sections, words):
    with pytest.raises(ConfigError, match=words):
        Objective(tiny_config(tmp_path, **sections))


def test_only_siglip_uses_a_bias(tmp_path):
    assert uses_bias(tiny_config(tmp_path, objective={"name": "clip", "add": {"siglip": 0.1}}))
    assert not uses_bias(tiny_config(tmp_path))
