"""TensorBoard, Weights & Biases or trackio, through accelerate: `run.tracker` in the config."""

from __future__ import annotations

import math
import sys
import uuid
from collections.abc import Mapping
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import ConfigError
from molclip.training.config import TrainingConfig
from molclip.training.history_report import flatten

if TYPE_CHECKING:
    from accelerate import Accelerator

PROJECT = "molclip"
_ID_FILE = "tracker_id"
_NONE = "none"


def accelerator_arguments(config: TrainingConfig) -> dict[str, Any]:
    """Arguments of `accelerate.Accelerator` for the tracker that a configuration names.

    Parameters
    ----------
    config
        `run.tracker` says which; `output` gets what a tracker keeps on disk.

    Returns
    -------
    dict
        Empty for `none`.

    Raises
    ------
    ConfigError
        When the tracker's package is not installed.
    """
    tracker = config.run.tracker
    if tracker == _NONE:
        return {}
    if find_spec(tracker) is None:
        raise ConfigError(
            f"run.tracker is {tracker!r}, and the package {tracker} is not installed.",
            f"pip install {tracker}, or set run.tracker to 'none'.",
        )
    return {"log_with": tracker, "project_dir": str(config.output)}


def start_tracker(accelerator: Accelerator, config: TrainingConfig) -> None:
    """Open the tracker's run, with the configuration; a resumed run goes on in the same one.

    Only the first process of several talks to a tracker; accelerate sees to that.

    Parameters
    ----------
    accelerator
        Made with `accelerator_arguments`.
    config
        The run.
    """
    if config.run.tracker == _NONE:
        return
    name = config.output.name or PROJECT
    run: dict[str, Any] = {}
    if accelerator.is_main_process:
        if config.run.tracker == "wandb":
            identifier = _identifier(config.output)
            run = {"name": name, "id": identifier, "resume": "allow", "dir": str(config.output)}
        elif config.run.tracker == "trackio":
            # Trackio finds a run again by its name.
            run = {"name": f"{name}-{_identifier(config.output)}", "resume": "allow"}
    settings = {
        key: value if isinstance(value, (bool, int, float, str)) else str(value)
        for key, value in flatten(config.model_dump(mode="json")).items()
    }
    # Trackers talk; stdout is for answers.
    with redirect_stdout(sys.stderr):
        accelerator.init_trackers(PROJECT, config=settings, init_kwargs={config.run.tracker: run})


def track(
    accelerator: Accelerator, numbers: Mapping[str, Any], step: int, group: str = "step"
) -> None:
    """Send numbers to the tracker, if there is one.

    Parameters
    ----------
    accelerator
        With or without a tracker.
    numbers
        By name. Text, lists and what is not finite is left out.
    step
        Steps done.
    group
        Stands before each name, as in `step/loss`; a tracker shows a group together.
    """
    if not accelerator.trackers:
        return
    values = {
        f"{group}/{name}": value
        for name, value in numbers.items()
        if isinstance(value, (int, float)) and math.isfinite(value)
    }
    accelerator.log(values, step=step)


def end_tracker(accelerator: Accelerator) -> None:
    """Close the tracker's run, so that its last numbers are kept. Also call it on errors."""
    with redirect_stdout(sys.stderr):
        for tracker in accelerator.trackers:
            tracker.finish()
    accelerator.trackers = []


def _identifier(folder: Path) -> str:
    """The id of the run in this folder, made at its first start."""
    path = folder / _ID_FILE
    if path.is_file():
        return path.read_text(encoding="utf-8").strip()
    identifier = uuid.uuid4().hex[:12]
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(identifier + "\n", encoding="utf-8")
    return identifier
