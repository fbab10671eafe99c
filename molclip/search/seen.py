"""Which molecules a model was trained on, as a list of short hashes beside its weights."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from os import PathLike
from pathlib import Path

import numpy as np
import numpy.typing as npt

from molclip.errors import ModelError

SEEN_FILE = "seen.bin"
"""Its name in a model folder."""

_MAGIC = b"molclip-seen-1\n\0"
_WIDTH = 8


def _hash(inchikey: str) -> int:
    digest = hashlib.sha256(inchikey.strip().upper().encode()).digest()
    return int.from_bytes(digest[:_WIDTH], "big")


def write_seen(
    inchikeys: Iterable[str], path: str | PathLike[str], before: SeenMolecules | None = None
) -> int:
    """Write the hashes of training molecules; return how many different ones there are.

    The file is 16 bytes of label, then the first 8 bytes of SHA-256 of every InChIKey, sorted,
    big-endian. A molecule that is not in the list is taken for one with odds of 1 in 10^14 at
    100,000 entries.

    Parameters
    ----------
    inchikeys
        Standard InChIKeys of everything a gradient was taken on; repeats are dropped.
    path
        File to write, by custom `seen.bin` in the model folder.
    before
        What the model had been trained on already; stands in the list too.
    """
    found = {_hash(key) for key in inchikeys if key}
    if before is not None:
        found.update(before._hashes.tolist())
    hashes = np.array(sorted(found), dtype=">u8")
    Path(path).write_bytes(_MAGIC + hashes.tobytes())
    return len(hashes)


class SeenMolecules:
    """The InChIKeys a model was trained on.

    Parameters
    ----------
    hashes
        Sorted, unsigned 64 bit.
    """

    def __init__(self, hashes: npt.NDArray[np.uint64]) -> None:
        self._hashes = hashes

    @classmethod
    def load(cls, path: str | PathLike[str]) -> SeenMolecules:
        """Read a file written by `write_seen`.

        Raises
        ------
        ModelError
            When it is another kind of file or cut off.
        """
        data = Path(path).read_bytes()
        body = data[len(_MAGIC) :]
        if not data.startswith(_MAGIC) or len(body) % _WIDTH:
            raise ModelError(f"{path} is not a list of training molecules.", "Fetch it again.")
        return cls(np.frombuffer(body, dtype=">u8").astype(np.uint64))

    @classmethod
    def beside(cls, folder: str | PathLike[str] | None) -> SeenMolecules | None:
        """The list in a model folder; None where there is none, so nothing can be said."""
        if folder is None:
            return None
        path = Path(folder) / SEEN_FILE
        return cls.load(path) if path.is_file() else None

    def union(self, other: SeenMolecules) -> SeenMolecules:
        """The molecules of either list."""
        return SeenMolecules(np.union1d(self._hashes, other._hashes))

    def __len__(self) -> int:
        return len(self._hashes)

    def __contains__(self, inchikey: object) -> bool:
        if not isinstance(inchikey, str):
            return False
        value = np.uint64(_hash(inchikey))
        place = int(np.searchsorted(self._hashes, value))
        return place < len(self._hashes) and bool(self._hashes[place] == value)
