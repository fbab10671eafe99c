"""Checkpoints that replace each other atomically: a kill leaves the last whole one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import torch

from molclip.errors import ConfigError

FILE_NAME = "checkpoint.pt"


def save_checkpoint(folder: Path, state: dict[str, Any], name: str = FILE_NAME) -> None:
    """Write `state` beside the old checkpoint, then swap.

    Raises
    ------
    ConfigError
        When the disk is full or read-only; the earlier checkpoint is untouched.
    """
    temporary = folder / f"{name}.part"
    try:
        with temporary.open("wb") as handle:
            torch.save(state, handle)
            handle.flush()
            os.fsync(handle.fileno())
        temporary.replace(folder / name)
    except (OSError, RuntimeError) as error:
        temporary.unlink(missing_ok=True)
        raise ConfigError(
            f"The checkpoint in {folder} cannot be written: {error}.",
            "Free some space; the run goes on from the earlier checkpoint.",
        ) from error


def load_checkpoint(folder: Path, name: str = FILE_NAME) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None. Only tensors and plain values are unpickled."""
    path = folder / name
    if not path.is_file():
        return None
    state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    return state
