"""Settings that Gradio reads from the environment, made before it is imported."""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile
from pathlib import Path

TEMP = "GRADIO_TEMP_DIR"


def prepare() -> None:
    """Turn telemetry off and give uploads a folder that only this user can read.

    What the user has set in the environment stays. The folder is removed when the process ends.
    """
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
    if TEMP not in os.environ:
        folder = tempfile.mkdtemp(prefix="molclip-app-")
        os.environ[TEMP] = folder
        atexit.register(_remove, folder, os.getpid())


def private_folder() -> Path:
    """Folder for uploads and downloads."""
    folder = Path(os.environ[TEMP])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder


def _remove(folder: str, owner: int) -> None:
    # Worker processes are forks and run the same exit handlers.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
