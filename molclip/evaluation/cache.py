"""Arrays that take long to make, kept on disk so that the next evaluation starts at once.

Files lie in the user's cache folder, or where the environment variable `MOLCLIP_CACHE` says, and
are named by a hash of what they were made from. Nothing breaks when they are deleted.
"""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure

CACHE_VARIABLE = "MOLCLIP_CACHE"
_FAILURES = "failures"

Arrays = Mapping[str, npt.NDArray[Any]]


def cache_file(kind: str, *parts: str) -> Path:
    """Return the path for what is made from `parts`, e.g. version strings and SMILES in order."""
    named = os.environ.get(CACHE_VARIABLE)
    if named:
        folder = Path(named)
    else:
        from platformdirs import user_cache_path

        folder = user_cache_path("molclip", appauthor=False)
    return folder / "evaluation" / f"{kind}-{content_key(*parts)}.npz"


def content_key(*parts: str) -> str:
    """Return a hash of texts in order; two different lists never share one by joining."""
    digest = hashlib.sha256()
    for part in parts:
        encoded = part.encode()
        digest.update(len(encoded).to_bytes(8, "little"))
        digest.update(encoded)
    return digest.hexdigest()[:24]


def save(path: Path, arrays: Arrays, failures: Sequence[ParseFailure]) -> bool:
    """Write arrays and failures to one file, whole or not at all.

    Returns
    -------
    False when the folder cannot be written to: a cache may be absent, the evaluation goes on.
    """
    listed = json.dumps([failure.to_dict() for failure in failures]).encode()
    packed = {**arrays, _FAILURES: np.frombuffer(listed, dtype=np.uint8)}
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=path.parent, suffix=".part")
    except OSError:
        return False
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            np.savez(file, allow_pickle=False, **packed)
        part.replace(path)
    except OSError:
        return False
    finally:
        part.unlink(missing_ok=True)
    return True


def load(path: Path, names: Sequence[str]) -> tuple[Arrays, list[ParseFailure]] | None:
    """Read what `save` wrote; None when there is no such file or it is damaged."""
    try:
        with np.load(path, allow_pickle=False) as file:
            failures = json.loads(file[_FAILURES].tobytes().decode())
            arrays = {name: file[name] for name in names}
            return arrays, [ParseFailure(**failure) for failure in failures]
    except (OSError, EOFError, ValueError, KeyError, TypeError, zipfile.BadZipFile):
        return None
