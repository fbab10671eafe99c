"""Feature rows of many molecules with only their non-zero counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure
from molclip.evaluation import cache

UInt8Array = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class FeatureTable:
    """Some 500 bytes a molecule instead of the 9 kB of a full row."""

    starts: npt.NDArray[np.int64]
    """(N + 1,) where the entries of each row begin."""
    columns: npt.NDArray[np.uint16]
    counts: UInt8Array
    width: int
    failures: Sequence[ParseFailure]
    """Rows without features; `row` is the place in the table, counted from 1."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    @classmethod
    def collect(cls, rows: Iterable[UInt8Array | ParseFailure], width: int) -> FeatureTable:
        """Pack feature rows and failures as they come.

        Raises
        ------
        ValueError
            When there are more columns than a 16-bit index can name.
        """
        if width > np.iinfo(np.uint16).max + 1:
            raise ValueError(f"{width} columns do not fit a 16-bit index")
        starts = [0]
        columns, counts, failures = [], [], []
        for row in rows:
            if isinstance(row, ParseFailure):
                failures.append(row)
                starts.append(starts[-1])
                continue
            filled = np.flatnonzero(row)
            columns.append(filled.astype(np.uint16))
            counts.append(row[filled])
            starts.append(starts[-1] + len(filled))
        return cls(
            np.array(starts, dtype=np.int64),
            np.concatenate(columns) if columns else np.empty(0, np.uint16),
            np.concatenate(counts) if counts else np.empty(0, np.uint8),
            width,
            failures,
        )

    def rows(self, start: int, stop: int) -> UInt8Array:
        """Return rows `start` to `stop` in full, (stop - start, width); failed ones are zero."""
        stop = min(stop, len(self))
        block = np.zeros((stop - start, self.width), dtype=np.uint8)
        part = slice(int(self.starts[start]), int(self.starts[stop]))
        lengths = np.diff(self.starts[start : stop + 1])
        block[np.repeat(np.arange(stop - start), lengths), self.columns[part]] = self.counts[part]
        return block

    def save(self, path: Path) -> bool:
        """Keep the table in the cache, see `molclip.evaluation.cache.save`."""
        arrays: dict[str, npt.NDArray[Any]] = {
            "starts": self.starts,
            "columns": self.columns,
            "counts": self.counts,
            "width": np.array(self.width),
        }
        return cache.save(path, arrays, self.failures)

    @classmethod
    def load(cls, path: Path) -> FeatureTable | None:
        """Read a table from the cache; None when there is none or it is damaged."""
        stored = cache.load(path, ("starts", "columns", "counts", "width"))
        if stored is None:
            return None
        arrays, failures = stored
        return cls(
            arrays["starts"], arrays["columns"], arrays["counts"], int(arrays["width"]), failures
        )
