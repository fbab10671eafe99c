"""Text2Mol's MLP recipe, retrained on our own text; `text2mol.toml` says what differs."""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import as_file, files
from pathlib import Path

from molclip.training.config import TrainingConfig, config_from, read_toml
from molclip.training.run import run_training

RECIPE_FILE = "text2mol.toml"


def text2mol_config(
    output: Path, folder: Path | None = None, epochs: int | None = None
) -> TrainingConfig:
    """Return the recipe as a training configuration.

    Parameters
    ----------
    output
        Folder of the run.
    folder
        Of the ChEBI sources; the one that MOLCLIP_DATA names by default.
    epochs
        In place of the recipe's.
    """
    with as_file(files("molclip.baselines") / RECIPE_FILE) as path:
        raw = read_toml(path)
    raw["output"] = output
    if folder is not None:
        raw.setdefault("data", {})["folder"] = folder
    if epochs is not None:
        raw["run"]["epochs"] = epochs
    return config_from(raw, RECIPE_FILE)


def train_text2mol(
    config: TrainingConfig, report: Callable[[dict[str, float]], None] | None = None
) -> Path:
    """Train the recipe; the folder that is returned is a model like any other.

    Parameters
    ----------
    config
        See `text2mol_config`.
    report
        Called with the numbers of every step and of every evaluation.
    """
    return run_training(config, report)
