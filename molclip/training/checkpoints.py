"""Checkpoints that replace each other atomically: a kill leaves the last whole one."""

from __future__ import annotations

import contextlib
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
        # On a read-only disk even this fails.
        with contextlib.suppress(OSError):
            temporary.unlink(missing_ok=True)
        raise ConfigError(
            f"The checkpoint in {folder} cannot be written: {error}.",
            "Free some space; the run goes on from the earlier checkpoint.",
        ) from error


def load_checkpoint(folder: Path, name: str = FILE_NAME) -> dict[str, Any] | None:
    """The last checkpoint of a run, or None. Only tensors and plain values are unpickled.

    Raises
    ------
    ConfigError
        When it cannot be read.
    """
    path = folder / name
    if not path.is_file():
        return None
    try:
        state: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    # torch raises all sorts for what is no file of its own.
    except Exception as error:
        raise ConfigError(
            f"The checkpoint {path} cannot be read: {type(error).__name__}.",
            "Copy it again, or remove it to start from the beginning.",
        ) from error
    return state
