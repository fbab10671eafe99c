"""The log of a run: means, durability, resumption, table and page."""

import json
import math
import os
import signal
import subprocess
import sys

import pyarrow.parquet as pq
import pytest

from molclip.errors import ConfigError
from molclip.training.config import TrainingConfig
from molclip.training.history import History, Means
from molclip.training.history_log import read_log
from molclip.training.history_table import CONFIG_KEY


@pytest.fixture
def config(tmp_path):
    config = TrainingConfig(output=tmp_path)
    config.run.epochs = 4
    return config


def numbers(step, loss=1.0, **more):
    return {"step": step, "loss": loss, "accuracy": 0.5, "temperature": 1 / step, **more}


def test_an_epoch_has_means_last_values_and_rates(tmp_path, config):
    history = History(tmp_path, config)
    history.step(numbers(1, 2.0, candidates=9, masked=0.25, pairs_per_second=100.0))
    history.step(numbers(2, 1.0, candidates=9, masked=0.25, pairs_per_second=300.0, own=None))
    record = history.epoch(1, 2, {"validation mrr": 0.3}, {"alignment": 0.7})
    assert record["loss"] == 1.5
    assert record["temperature"] == 0.5
    # Equal batches at 100 and 300 pairs/s take 1 and 1/3 of a time: 150 on the whole.
    assert record["pairs_per_second"] == pytest.approx(150)
    # Six of eight negatives are left, and the partner.
    assert record["information_bound"] == pytest.approx(math.log(7) - 1.5)
    assert (record["validation mrr"], record["alignment"]) == (0.3, 0.7)
    assert "own" not in record
    assert "warnings" not in record


def test_the_bound_needs_candidates_and_the_objective_alone(tmp_path, config):
    config.objective.add = {"vicreg": 0.1}
    history = History(tmp_path, config)
    history.step(numbers(1, 2.0, candidates=8))
    assert "information_bound" not in history.epoch(1, 1)
    history.step(numbers(2, 2.0, objective_loss=1.5, candidates=8))
    assert history.epoch(2, 2)["information_bound"] == pytest.approx(math.log(8) - 1.5)
    history.step(numbers(3, 2.0, objective_loss=1.5))
    assert "information_bound" not in history.epoch(3, 3)


def test_the_bound_of_a_growing_queue_is_the_mean_of_its_steps(tmp_path, config):
    history = History(tmp_path, config)
    history.step(numbers(1, 0.0, candidates=1))
    history.step(numbers(2, 2.0, candidates=100))
    assert history.epoch(1, 2)["information_bound"] == pytest.approx((math.log(100) - 2) / 2)


def test_a_killed_run_keeps_every_closed_epoch(tmp_path, config):
    script = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from molclip.training.config import TrainingConfig\n"
        "from molclip.training.history import History\n"
        "folder = Path(sys.argv[1])\n"
        "history = History(folder, TrainingConfig(output=folder))\n"
        "for epoch in (1, 2):\n"
        "    history.step({'loss': float(epoch)})\n"
        "    history.epoch(epoch, epoch)\n"
        "history.step({'loss': 9.0})\n"
        "print('ready', flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        os.kill(process.pid, signal.SIGKILL)
    assert [record["loss"] for record in read_log(tmp_path / "history.jsonl")] == [1.0, 2.0]


def test_a_resumed_epoch_equals_an_unbroken_one(tmp_path, config):
    whole = History(tmp_path / "a", config, total_steps=40)
    broken = History(tmp_path / "b", config, total_steps=40)
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
    for step in range(1, 18):
        whole.step(numbers(step, 1 / step, pairs_per_second=10.0 * step))
        broken.step(numbers(step, 1 / step, pairs_per_second=10.0 * step))
    # What a checkpoint holds must be plain values.
    state = json.loads(json.dumps(broken.state_dict()))
    broken.step(numbers(18, 99.0))
    broken = History(tmp_path / "b", config, total_steps=40)
    broken.resume(0)
    broken.load_state_dict(state)
    for step in range(18, 21):
        whole.step(numbers(step, 1 / step, pairs_per_second=10.0 * step))
        broken.step(numbers(step, 1 / step, pairs_per_second=10.0 * step))
    assert broken.epoch(1, 20) == whole.epoch(1, 20)


