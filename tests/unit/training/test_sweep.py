"""Runs of a sweep: skipped, resumed, recorded; data shared; figures side by side.

Training itself is replaced by a stand-in that writes the history a run would.
"""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from molclip.errors import ConfigError
from molclip.training import pairs as pairs_module
from molclip.training import run as run_module
from molclip.training.memory import PeakMemory
from molclip.training.sweep import run_sweep
from molclip.training.sweep_plan import load_sweep
from molclip.training.sweep_report import sweep_report, write_parquet


class Training:
    """Stands in for `run_training`: beta is the MRR it reaches, in the middle of three epochs."""

    def __init__(self):
        self.started = []
        self.pairs = []
        self.broken = {}

    def __call__(self, config, report, pairs):
        self.started.append(config.output.name)
        self.pairs.append(pairs)
        if config.output.name in self.broken:
            raise self.broken[config.output.name]
        report({"loss": 2.0, "pairs_per_second": 100.0})
        report({"loss": 1.0, "pairs_per_second": 300.0})
        config.output.mkdir(parents=True, exist_ok=True)
        beta = config.negatives.beta
        lines = [
            {"epoch": 1, "step": 10, "loss": 3.0, "validation mrr": beta / 2},
            {"epoch": 2, "step": 20, "loss": 2.0, "validation mrr": beta},
            {"epoch": 3, "step": 30, "loss": 1.0, "warnings": ["one"]},
        ]
        text = "".join(json.dumps(line) + "\n" for line in lines)
        (config.output / "history.jsonl").write_text(text, encoding="utf-8")
        return config.output / "model"


@pytest.fixture
def training(monkeypatch):
    stand_in = Training()
    loaded = []

    def load(config, cache, progress):
        loaded.append(config.data.pairs)
        return f"pairs {len(loaded)}"

    stand_in.loaded = loaded
    monkeypatch.setattr(run_module, "run_training", stand_in)
    monkeypatch.setattr(pairs_module, "load_pairs", load)
    return stand_in


@pytest.fixture
def sweep(tmp_path):
    def load(axes='"negatives.beta" = [0.25, 0.5]', epochs=3):
        path = tmp_path / "sweep.toml"
        output = tmp_path / "out"
        path.write_text(
            f'output = "{output}"\n[base.run]\nepochs = {epochs}\n[axes]\n{axes}\n',
            encoding="utf-8",
        )
        return load_sweep(path)

    return load


def test_runs_share_the_data_and_finished_ones_are_skipped(sweep, training):
    records = run_sweep(sweep())
    assert [record.status for record in records] == ["finished", "finished"]
    assert training.pairs == ["pairs 1", "pairs 1"]
    assert records[0].pairs_per_second == 200  # the median of 100 and 300
    again = run_sweep(sweep())
    assert training.started == ["beta=0.25", "beta=0.5"]
    assert [record.history for record in again] == [record.history for record in records]
    assert [record.seconds for record in again] == [record.seconds for record in records]


def test_a_tokenizer_is_learned_once_for_runs_with_the_same_captions(sweep, training, monkeypatch):
    found = {}

    def train(config, report, pairs):
        path = config.output / "tokenizer.json"
        found[config.output.name] = path.read_text() if path.is_file() else None
        path.write_text(found[config.output.name] or f"learned by {config.output.name}")
        return training(config, report, pairs)

    monkeypatch.setattr(run_module, "run_training", train)
    run_sweep(sweep('"negatives.beta" = [0.25, 0.5]\n"model.vocabulary" = [100, 200]'))
    names = ["beta=0.25-vocabulary=100", "beta=0.25-vocabulary=200"]
    assert found == {
        names[0]: None,
        names[1]: None,
        "beta=0.5-vocabulary=100": f"learned by {names[0]}",
        "beta=0.5-vocabulary=200": f"learned by {names[1]}",
    }


def test_other_data_is_loaded_anew(sweep, training):
    run_sweep(sweep('"data.pairs" = ["a.csv", "b.csv"]\n"run.seed" = [1, 2]'))
    assert training.pairs == ["pairs 1", "pairs 1", "pairs 2", "pairs 2"]


