"""The Lance table of a library: SQL filters, merge by id, versions.

`lancedb` takes a second to import, so nothing here is reached by a query without a filter.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError, LibraryError

if TYPE_CHECKING:
    import pyarrow as pa

TABLE = "rows"
POSITION = "position"
"""Column of the table that holds the row number in segments and vectors."""

_TEXT = re.compile(r"'(?:[^']|'')*'|\"[^\"]*\"|`[^`]*`")


def _open(folder: Path, version: int | None = None) -> Any:
    import lancedb

    try:
        table = lancedb.connect(folder).open_table(TABLE)
        if version is not None:
            table.checkout(version)
    except (ValueError, RuntimeError, OSError) as error:
        raise LibraryError(
            f"The table of {folder} cannot be opened: {_brief(error)}.",
            "Build the library again.",
        ) from error
    return table


def create(folder: Path, data: pa.RecordBatchReader) -> int:
    """Make the table from batches that hold `position`; return its version."""
    import lancedb

    table = lancedb.connect(folder).create_table(TABLE, data)
    return int(table.version)


def merge(folder: Path, version: int, data: pa.Table) -> int:
    """Insert rows, or update those whose `id` is there; return the new version.

    Parameters
    ----------
    folder
        Folder of the library.
    version
        Version the rows belong on. A later one is what a killed writer left; it is undone.
    data
        Rows with `position`. Columns the table lacks are added.
    """
    import pyarrow as pa

    table = _open(folder)
    if table.version != version:
        table.checkout(version)
        table.restore()
    new = [field for field in data.schema if field.name not in table.schema.names]
    if new:
        table.add_columns(pa.schema(new))
    for field in table.schema:  # what a new row does not have is null, not what the old one had
        if field.name not in data.column_names:
            data = data.append_column(field, pa.nulls(data.num_rows, field.type))
    merging = table.merge_insert("id").when_matched_update_all().when_not_matched_insert_all()
    merging.execute(data.select(table.schema.names))
    return int(table.version)


class Filters:
    """SQL conditions on one version of the table, the last answers kept.

    Parameters
    ----------
    folder
        Folder of the library.
    version
        Version of the table.
    columns
        Names for messages.
    """

    def __init__(self, folder: Path, version: int, columns: Sequence[str]) -> None:
        self._folder = folder
        self._version = version
        self._columns = list(columns)
        self._table: Any = None
        self._kept: dict[str, npt.NDArray[np.int64]] = {}

    def rows(self, where: str) -> npt.NDArray[np.int64]:
        """Numbers of the rows that meet a condition, ascending.

        Raises
        ------
        InputError
            For a condition that is not one SQL condition, or names a column that is not there.
        """
        if not isinstance(where, str):
            raise InputError(
                f"The filter is {where!r}, a {type(where).__name__}.",
                'Write a condition such as "mol_weight < 300 AND logp > 2".',
            )
        if where not in self._kept:
            if len(self._kept) >= 16:
                self._kept.pop(next(iter(self._kept)))
            self._kept[where] = self._select(where)
        return self._kept[where]

    def _select(self, where: str) -> npt.NDArray[np.int64]:
        if not where.strip() or ";" in _TEXT.sub("", where):
            raise InputError(
                f"The filter {where!r} is not one SQL condition.",
                'Write a condition such as "mol_weight < 300 AND logp > 2".',
            )
        if not _closed(where):
            raise InputError(
                f"The brackets of the filter {where!r} do not match.",
                "Close every bracket that is opened, in that order; text stands in single quotes.",
            )
        if self._table is None:
            self._table = _open(self._folder, self._version)
        try:
            # In brackets, so that text after the condition is an error and not left unread.
            query = self._table.search().where(f"({where})").select([POSITION])
            found = query.limit(None).to_arrow()
        except (ValueError, RuntimeError, OSError) as error:
            raise self._refusal(where, error) from error
        return np.sort(found.column(POSITION).to_numpy().astype(np.int64))

    def _refusal(self, where: str, error: Exception) -> InputError:
        text = str(error)
        unknown = re.search(r"No field named (.+?)\. Valid fields", text)
        if unknown is None:
            return InputError(
                f"The filter {where!r} cannot be used: {_brief(error)}.",
                f"Columns: {', '.join(self._columns)}. Text stands in single quotes.",
            )
        name = unknown.group(1).strip('"`')
        lower = {column.lower(): column for column in self._columns}
        near = difflib.get_close_matches(name.lower(), lower, n=3, cutoff=0.5)
        near += [c for c in lower if c not in near and name.lower() in c][:2]
        meant = f"Did you mean {' or '.join(lower[c] for c in near)}? " if near else ""
        return InputError(
            f"The filter {where!r} names the column {name!r}, which the library does not have.",
            f"{meant}Columns: {', '.join(self._columns)}. Text stands in single quotes.",
        )


def _closed(where: str) -> bool:
    """Whether brackets outside of quotes match; else those put around it would join others."""
    depth = 0
    for mark in re.findall(r"[()]", _TEXT.sub("", where)):
        depth += 1 if mark == "(" else -1
        if depth < 0:
            break
    return depth == 0


def _brief(error: Exception) -> str:
    """The part of an error of Lance that a user can read: no source positions, one line."""
    text = re.split(r",? /\S+\.rs:\d+", str(error))[0]
    text = re.sub(r"SELECT 1 FROM t WHERE \(?", "", text)
    text = re.sub(r"^(Invalid input, |lance error: |LanceError\(\w+\): )+", "", text)
    return " ".join(text.split()).rstrip(". ")
