"""Trackers get the numbers of a run through accelerate."""

import pytest

from molclip.errors import ConfigError
from molclip.training import trackers
from molclip.training.config import TrainingConfig

accelerate = pytest.importorskip("accelerate")


def configured(folder, tracker):
    config = TrainingConfig(output=folder / "run-a")
    config.run.tracker = tracker
    return config


def run(config, first, last):
    """Log the loss 1/step of steps `first` to `last` and close the tracker."""
    accelerator = accelerate.Accelerator(cpu=True, **trackers.accelerator_arguments(config))
    trackers.start_tracker(accelerator, config)
    for step in range(first, last + 1):
        trackers.track(accelerator, {"loss": 1 / step, "bad": float("nan"), "word": "x"}, step)
    trackers.track(accelerator, {"mrr": 0.25, "warnings": ["a"]}, last, "epoch")
    trackers.end_tracker(accelerator)
    assert accelerator.trackers == []


def test_tensorboard_holds_every_number_at_its_step(tmp_path):
    event_accumulator = pytest.importorskip(
        "tensorboard.backend.event_processing.event_accumulator"
    )
    config = configured(tmp_path, "tensorboard")
    run(config, 1, 3)
    run(config, 4, 5)
    folder = tmp_path / "run-a" / trackers.PROJECT
    stored = event_accumulator.EventAccumulator(str(folder))
    stored.Reload()
    assert set(stored.Tags()["scalars"]) >= {"step/loss", "epoch/mrr"}
    assert "step/bad" not in stored.Tags()["scalars"]
    losses = [(event.step, event.value) for event in stored.Scalars("step/loss")]
    assert losses == [(step, pytest.approx(1 / step)) for step in range(1, 6)]
    settings = "".join(path.read_text() for path in folder.rglob("hparams.yml"))
    assert "run.tracker: tensorboard" in settings
    assert "optimizer.learning_rate: 0.001" in settings


def test_wandb_goes_on_in_the_same_run_without_a_network(tmp_path, monkeypatch):
    pytest.importorskip("wandb")
    monkeypatch.setenv("WANDB_MODE", "offline")
    monkeypatch.setenv("WANDB_SILENT", "true")
    config = configured(tmp_path, "wandb")
    run(config, 1, 2)
    run(config, 3, 3)
    identifier = (tmp_path / "run-a" / "tracker_id").read_text().strip()
    kept = list((tmp_path / "run-a" / "wandb").glob(f"offline-run-*-{identifier}"))
    assert kept
    assert all(any(folder.glob("*.wandb")) for folder in kept)


@pytest.mark.parametrize("tracker", ["tensorboard", "wandb", "trackio"])
def test_a_missing_package_is_named_with_its_pip_command(tmp_path, monkeypatch, tracker):
    monkeypatch.setattr(trackers, "find_spec", lambda name: None)
    with pytest.raises(ConfigError, match=f"pip install {tracker}"):
        trackers.accelerator_arguments(configured(tmp_path, tracker))


def test_without_a_tracker_nothing_happens(tmp_path):
    config = configured(tmp_path, "none")
    assert trackers.accelerator_arguments(config) == {}
    run(config, 1, 2)
    assert not (tmp_path / "run-a").exists()


def test_what_a_tracker_prints_does_not_get_into_the_answer(tmp_path, capsys):
    class Talking:
        is_main_process = True
        trackers = ()

        def init_trackers(self, project, config, init_kwargs):
            print("hello", init_kwargs["trackio"]["name"])
            self.trackers = [self]

        def finish(self):
            print("goodbye")

    accelerator = Talking()
    trackers.start_tracker(accelerator, configured(tmp_path, "trackio"))
    trackers.end_tracker(accelerator)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "hello run-a-" in captured.err
    assert "goodbye" in captured.err
