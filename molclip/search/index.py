"""An opened library: the files of one version, mapped, and what is derived from them."""

from __future__ import annotations

import threading
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.errors import LibraryError
from molclip.search.evidence import PHRASES_FILE, Evidence
from molclip.search.manifest import Manifest, Segment
from molclip.search.names import NameIndex, name_key
from molclip.search.rows import PATTERN, RowStore
from molclip.search.substructure import SubstructureTest, screen
from molclip.search.table import Filters
from molclip.search.vectors import VectorFile, VectorSet

SEGMENTS = "segments"
Mask = npt.NDArray[np.bool_]


def segment_path(folder: Path, segment: Segment, suffix: str) -> Path:
    """Path of one file of a segment; `suffix` is `arrow`, `names.arrow` or `safetensors`."""
    if suffix == "safetensors" and segment.vectors is not None:
        return Path(segment.vectors)
    return folder / SEGMENTS / f"{segment.name}.{suffix}"


class Index:
    """One version of a library, read-only.

    Parameters
    ----------
    folder
        The library.
    manifest
        The version; None reads the latest.

    Raises
    ------
    LibraryError
        When files are missing, damaged or do not fit each other.
    """

    def __init__(self, folder: Path, manifest: Manifest | None = None) -> None:
        self.folder = folder
        self.manifest = manifest or Manifest.read(folder)
        segments = self.manifest.segments
        self.rows = RowStore(
            [segment_path(folder, segment, "arrow") for segment in segments],
            list(self.manifest.columns),
        )
        files = [VectorFile.open(segment_path(folder, s, "safetensors")) for s in segments]
        dead = np.zeros(0, dtype=np.int64)
        if self.manifest.dead_file is not None:
            dead = np.load(folder / self.manifest.dead_file, allow_pickle=False)
        for segment, file in zip(segments, files, strict=True):
            of_model = file.metadata.get("model_hash", self.manifest.model_hash)
            if len(file) != segment.rows or of_model != self.manifest.model_hash:
                raise LibraryError(
                    f"The vectors {file.path} do not belong to the library {folder}.",
                    "Build the library again.",
                )
        self.vectors = VectorSet(files, dead)
        if len(self.rows) != len(self.vectors):
            raise LibraryError(
                f"{folder} has {len(self.rows)} rows but {len(self.vectors)} vectors.",
                "Build the library again.",
            )
        self.filters = Filters(folder, self.manifest.table_version, self.columns)
        self._tests: dict[str, SubstructureTest] = {}
        # A library may be searched by many threads at once.
        self._testing = threading.Lock()

    @property
    def columns(self) -> list[str]:
        """Columns that are shown and may be filtered on."""
        return list(self.manifest.columns)

    @property
    def alive(self) -> Mask:
        """Rows that can be found, `(N,)`."""
        return self.vectors.alive

    @cached_property
    def curated(self) -> Mask | None:
        """Rows that curators checked, `(N,)`; None where the library has no such column."""
        if self.manifest.columns.get("curated") != "bool":
            return None
        return self.rows.flags("curated") & self.alive

    @cached_property
    def names(self) -> list[NameIndex]:
        """One index of names per segment."""
        return [
            NameIndex(segment_path(self.folder, segment, "names.arrow"), int(start))
            for segment, start in zip(self.manifest.segments, self.rows.starts, strict=False)
        ]

    @cached_property
    def evidence(self) -> Evidence | None:
        """Links to the source's classes and roles; None where the library has no such source."""
        return Evidence(self.folder) if (self.folder / PHRASES_FILE).is_file() else None

    def has_name(self, name: str) -> bool:
        """Whether a row goes by exactly this name, synonym or id."""
        key = name_key(name)
        return bool(key) and any(part.hits("exact", key, self.alive, 1) for part in self.names)

    def where(self, condition: str) -> Mask:
        """Rows that meet an SQL condition, `(N,)`."""
        mask = np.zeros(len(self.rows), dtype=bool)
        mask[self.filters.rows(condition)] = True
        return mask

    def substructure(self, smarts: str) -> SubstructureTest:
        """The test for a SMARTS; the last few are kept with their answers."""
        with self._testing:
            test = self._tests.pop(smarts, None) or SubstructureTest(smarts)
            self._tests[smarts] = test
            if len(self._tests) > 4:
                self._tests.pop(next(iter(self._tests)))
            return test

    def screened(self, test: SubstructureTest, mask: Mask) -> Mask:
        """`mask` without rows whose fingerprint rules the substructure out."""
        import rdkit

        # Fingerprint bits change meaning between RDKit releases; then every row is looked at.
        if self.manifest.rdkit_version != rdkit.__version__:
            return mask
        rows = np.flatnonzero(mask)
        packed = self.rows.packed(PATTERN, rows)
        if packed is None:
            return mask
        kept = np.zeros_like(mask)
        kept[rows[screen(test.query, packed)]] = True
        return kept

    def record(self, row: int) -> dict[str, Any]:
        """One row with every shown column."""
        return self.rows.record(row)
