"""Vectors of all labels, and where each label's line lies; computed once, kept in the cache.

Labels differ in how high they score for any molecule, and in how many molecules have them. So each
has a line of its own: the score that as many molecules of the background reach as the source's
share of the label says. A molecule above the line of *alkaloid* is among the first 2 % of the
library for that word, and 2 % of the library are alkaloids.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.describe.vocabulary import Label, labels
from molclip.errors import LibraryError
from molclip.search.embedded import cache_folder, data_folder
from molclip.search.locking import exclusive
from molclip.search.rows import map_table, write_table

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP

FloatArray = npt.NDArray[np.float32]
Progress = Callable[[str, int, int | None], None]

FORMAT = 1
"""Part of the file's name; another number where the meaning of its columns changes."""
FEWEST = 100
"""Background molecules below which a line means nothing."""
_AT_ONCE = 256
_WAIT = 600.0
_SOURCES = ("library.parquet", "terms.parquet", "definitions.tsv")
STAGE = "label texts read"
"""What progress calls the work."""


@dataclass(frozen=True, eq=False)
class LabelIndex:
    """L labels as arrays."""

    labels: tuple[Label, ...]
    vectors: FloatArray
    """Unit rows, ``(L, D)``."""
    lines: FloatArray
    """Score that the label's share of the background reaches, ``(L,)``."""
    spreads: FloatArray
    """Standard deviation of the label's scores over the background, ``(L,)``."""

    def margins(self, vector: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Scores of a molecule ``(D,)`` and how far they lie above the lines, both ``(L,)``."""
        scores = self.vectors @ vector
        return scores, (scores - self.lines) / self.spreads


def label_index(
    model: MolCLIP, background: FloatArray, progress: Progress | None = None
) -> LabelIndex:
    """The index for a model and a background, from the cache or made now.

    Two processes that want it at once make it once: the second waits.

    Parameters
    ----------
    model
        Reads the labels.
    background
        Unit vectors ``(M, D)``.
    progress
        Told about the making.

    Raises
    ------
    LibraryError
        When the background is too small.
    """
    if len(background) < FEWEST:
        raise LibraryError(
            f"The library has {len(background)} molecules; percentiles need at least {FEWEST}.",
            "Describe against the embedded library, or a larger one.",
        )
    path = cache_folder() / f"labels-{_key(model, background)}.arrow"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        writable = os.access(path.parent, os.W_OK)
    except OSError:
        writable = False
    if not writable and not path.is_file():
        return compute(model, labels(), background, progress)
    if not path.is_file():
        with exclusive(path.with_suffix(".lock"), wait=_WAIT):
            if not path.is_file():
                _write(compute(model, labels(), background, progress), path)
    return _read(path)


def compute(
    model: MolCLIP,
    wanted: Sequence[Label],
    background: FloatArray,
    progress: Progress | None = None,
) -> LabelIndex:
    """Read the labels and find their lines.

    Parameters
    ----------
    model, background, progress
        As in `label_index`.
    wanted
        The L labels.
    """
    size = len(background)
    vectors = np.empty((len(wanted), model.dimension), dtype=np.float32)
    lines = np.empty(len(wanted), dtype=np.float32)
    spreads = np.empty(len(wanted), dtype=np.float32)
    for start in range(0, len(wanted), _AT_ONCE):
        if progress is not None:
            progress(STAGE, start, len(wanted))
        chunk = wanted[start : start + _AT_ONCE]
        # The bare name: with four sentences around it the same statements came out right.
        read = model.encode_text([label.name for label in chunk])
        scores = read @ background.T
        place = slice(start, start + len(chunk))
        vectors[place] = read
        spreads[place] = np.maximum(scores.std(axis=1), 1e-6)
        for row, label in enumerate(chunk):
            reached = min(size, max(1, round(label.share * size)))
            lines[start + row] = np.partition(scores[row], size - reached)[size - reached]
    if progress is not None:
        progress(STAGE, len(wanted), len(wanted))
    return LabelIndex(tuple(wanted), vectors, lines, spreads)


def _key(model: MolCLIP, background: FloatArray) -> str:
    """Names model, background and shipped tables."""
    digest = hashlib.sha256(f"{FORMAT} {model.model_hash} {background.shape}".encode())
    digest.update(np.ascontiguousarray(background[:: max(1, len(background) // 500)]).tobytes())
    for name in _SOURCES:
        digest.update(f"{name} {(data_folder() / name).stat().st_size}".encode())
    return digest.hexdigest()[:16]


def _write(index: LabelIndex, path: Path) -> None:
    import pyarrow as pa

    width = index.vectors.shape[1]
    flat = pa.array(index.vectors.astype(np.float32).reshape(-1), pa.float32())
    columns = {
        "id": pa.array([label.id for label in index.labels], pa.string()),
        "kind": pa.array([label.kind for label in index.labels], pa.string()),
        "name": pa.array([label.name for label in index.labels], pa.string()),
        "share": pa.array([label.share for label in index.labels], pa.float64()),
        "line": pa.array(index.lines, pa.float32()),
        "spread": pa.array(index.spreads, pa.float32()),
        "vector": pa.FixedSizeListArray.from_arrays(flat, width),
    }
    batch = pa.RecordBatch.from_pydict(columns)
    draft = path.with_suffix(f".{os.getpid()}")
    write_table(draft, batch.schema, [batch])
    draft.replace(path)


def _read(path: Path) -> LabelIndex:
    table = map_table(path).combine_chunks()
    parts = [table.column(name).to_pylist() for name in ("id", "kind", "name", "share")]
    found = tuple(Label(*row) for row in zip(*parts, strict=True))
    values: Any = table.column("vector").chunk(0).flatten().to_numpy()
    return LabelIndex(
        found,
        values.reshape(len(found), -1),
        table.column("line").to_numpy(),
        table.column("spread").to_numpy(),
    )
