"""What `molclip train` shows: on a terminal, in a log, and when a run breaks off."""

import json
import time
import warnings

import pytest

from molclip.cli import training_progress as shown
from molclip.cli.quiet import keep_quiet
from molclip.training.config import TrainingConfig

STEP = {
    "epoch": 1.5,
    "step": 150,
    "steps": 800,
    "loss": 2.345,
    "temperature": 0.0612,
    "accuracy": 0.4321,
    "masked": 0.0123,
    "pairs_per_second": 1234.5,
}
END = {
    **STEP,
    "epoch": 2,
    "epoch_end": 2,
    "information_bound": 3.21,
    "effective_rank_text": 17.4,
    "validation hits@1": 0.125,
    "warnings": ["nothing"],
}
EXPECTED_STEP = "loss 2.345  temperature 0.0612  accuracy 43.2%  1,234 pairs/s  masked 1.23%"


@pytest.fixture
def config(tmp_path):
    config = TrainingConfig(output=tmp_path / "run")
    config.run.epochs = 8
    config.output.mkdir()
    return config


def test_a_log_gets_lines_now_and_then_and_one_for_each_epoch(config, capsys, monkeypatch):
    with shown.training_progress(config) as report:
        report(STEP)
        report({**STEP, "loss": 9.0})
        monkeypatch.setattr(shown, "_LINE_EVERY", 0.0)
        report({**STEP, "loss": 1.0})
        report(END)
    lines = capsys.readouterr().err.splitlines()
    assert lines[0] == f"epoch 1.50  {EXPECTED_STEP}"
    assert "loss 1.000" in lines[1]
    assert lines[2].startswith("epoch 2 of 8: loss 2.345, bound 3.21 nats, temperature 0.0612")
    assert "rank text 17" in lines[2]
    assert lines[2].endswith("validation hits@1 0.125")
    assert len(lines) == 3


def test_a_terminal_gets_bars_numbers_and_warnings_above_them(config, capsys, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    keep_quiet()
    from molclip.training import history

    with shown.training_progress(config) as report:
        report({"features": 5, "of": 10})
        time.sleep(0.5)  # the bars are drawn four times a second
        report(STEP)
        with warnings.catch_warnings():
            warnings.simplefilter("always")
            warnings.warn_explicit("The vectors collapse.", UserWarning, history.__file__, 1)
        report(END)
    text = capsys.readouterr().err
    assert "features" in text
    assert "150/800" in text
    assert "1/8" in text
    assert EXPECTED_STEP in text
    assert "Warning: The vectors collapse." in text
    assert text.index("The vectors collapse.") < text.rindex("150/800")
    assert "epoch 2 of 8" in text


def test_a_broken_run_says_what_is_left(config, capsys):
    def run():
        with shown.training_progress(config):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    assert "No checkpoint is in" in capsys.readouterr().err
    (config.output / "checkpoint.pt").write_bytes(b"x")
    (config.output / "history.jsonl").write_text(
        "".join(json.dumps({"epoch": number, "step": 9}) + "\n" for number in (1, 2))
    )
    with pytest.raises(KeyboardInterrupt):
        run()
    said = " ".join(capsys.readouterr().err.split())
    assert "Kept in" in said
    assert "and the log of 2 epochs. The same command goes on from there." in said


def test_other_processes_are_silent(config, capsys, monkeypatch):
    monkeypatch.setenv("RANK", "1")
    with shown.training_progress(config) as report:
        report(STEP)
        report(END)
    assert capsys.readouterr().err == ""
    assert not shown.is_first_process()
