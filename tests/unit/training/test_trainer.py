"""How a run ends: by length, by patience, by a failure that says what to do."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
import torch
from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.errors import ConfigError
from molclip.training.config import WATCHED
from molclip.training.objectives import uses_bias
from molclip.training.out_of_memory import memory_advice
from molclip.training.trainer import Trainer


@pytest.fixture(scope="module")
def pairs(tmp_path_factory):
    return tiny_pairs(tmp_path_factory.mktemp("features"))


@pytest.fixture
def make(tmp_path, pairs):
    tokenizer = tiny_tokenizer(pairs)

    def trainer(evaluate=None, seed=0, **sections):
        config = tiny_config(tmp_path, **sections)
        bias = -5.0 if uses_bias(config) else None
        network = tiny_network(config, tokenizer, seed=seed, bias=bias)
        return Trainer(config, network, tokenizer, pairs, tmp_path, evaluate=evaluate)

    return trainer


def test_max_steps_ends_the_run_and_lays_out_the_schedule(make, tmp_path):
    trainer = make(run={"epochs": 50, "max_steps": 5}, optimizer={"warmup": 0.0})
    rates = []
    trainer.report = lambda n: rates.append(n.get("learning_rate"))
    trainer.train()
    assert trainer.step == 5
    steps = [rate for rate in rates if rate is not None][:2]
    assert steps == pytest.approx([1e-3, 1e-3 * 0.5 * (1 + np.cos(np.pi / 5))])


@pytest.mark.parametrize("run", [{"batch_size": 20}, {"batch_size": 20, "max_steps": 50}])
def test_the_schedule_ends_with_the_run(make, run):
    # 32 rows make one batch of 20 and a rest of 12, which is one too; of 24, only a rest that is
    # dropped. The last step of a cosine over T steps has the rate (1 + cos(pi (T - 1) / T)) / 2.
    for batch, steps in ((20, 4), (24, 2)):
        trainer = make(run={**run, "epochs": 2, "batch_size": batch}, optimizer={"warmup": 0.0})
        rates = []
        trainer.report = lambda n, rates=rates: rates.append(n["learning_rate"])
        (trainer.folder / "checkpoint.pt").unlink(missing_ok=True)
        trainer.train()
        assert trainer.step == trainer.total_steps == steps
        assert rates[-1] == pytest.approx(1e-3 * (1 + np.cos(np.pi * (steps - 1) / steps)) / 2)


def test_a_last_batch_too_small_to_whiten_is_left_for_the_next_epoch(make):
    trainer = make(
        objective={"name": "wmse"}, model={"dimension": 10}, run={"epochs": 2, "batch_size": 20}
    )
    trainer.objective.least_rows = 13  # 32 rows: 20, and 12 that would be a batch
    trainer.train()
    assert trainer.step == 2
    trainer.objective.least_rows = 21
    with pytest.raises(ConfigError, match=r"21 rows .* largest has 20"):
        trainer._plan_epoch()


def test_patience_stops_and_gives_back_the_best(make, tmp_path):
    scores = iter([0.2, 0.5, 0.4, 0.3, 0.6])
    seen = []

    def evaluate(network):
        seen.append({n: t.clone() for n, t in network.state_dict().items()})
        return {WATCHED: next(scores)}

    trainer = make(evaluate, run={"epochs": 10, "patience": 2})
    final = trainer.train()
    assert trainer.epoch == 4
    for name, tensor in final.state_dict().items():
        assert torch.equal(tensor, seen[1][name]), name


def test_patience_without_an_evaluation_is_refused(make):
    with pytest.raises(ConfigError, match="validation_pairs"):
        make(run={"patience": 1}).train()


def test_a_loss_that_is_no_number_names_step_and_rows_and_keeps_the_checkpoint(make, tmp_path):
    trainer = make(run={"epochs": 1})
    trainer.train()
    before = (tmp_path / "checkpoint.pt").read_bytes()
    with torch.no_grad():
        trainer.network.molecule.first.bias.fill_(float("nan"))
    trainer.epoch = 0
    trainer.plan = [np.arange(16)]
    with pytest.raises(ConfigError, match=r"nan at step 2; rows m0, m1.*last good checkpoint"):
        trainer.train_step(np.arange(16))
    assert (tmp_path / "checkpoint.pt").read_bytes() == before
    failed = json.loads((tmp_path / "failed_batch.json").read_text())
    assert failed["step"] == 2
    assert failed["ids"] == [f"m{n}" for n in range(16)]


def test_two_views_of_one_text_are_said_to_be_one(make, pairs):
    single = [replace(facts, texts=facts.texts[:1]) for facts in pairs.facts]
    objective = {"name": "moco", "modality": "text"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        trainer = make(objective=objective)
    with pytest.warns(UserWarning, match="only dropout"):
        Trainer(
            trainer.config,
            trainer.network,
            trainer.tokenizer,
            replace(pairs, facts=single),
            trainer.folder,
        )


def test_a_full_disk_does_not_hide_the_loss_that_is_no_number(make, tmp_path):
    trainer = make()
    (tmp_path / "failed_batch.json").mkdir()  # what cannot be written to
    with torch.no_grad():
        trainer.network.molecule.first.bias.fill_(float("nan"))
    with pytest.raises(ConfigError, match="nan at step 0"):
        trainer.train_step(np.arange(16))


def test_other_data_do_not_continue_a_run(make, tmp_path):
    make(run={"epochs": 1}).train()
    other = make(run={"epochs": 1})
    other.digest = "another"
    with pytest.raises(ConfigError, match="other texts or structures"):
        other.train()


def test_a_damaged_checkpoint_is_named(make, tmp_path):
    make(run={"epochs": 1}).train()
    whole = (tmp_path / "checkpoint.pt").read_bytes()
    (tmp_path / "checkpoint.pt").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ConfigError, match=r"checkpoint\.pt cannot be read"):
        make(run={"epochs": 1}).train()


def test_a_process_that_does_not_see_the_checkpoint_is_refused(make):
    trainer = make(run={"epochs": 1})
    trainer.processes.agree = lambda value: 7.0  # the first process goes on from step 7
    with pytest.raises(ConfigError, match="shared disk"):
        trainer.train()


@pytest.mark.parametrize(
    ("error", "run", "words"),
    [
        (torch.OutOfMemoryError("CUDA out of memory"), {}, r"run.chunk_size = 16"),
        (RuntimeError("DefaultCPUAllocator: can't allocate memory"), {}, r"chunk_size"),
        (MemoryError(), {"chunk_size": 16}, r"Lower run.batch_size from 64"),
    ],
)
def test_running_out_of_memory_names_the_setting(tmp_path, error, run, words):
    config = tiny_config(tmp_path, run={"batch_size": 64, **run})
    with pytest.raises(ConfigError, match=words), memory_advice(config, 64, 3):
        raise error


def test_other_errors_pass_unchanged(tmp_path):
    with pytest.raises(RuntimeError, match="shapes"), memory_advice(tiny_config(tmp_path), 64, 3):
        raise RuntimeError("shapes do not match")


def test_a_checkpoint_that_cannot_be_written_leaves_the_earlier_one(make, tmp_path, monkeypatch):
    trainer = make(run={"epochs": 1})
    trainer.train()
    before = (tmp_path / "checkpoint.pt").read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(torch, "save", full)
    with pytest.raises(ConfigError, match="No space left"):
        trainer._save()
    assert (tmp_path / "checkpoint.pt").read_bytes() == before
    assert not list(tmp_path.glob("*.part"))


def test_the_temperature_stays_where_it_is_told_to(make):
    trainer = make(objective={"learn_temperature": False, "temperature": 0.07})
    trainer.train()
    assert 1 / trainer.network.scale.item() == pytest.approx(0.07, rel=1e-5)
    learned = make(run={"epochs": 3})
    # Another folder would do as well; the checkpoint of the first run must not be read.
    (learned.folder / "checkpoint.pt").unlink()
    learned.train()
    assert 1 / learned.network.scale.item() != pytest.approx(0.07, rel=1e-5)


@pytest.mark.parametrize("batches", ["random", "neighbours", "related", "mined"])
@pytest.mark.parametrize(
    "objective",
    [
        {"name": "clip", "add": {"vicreg": 0.1, "nt_xent": 0.2}},
        {"name": "siglip"},
        {"name": "nt_xent", "augmentations": {"atom_masking": 0.2}},
        {"name": "moco", "modality": "molecule", "queue": 20},
        {"name": "moco", "modality": "text", "queue": 20},
        {"name": "moco", "queue": 20},
        {"name": "wmse", "modality": "text"},
    ],
    ids=lambda o: "-".join(str(v) for v in o.values())[:24],
)
def test_every_objective_trains_with_every_kind_of_batch(make, objective, batches):
    negatives = {
        "batches": batches,
        "group": 4,
        "rules": ["facts", "description", "molecule", "skeleton", "tanimoto"],
        "false": "soft",
    }
    trainer = make(
        objective=objective,
        negatives=negatives,
        run={"epochs": 1, "batch_size": 16, "chunk_size": 5},
        model={"dimension": 6},
    )
    before = {n: p.detach().clone() for n, p in trainer.network.named_parameters()}
    trainer.train()
    moved = {
        name.split(".")[0]
        for name, parameter in trainer.network.named_parameters()
        if not torch.equal(parameter, before[name])
    }
    views = trainer.objective.views
    assert {"text", "molecule"} & moved == {view.split("_")[0] for view in views}
    assert np.isfinite(trainer.history.records[-1]["loss"])
