"""Uploaded files, deleted when nobody works with them any more.

Gradio puts a file where the hash of its content says, so two visitors who send the same file, or
one who sends it to two tabs, have one path between them. It is deleted when the last lets go of it.
"""

from __future__ import annotations

import shutil
import threading
from pathlib import Path

from molclip.errors import InputError

from .environment import private_folder


class HeldFiles:
    """Who works with which upload."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[str, Path] = {}

    def hold(self, holder: str, path: str | None) -> None:
        """Note that `holder` works with a file now, and no longer with an earlier one."""
        with self._lock:
            old = self._held.pop(holder, None)
            if path:
                self._held[holder] = Path(path)
            self._drop(old)

    def release(self, holder: str) -> None:
        """Let go of the file of `holder`, if there is one."""
        self.hold(holder, None)

    def _drop(self, path: Path | None) -> None:
        """Delete a file with the folder that is its own, unless somebody holds it."""
        if path is None or path in self._held.values():
            return
        # Paths come from browsers.
        inside = path.resolve().is_relative_to(private_folder().resolve())
        if inside and path.is_file():
            path.unlink()
            if not any(path.parent.iterdir()):
                shutil.rmtree(path.parent, ignore_errors=True)


UPLOADS = HeldFiles()
"""Of this process, as Gradio's folder is."""


def present(path: str) -> Path:
    """An uploaded file that is there still.

    Raises
    ------
    InputError
        When it was deleted in the meantime.
    """
    found = Path(path)
    if not found.is_file():
        raise InputError(f"{found.name} is no longer on the server.", "Choose it again.")
    return found
