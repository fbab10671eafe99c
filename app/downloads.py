"""Files a visitor takes away, in the private folder and not for long."""

from __future__ import annotations

import shutil
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from molclip.chem.writers import write_rows

from .environment import private_folder

KEPT_SECONDS = 3600.0


def write_download(rows: Sequence[Mapping[str, Any]], name: str) -> str:
    """Write rows to a file of that name (.csv or .sdf says the format); return its path.

    Every file has a folder of its own, so that two visitors never share one.
    """
    path = _own_folder() / name
    write_rows(rows, path)
    return str(path)


def write_text(content: str, name: str) -> str:
    """Write a text to a file of that name, in a folder of its own; return its path."""
    path = _own_folder() / name
    path.write_text(content, encoding="utf-8")
    return str(path)


def remove_download(path: str) -> None:
    """Delete a file that was written here, with its folder."""
    shutil.rmtree(Path(path).parent, ignore_errors=True)


def _own_folder() -> Path:
    folder = private_folder() / "downloads"
    folder.mkdir(mode=0o700, exist_ok=True)
    _tidy(folder)
    return Path(tempfile.mkdtemp(dir=folder))


def _tidy(folder: Path) -> None:
    oldest = time.time() - KEPT_SECONDS
    for old in folder.iterdir():
        try:
            if old.stat().st_mtime < oldest:
                shutil.rmtree(old, ignore_errors=True)
        except OSError:
            continue  # another request has just removed it
