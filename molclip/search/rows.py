"""The columns of a library as memory-mapped Arrow files: a plain query needs no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import LibraryError

if TYPE_CHECKING:
    import pyarrow as pa

IDENTITY = ("id", "name", "smiles", "inchikey")
PATTERN = "_pattern"
"""Hidden column: RDKit pattern fingerprint, packed bits, null where there is none."""
FACTS = "_facts"
"""Hidden column: numbers of every class and role the source states (see `evidence`)."""

_FEW = 8

Table = Any  # pyarrow has no types


def map_table(path: Path) -> Table:
    """Map an Arrow file; columns are read when touched.

    Raises
    ------
    LibraryError
        When the file is missing or damaged.
    """
    import pyarrow as pa

    try:
        return pa.ipc.open_file(pa.memory_map(str(path))).read_all()
    except (OSError, pa.ArrowInvalid) as error:
        raise LibraryError(
            f"The rows {path} cannot be read: {str(error).splitlines()[0]}.",
            "Build the library again.",
        ) from error


def write_table(path: Path, schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> int:
    """Write an Arrow file batch by batch; return the number of rows."""
    import pyarrow as pa

    rows = 0
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            rows += batch.num_rows
    return rows


class RowStore:
    """The rows of all segments, by row number.

    Parameters
    ----------
    paths
        One Arrow file per segment, in order.
    columns
        Columns to show, in order; a segment that lacks one has nulls there.
    """

    def __init__(self, paths: Sequence[Path], columns: Sequence[str]) -> None:
        self._tables = [map_table(path) for path in paths]
        self.starts = np.cumsum([0, *(table.num_rows for table in self._tables)])
        self.columns = list(columns)

    def __len__(self) -> int:
        return int(self.starts[-1])

    @property
    def tables(self) -> list[Table]:
        """One Arrow table per segment."""
        return self._tables

    def _place(self, row: int) -> tuple[Table, int]:
        number = int(np.searchsorted(self.starts, row, side="right")) - 1
        return self._tables[number], row - int(self.starts[number])

    def value(self, row: int, column: str) -> Any:
        """One value as a Python object; None where the segment lacks the column."""
        table, place = self._place(row)
        if column not in table.column_names:
            return None
        return table.column(column)[place].as_py()

    def record(self, row: int) -> dict[str, Any]:
        """One row with every shown column."""
        table, place = self._place(row)
        held = set(table.column_names)
        return {
            column: table.column(column)[place].as_py() if column in held else None
            for column in self.columns
        }

    def flags(self, column: str) -> npt.NDArray[np.bool_]:
        """A boolean column over all rows, shape `(N,)`; null is False."""
        return self._flagged(column, _bits)

    def find(self, column: str, value: str) -> list[int]:
        """Numbers of the rows that hold `value`, ascending."""
        import pyarrow as pa
        import pyarrow.compute as pc

        found: list[int] = []
        for table, start in zip(self._tables, self.starts, strict=False):
            if column not in table.column_names:
                continue
            chunk_start = int(start)
            for chunk in table.column(column).chunks:
                hits = pc.equal(chunk, pa.scalar(value, chunk.type))
                found += (np.flatnonzero(np.asarray(hits.fill_null(False))) + chunk_start).tolist()
                chunk_start += len(chunk)
        return found

    def holding(self, column: str, numbers: Iterable[int]) -> npt.NDArray[np.bool_]:
        """Rows whose list of 32-bit whole numbers in a column holds one of `numbers`, shape `(N,)`."""
        wanted = np.fromiter(numbers, dtype=np.int64)

        def held(chunk: Any) -> npt.NDArray[np.bool_]:
            offsets = _whole_numbers(chunk.offsets)
            values = _whole_numbers(chunk.values)[offsets[0] : offsets[-1]]
            places = _places(values, wanted) + offsets[0]
            found = np.zeros(len(chunk), dtype=bool)
            # Of several rows that begin at a place, all but the last are empty.
            found[np.searchsorted(offsets, places, side="right") - 1] = True
            return found

        return self._flagged(column, held)

    def matching(self, column: str, pattern: str) -> npt.NDArray[np.bool_]:
        """Rows in whose text column an RE2 pattern occurs, shape `(N,)`; null is False."""
        import pyarrow.compute as pc

        return self._flagged(column, lambda chunk: _bits(pc.match_substring_regex(chunk, pattern)))

    def _flagged(
        self, column: str, flags: Callable[[Any], npt.NDArray[np.bool_]]
    ) -> npt.NDArray[np.bool_]:
        """Flags of each chunk of a column, one after the other; False where a table lacks it."""
        parts = [np.zeros(0, dtype=bool)]
        for table in self._tables:
            if column in table.column_names:
                parts += [flags(chunk) for chunk in table.column(column).chunks]
            else:
                parts.append(np.zeros(table.num_rows, dtype=bool))
        return np.concatenate(parts)

    def packed(self, column: str, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8] | None:
        """A fixed-width binary column of some rows, `(len(rows), bytes)`; None where absent."""
        pieces: list[npt.NDArray[np.uint8]] = []
        for table in self._tables:
            if column not in table.column_names or table.column(column).null_count:
                return None
            for chunk in table.column(column).chunks:
                width = chunk.type.byte_width
                data = np.frombuffer(chunk.buffers()[1], dtype=np.uint8)
                start = chunk.offset * width
                pieces.append(data[start : start + len(chunk) * width].reshape(-1, width))
        if not pieces:
            return None
        return (pieces[0] if len(pieces) == 1 else np.concatenate(pieces))[rows]


def _bits(chunk: Any) -> npt.NDArray[np.bool_]:
    """A boolean Arrow array as numpy, null as False.

    Read from the buffers, because pyarrow's own conversion imports pandas.
    """
    valid, values = chunk.buffers()
    start, stop = chunk.offset, chunk.offset + len(chunk)
    flags = np.unpackbits(np.frombuffer(values, dtype=np.uint8), bitorder="little")[start:stop]
    if valid is not None:
        held = np.unpackbits(np.frombuffer(valid, dtype=np.uint8), bitorder="little")[start:stop]
        flags = flags & held
    return flags.astype(bool)


def _places(values: npt.NDArray[np.int32], wanted: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where one of the wanted numbers stands among values, in any order."""
    # A library has millions of values. Few numbers are soonest found one by one, more in a table.
    if len(wanted) <= _FEW:
        found = [np.flatnonzero(values == number) for number in wanted]
        return np.concatenate([np.zeros(0, dtype=np.int64), *found])
    meant = np.zeros(1 + max(values.max(initial=0), wanted.max(initial=0)), dtype=bool)
    meant[wanted] = True
    return np.flatnonzero(meant[values])


def _whole_numbers(array: Any) -> npt.NDArray[np.int32]:
    """An Arrow array of 32-bit numbers without nulls as numpy, read as in `_bits`."""
    numbers = np.frombuffer(array.buffers()[1], dtype=np.int32)
    return numbers[array.offset : array.offset + len(array)]