def test_a_failed_run_is_recorded_the_others_go_on_and_it_is_tried_again(sweep, training):
    axes = '"negatives.beta" = [0.25, 0.5, 0.75]'
    training.broken = {
        "beta=0.25": ConfigError("The loss is nan at step 3.", "Lower the rate."),
        "beta=0.5": RuntimeError("out of memory\nmore"),
    }
    records = run_sweep(sweep(axes))
    assert [record.status for record in records] == ["failed", "failed", "finished"]
    assert records[0].error == "The loss is nan at step 3. Lower the rate."
    assert records[1].error == "RuntimeError: out of memory"
    assert "Traceback" in records[1].details
    stored = json.loads((sweep(axes).runs[1].folder / "run.json").read_text())
    assert (stored["status"], stored["error"]) == ("failed", "RuntimeError: out of memory")
    training.broken, training.started = {}, []
    records = run_sweep(sweep(axes))
    assert training.started == ["beta=0.25", "beta=0.5"]
    assert [record.status for record in records] == ["finished"] * 3
    assert records[1].error is None


def test_an_interrupted_run_is_started_again_and_its_seconds_count(sweep, training):
    training.broken = {"beta=0.5": KeyboardInterrupt()}
    with pytest.raises(KeyboardInterrupt):
        run_sweep(sweep())
    path = sweep().runs[1].folder / "run.json"
    stored = json.loads(path.read_text())
    assert stored["status"] == "running"
    stored["seconds"] = 1000.0
    path.write_text(json.dumps(stored))
    training.broken, training.started = {}, []
    records = run_sweep(sweep())
    assert training.started == ["beta=0.5"]
    assert 1000 < records[1].seconds < 1010


def test_a_folder_with_other_settings_is_not_overwritten(sweep, training):
    run_sweep(sweep())
    with pytest.raises(ConfigError, match=r"beta=0\.25.*other settings"):
        run_sweep(sweep(epochs=4))
    assert training.started == ["beta=0.25", "beta=0.5"]


def test_threads_and_device_may_change_between_starts(sweep, training, tmp_path):
    run_sweep(sweep())
    path = tmp_path / "sweep.toml"
    path.write_text(path.read_text().replace("epochs = 3", "epochs = 3\nthreads = 1"))
    training.started.clear()
    assert [record.status for record in run_sweep(load_sweep(path))] == ["finished"] * 2
    assert training.started == []


def test_mended_settings_replace_a_run_that_never_reached_a_checkpoint(sweep, training):
    training.broken = {"beta=0.25": ConfigError("no"), "beta=0.5": ConfigError("no")}
    run_sweep(sweep())
    training.broken = {}
    assert [r.status for r in run_sweep(sweep(epochs=4))] == ["finished", "finished"]


def test_several_processes_are_refused(sweep, training, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(ConfigError, match="one process"):
        run_sweep(sweep())


def test_last_and_best_figures_stand_in_every_file(sweep, training, tmp_path):
    training.broken = {"beta=0.75": ConfigError("The disk is full.")}
    asked = sweep('"negatives.beta" = [0.25, 0.75, 0.5]')
    records = run_sweep(asked)
    report = sweep_report(asked, records, "molclip train --sweep sweep.toml")
    rows = report.results["runs"]
    assert rows[0]["last validation mrr"] == 0.25  # of epoch 2; epoch 3 was not evaluated
    assert rows[0]["last loss"] == 1.0
    assert (rows[0]["best epoch"], rows[0]["best loss"]) == (2, 2.0)
    assert rows[1]["status"] == "failed"
    assert "The disk is full." in "".join(report.notes)
    text = report.to_markdown()
    # Last loss, last MRR, best MRR and its epoch, pairs per second.
    assert "| beta=0.5 | 1.000 | 0.500 | 0.500 | 2/3 | 200 |" in text
    assert "| beta=0.75 | failed |" in text
    assert rows[0]["warnings"] == 1
    assert "beta=0.25: one" in report.notes
    assert "3: 2 finished, 1 failed" in text
    write_parquet(records, tmp_path / "sweep.parquet")
    table = pq.read_table(tmp_path / "sweep.parquet").to_pydict()
    assert table["run"] == ["beta=0.25", "beta=0.75", "beta=0.5"]
    assert table["set negatives.beta"] == ["0.25", "0.75", "0.5"]
    assert table["best validation mrr"] == [0.25, None, 0.5]


def test_a_sweep_over_the_budget_says_so(sweep, training):
    asked = sweep('"run.epochs" = [1, 2]')
    notes = sweep_report(asked, run_sweep(asked), "").notes
    assert any("run.epochs" in note for note in notes)
    asked = sweep()
    assert not any("differ in" in note for note in sweep_report(asked, run_sweep(asked), "").notes)


def test_peak_memory_sees_an_array_that_is_gone_again():
    import time

    with PeakMemory() as during:
        block = np.ones(300 * 2**20, dtype=np.uint8)
        time.sleep(0.25)
        del block
    # Afterwards, not before: meanwhile the system may have taken pages of earlier tests back.
    with PeakMemory() as after:
        time.sleep(0.15)
    assert during.peak - after.peak > 250 * 2**20