def test_an_epoch_that_is_run_again_replaces_its_record(tmp_path, config):
    history = History(tmp_path, config)
    for epoch in (1, 2, 3):
        history.step(numbers(epoch, float(epoch)))
        history.epoch(epoch, epoch)
    again = History(tmp_path, config)
    again.resume(1)
    assert [record["epoch"] for record in read_log(tmp_path / "history.jsonl")] == [1]
    again.step(numbers(2, 20.0))
    again.epoch(2, 2)
    third = History(tmp_path, config)
    third.step(numbers(2, 30.0))
    third.epoch(2, 2)
    lines = (tmp_path / "history.jsonl").read_text().splitlines()
    assert [json.loads(line)["loss"] for line in lines] == [1.0, 30.0]
    again.resume(0)
    assert (tmp_path / "history.jsonl").read_text() == ""


def test_a_torn_last_line_is_left_out_and_does_not_spoil_the_next(tmp_path, config):
    path = tmp_path / "history.jsonl"
    path.write_text('{"epoch": 1, "step": 5, "loss": 1.0}\n{"epoch": 2, "st')
    history = History(tmp_path, config)
    assert [record["epoch"] for record in history.records] == [1]
    history.step(numbers(9, 2.0))
    history.epoch(2, 9)
    assert [record["loss"] for record in read_log(path)] == [1.0, 2.0]


def test_the_table_has_a_row_per_epoch_and_the_configuration(tmp_path, config):
    history = History(tmp_path, config)
    history.step(numbers(1, 2.0))
    history.epoch(1, 1, {"validation mrr": 0.5})
    history.step(numbers(2, 1.0))
    history.epoch(2, 2)
    target = tmp_path / "model"
    target.mkdir()
    history.finish(target)
    table = pq.read_table(target / "history.parquet")
    assert table["epoch"].to_pylist() == [1, 2]
    assert table["loss"].to_pylist() == [2.0, 1.0]
    assert table["validation mrr"].to_pylist() == [0.5, None]
    assert table["warnings"].to_pylist() == [[], []]
    stored = json.loads(table.schema.metadata[CONFIG_KEY])
    assert stored["run"]["epochs"] == 4
    assert (tmp_path / "history.parquet").is_file()


def test_the_page_stands_alone_and_shows_curves_settings_and_warnings(tmp_path, config):
    history = History(tmp_path, config)
    history.begin({"uniformity_text": -0.1})
    history.step(numbers(1, masked_facts=0.25))
    with pytest.warns(UserWarning, match="lie close"):
        history.epoch(1, 500, None, {"uniformity_text": -0.05})
    history.step(numbers(2, masked_facts=0.25))
    history.epoch(2, 1000, None, {"uniformity_text": -0.05})
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "<script src=" not in text
    assert "plotly.js v" in text[:200_000]
    assert "Uniformity: the lower" in text
    assert "Retrieval on validation text" not in text
    assert "optimizer.learning_rate" in text
    assert text.count("All text vectors lie close together") == 1
    assert '"facts"' in text
    # The folder of this machine is nobody's business.
    assert str(tmp_path) not in text


def test_only_the_first_process_writes(tmp_path, config):
    history = History(tmp_path, config, writes=False)
    history.step(numbers(1))
    assert history.epoch(1, 1)["loss"] == 1.0
    history.finish(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_log_that_cannot_be_written_stops_the_run_and_keeps_the_old_one(tmp_path, config):
    history = History(tmp_path, config)
    history.step(numbers(1))
    history.epoch(1, 1)
    history.folder = tmp_path / "gone"
    with pytest.raises(ConfigError, match="cannot be written"):
        history.epoch(2, 2)
    assert len(read_log(tmp_path / "history.jsonl")) == 1


def test_a_report_that_cannot_be_drawn_is_said_once(tmp_path, config, monkeypatch):
    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("molclip.training.history_table.write_table", broken)
    history = History(tmp_path, config)
    history.step(numbers(1))
    with pytest.warns(UserWarning, match="No space left"):
        history.epoch(1, 1)
    history.step(numbers(2))
    history.epoch(2, 2)
    assert len(history.warnings) == 1
    assert len(read_log(tmp_path / "history.jsonl")) == 2


def test_means_skip_what_is_no_number():
    means = Means()
    means.add({"a": 1.0, "b": float("nan"), "pairs_per_second": 0.0})
    means.add({"a": None, "b": 3.0})
    assert means.record() == {"a": 1.0, "b": 3.0}
    assert Means.of(means.state()).record() == means.record()
