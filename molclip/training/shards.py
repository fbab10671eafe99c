"""Rows on disk that are found by their content, however many there are.

A shard is a folder of two files: `columns.npz`, with one value per row and column, which is read
into memory, and `records.bin`, with the bytes of all rows, which is only mapped. A row costs some
tens of bytes of memory, whatever lies in its record.
"""

from __future__ import annotations

import hashlib
import shutil
import time
import uuid
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError

Keys = npt.NDArray[np.uint64]
Array = npt.NDArray[Any]

_SUFFIX = ".shard"
_PART = ".part"
_COLUMNS, _RECORDS = "columns.npz", "records.bin"
_KEYS, _LENGTHS = "_keys", "_lengths"
_STALE = 24 * 3600
"""Seconds after which an unfinished shard is no other process's work."""


def content_keys(texts: Iterable[str]) -> Keys:
    """128-bit hashes (BLAKE2b) of texts, uint64 ``(N, 2)``; two texts never share one by chance."""
    digests = b"".join(
        hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        for text in texts
    )
    return np.frombuffer(digests, dtype="<u8").reshape(-1, 2)


class Shards:
    """A growing folder of rows.

    Parameters
    ----------
    folder
        Made at the first `append`. Rows are numbered in the order in which this process has read
        and appended them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._starts: list[int] = []
        self._records: list[npt.NDArray[np.uint8]] = []
        self._ends: list[npt.NDArray[np.int64]] = []
        self._columns: list[dict[str, Array]] = []
        self._joined: dict[str, Array] = {}
        self._count = 0
        if folder.is_dir():
            for path in sorted(folder.iterdir()):
                if path.suffix == _SUFFIX:
                    self._read(path)
                elif path.suffix == _PART and time.time() - path.stat().st_mtime > _STALE:
                    shutil.rmtree(path, ignore_errors=True)
        self._index()

    def __len__(self) -> int:
        return self._count

    def find(self, keys: Keys) -> npt.NDArray[np.int64]:
        """Row of each key of `content_keys`, −1 where there is none; int64 ``(N,)``."""
        if not self._count:
            return np.full(len(keys), -1, dtype=np.int64)
        place = np.searchsorted(self._sorted[:, 0], keys[:, 0])
        found = np.full(len(keys), -1, dtype=np.int64)
        asked = np.arange(len(keys))
        # More than one step only where two texts share the first 64 bits.
        while len(asked):
            inside = place[asked] < self._count
            asked = asked[inside]
            near = self._sorted[place[asked]]
            same = near[:, 0] == keys[asked, 0]
            asked, near = asked[same], near[same]
            hit = near[:, 1] == keys[asked, 1]
            found[asked[hit]] = self._order[place[asked[hit]]]
            asked = asked[~hit]
            place[asked] += 1
        return found

    def column(self, name: str) -> Array:
        """One value per row, ``(rows, ...)``."""
        if name not in self._joined:
            parts = [columns[name] for columns in self._columns]
            self._joined[name] = np.concatenate(parts) if parts else np.empty(0)
        return self._joined[name]

    def record(self, row: int) -> npt.NDArray[np.uint8]:
        """Bytes of one row, a view of the mapped file."""
        shard = int(np.searchsorted(self._starts, row, side="right")) - 1
        local = row - self._starts[shard]
        ends = self._ends[shard]
        return self._records[shard][ends[local] : ends[local + 1]]

    def append(
        self, keys: Keys, records: Sequence[bytes], columns: Mapping[str, Array]
    ) -> npt.NDArray[np.int64]:
        """Add N rows as one shard; a killed write leaves none.

        Parameters
        ----------
        keys
            Of `content_keys`, ``(N, 2)``.
        records
            N byte strings.
        columns
            Arrays of N rows, the same names at every call.

        Returns
        -------
        Their row numbers, int64 ``(N,)``.

        Raises
        ------
        InputError
            When the folder cannot be written; earlier shards are untouched.
        """
        # The number keeps the order, the letters keep two processes apart.
        name = f"{len(self._starts):05d}-{uuid.uuid4().hex[:8]}"
        part = self.folder / f"{name}{_PART}"
        lengths = np.array([len(record) for record in records], dtype=np.uint32)
        stored: dict[str, Array] = {_KEYS: keys, _LENGTHS: lengths, **columns}
        try:
            part.mkdir(parents=True)
            with (part / _RECORDS).open("wb") as file:
                file.writelines(records)
            with (part / _COLUMNS).open("wb") as file:
                np.savez(file, allow_pickle=False, **stored)
            shard = part.rename(part.with_suffix(_SUFFIX))
        except OSError as error:
            shutil.rmtree(part, ignore_errors=True)
            raise InputError(
                f"The feature cache {self.folder} cannot be written: {error.strerror or error}.",
                "Free some space, or let the environment variable MOLCLIP_CACHE name another "
                "folder.",
            ) from error
        first = self._count
        self._read(shard)
        self._index()
        return np.arange(first, self._count)

    def _read(self, shard: Path) -> None:
        with np.load(shard / _COLUMNS, allow_pickle=False) as file:
            columns = {name: file[name] for name in file.files}
        lengths = columns.pop(_LENGTHS)
        ends = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        path = shard / _RECORDS
        mapped = np.memmap(path, np.uint8, mode="r") if ends[-1] else np.empty(0, np.uint8)
        self._starts.append(self._count)
        self._ends.append(ends)
        self._records.append(mapped)
        self._columns.append(columns)
        self._count += len(lengths)

    def _index(self) -> None:
        self._joined.clear()
        if not self._count:
            return
        keys = np.concatenate([columns[_KEYS] for columns in self._columns])
        self._order = np.lexsort((keys[:, 1], keys[:, 0]))
        self._sorted = keys[self._order]
