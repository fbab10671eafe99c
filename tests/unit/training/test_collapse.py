"""A collapsing run is named while it runs, a healthy one is left in peace."""

import math
import warnings

import numpy as np
import pytest
import torch

from molclip.losses import LOSSES, Terms
from molclip.training.collapse import Setting, in_steps, in_vectors, trained_modalities
from molclip.training.config import TrainingConfig
from molclip.training.diagnostics import diagnose
from molclip.training.history import History

BATCH = 32


@pytest.fixture
def config(tmp_path):
    config = TrainingConfig(output=tmp_path)
    config.run.batch_size = BATCH
    config.run.epochs = 4
    return config


@pytest.fixture(autouse=True)
def one_thread():
    # Matrices this small only wait for each other on several.
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def trained(config, learning_rate, text_noise=0.0, steps=480, flat=0.0, dimension=16):
    """Two linear towers on pairs of noisy copies, logged as the trainer does it.

    `flat` pulls every vector to one point, `text_noise` makes the pairs meaningless.
    """
    torch.manual_seed(0)
    things = torch.randn(256, 24)
    words = things + text_noise * torch.randn(256, 24)
    towers = [torch.nn.Linear(24, dimension) for _ in range(2)]
    weights = [p for tower in towers for p in tower.parameters()]
    optimizer = torch.optim.Adam(weights, lr=learning_rate)
    scale = torch.tensor(10.0)

    def encode():
        return [
            torch.nn.functional.normalize(tower(x), dim=1)
            for tower, x in zip(towers, (words, things), strict=True)
        ]

    history = History(config.output, config, total_steps=steps)

    def diagnosis():
        with torch.no_grad():
            return diagnose(*(x.numpy() for x in encode()), float(scale))

    history.begin(diagnosis())
    for step in range(1, steps + 1):
        rows = torch.randint(0, 256, (BATCH,)).unique()
        text, molecule = (x[rows] for x in encode())
        result = LOSSES["clip"](text, molecule, Terms(scale=scale))
        both = torch.cat([text, molecule])
        spread = (both - both.mean(dim=0)).square().sum(dim=1).mean()
        optimizer.zero_grad()
        (result.loss * (1 - flat) + flat * 50 * spread).backward()
        optimizer.step()
        history.step(
            {
                "step": step,
                "loss": result.loss.item(),
                "accuracy": float(result.accuracy),
                "temperature": 0.1,
                "candidates": len(rows),
                "masked": float(result.masked),
            }
        )
        if step % (steps // 4) == 0:
            history.epoch(step // (steps // 4), step, None, diagnosis())
    return history


def test_a_healthy_run_gets_no_warning(config):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        history = trained(config, 0.01, text_noise=0.3)
    assert history.warnings == []
    assert history.records[-1]["accuracy"] > 0.8


def test_a_run_that_falls_onto_one_point_is_named_in_its_first_epoch(config):
    with pytest.warns(UserWarning, match="lie close together"):
        history = trained(config, 0.03, flat=1.0)
    first = " ".join(history.records[0]["warnings"])
    assert "All text vectors lie close together" in first
    assert "All molecule vectors lie close together" in first
    assert "vicreg" in first
    # Said once, not in every epoch.
    assert sum("All text vectors" in text for text in history.warnings) == 1


def test_a_run_without_a_gradient_is_at_chance_once_the_grace_is_over(config):
    with pytest.warns(UserWarning, match="at chance"):
        history = trained(config, 0.0, text_noise=1e3)
    # Epochs of 120 steps, of which the first 100 are not judged, and stretches of 24.
    assert "warnings" not in history.records[0]
    assert "In-batch accuracy is at chance" in " ".join(history.records[1]["warnings"])
    assert sum("at chance" in text for text in history.warnings) == 1


def setting(config, **changes):
    for key, value in changes.items():
        setattr(config.objective, key, value)
    return Setting.of(config, 2000, 100.0)


def test_rank_that_does_not_rise_is_a_collapse_and_rising_is_not(config):
    def record(rank):
        return {"dimension": 256, "effective_rank_text": rank, "step": 500}

    rules = setting(config)
    assert [f.rule for f in in_vectors(record(9.0), record(30.0), rules)] == ["rank_text"]
    assert [f.rule for f in in_vectors(record(9.0), record(9.0), rules)] == ["rank_text"]
    assert in_vectors(record(9.0), record(3.0), rules) == []
    assert in_vectors(record(60.0), record(90.0), rules) == []
    assert in_vectors(record(9.0), None, rules) == []
    # Twenty pairs cannot have a rank over twenty.
    few = record(9.0) | {"diagnosed_pairs": 20}
    assert in_vectors(few, record(30.0), rules) == []


def test_dead_dimensions_above_a_half(config):
    def record(share):
        return {"collapsed_molecule": share, "step": 500}

    found = in_vectors(record(0.75), record(0.5), setting(config))
    assert [f.rule for f in found] == ["collapsed_molecule"]
    assert found[0].sentence.startswith("75% of the dimensions of the molecule vectors")
    assert in_vectors(record(0.75), record(0.9), setting(config)) == []
    assert in_vectors(record(0.4), record(0.2), setting(config)) == []


def test_nothing_is_expected_before_the_warm_up_is_over(config):
    bad = {"uniformity_text": 0.0, "accuracy": 0.0, "loss": math.log(BATCH)}
    rules = setting(config)
    early, late = {**bad, "step": 200}, {**bad, "step": 201}
    assert in_vectors(early, early, rules) == []
    assert in_steps(early, early, rules) == []
    assert {f.rule for f in in_vectors(late, late, rules)} == {"uniformity_text"}
    assert {f.rule for f in in_steps(late, late, rules)} == {"chance", "guess_loss"}


def test_loss_and_accuracy_that_move_are_not_stuck(config):
    def record(loss, accuracy):
        return {"loss": loss, "accuracy": accuracy, "step": 500}

    rules, guess = setting(config), math.log(BATCH)
    found = in_steps(record(guess, 0.5), record(guess, 0.01), rules)
    assert [f.rule for f in found] == ["guess_loss"]
    assert in_steps(record(guess, 0.5), record(1.1 * guess, 0.01), rules) == []
    assert in_steps(record(0.9 * guess, 0.2), record(guess, 0.01), rules) == []
    # Under hard-negative weights a guess has another loss.
    config.negatives.beta = 0.5
    weighted = Setting.of(config, 2000, 100.0)
    assert in_steps(record(guess, 0.5), record(guess, 0.5), weighted) == []


def test_chance_counts_the_candidates_that_are_left(config):
    # 32 candidates of which 28 negatives are masked: a guess is right once in four.
    record = {"accuracy": 0.3, "masked": 28 / 31, "step": 500}
    assert [f.rule for f in in_steps(record, record, setting(config))] == ["chance"]
    assert in_steps({**record, "masked": 0.0}, {**record, "masked": 0.0}, setting(config)) == []


def test_the_clamp_is_said_only_of_a_learned_temperature(config):
    record = {"temperature": 0.01}
    assert [f.rule for f in in_steps(record, None, setting(config))] == ["clamp"]
    assert in_steps({"temperature": 0.02}, None, setting(config)) == []
    assert in_steps(record, None, setting(config, learn_temperature=False)) == []


@pytest.mark.parametrize(
    ("name", "modality", "add", "expected"),
    [
        ("clip", "cross", {}, ("text", "molecule")),
        ("nt_xent", "cross", {}, ("molecule",)),
        ("moco", "text", {}, ("text",)),
        ("vicreg", "cross", {}, ("text", "molecule")),
        ("vicreg", "molecule", {}, ("molecule",)),
        ("nt_xent", "cross", {"siglip": 1.0}, ("text", "molecule")),
    ],
)
def test_only_trained_modalities_are_judged(config, name, modality, add, expected):
    config.objective.name, config.objective.modality, config.objective.add = name, modality, add
    assert trained_modalities(config) == expected
    record = {"uniformity_text": 0.0, "uniformity_molecule": 0.0, "step": 900}
    found = in_vectors(record, record, Setting.of(config, 2000, 100.0))
    assert [f.rule for f in found] == [f"uniformity_{modality}" for modality in expected]


def test_a_diagnosis_of_collapsed_vectors_meets_the_names_of_the_rules(config):
    rng = np.random.default_rng(0)
    point = np.ones((300, 64)) + 0.01 * rng.normal(size=(300, 64))
    point /= np.linalg.norm(point, axis=1, keepdims=True)
    found = diagnose(point, point, 10.0) | {"step": 900}
    rules = [f.rule for f in in_vectors(found, found, setting(config))]
    assert rules == [
        f"{rule}_{modality}"
        for modality in ("text", "molecule")
        for rule in ("uniformity", "collapsed", "rank")
    ]
