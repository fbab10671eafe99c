"""Rows of a table, whatever file it came from, to records."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import chain, islice, zip_longest

from molclip.chem.molecule import ParseFailure
from molclip.chem.readers.columns import (
    SAMPLE_ROWS,
    Columns,
    find_columns,
    is_known_title,
    looks_like_structure,
    made_up_title,
)
from molclip.chem.readers.record import Record, Records, Wanted
from molclip.errors import InputError

_EXACT = 2**53
_TITLE = re.compile(r"[A-Za-z_][\w .()/%-]*")


@dataclass(frozen=True)
class Row:
    """One row of a table, before its columns are known by role."""

    cells: dict[str, str]
    """Title to cell, as text."""
    raw: str = ""
    """The row as written, for a row whose cells could not be told apart."""
    warnings: tuple[str, ...] = ()
    problem: tuple[str, str] | None = None
    """Reason and hint, where the row could not be read."""


def table_records(
    rows: Iterator[Row], *, format: str, file: str | None, shown: str, wanted: Wanted
) -> Records:
    """Turn rows into records; looks at the first rows to find the columns.

    Raises
    ------
    InputError
        When there is no row, or no column with structures.
    """
    sample = list(islice(rows, SAMPLE_ROWS))
    if not sample:
        raise InputError(f"{shown} has a header, but no rows.", "Give a file with at least one.")
    titles = list(dict.fromkeys(title for row in sample for title in row.cells))
    cells = [row.cells for row in sample if row.problem is None]
    # Without one readable row there is nothing to find: each row will say why.
    columns = find_columns(titles, cells, wanted, shown) if cells else Columns("", None, None)
    return Records(
        rows=_records(chain(sample, rows), columns, file),
        file=file,
        format=format,
        columns={"structure": columns.structure, "id": columns.id, "name": columns.name},
    )


def has_header(first: list[str], following: list[list[str]], wanted: Wanted) -> bool:
    """Tell whether the first row of a table holds titles.

    It does where a cell is a known title or one the user named; it does not where a cell is a
    structure. Otherwise structures further down, or cells that all look like titles, make it one.
    """
    if names_columns(first, wanted):
        return True
    if any(map(looks_like_structure, first)):
        return False
    below = any(looks_like_structure(cell) for row in following for cell in row[: len(first)])
    return below or all(map(_TITLE.fullmatch, first))


def names_columns(cells: list[str], wanted: Wanted) -> bool:
    """Tell whether a cell is a known title, or one the user named."""
    named = {title.strip().lower() for title in (wanted.structure, wanted.id, wanted.name) if title}
    return any(is_known_title(cell) or cell.strip().lower() in named for cell in cells)


def titles_of(cells: list[str]) -> list[str]:
    """Return distinct titles: empty ones get a number, repeated ones a counter."""
    titles: list[str] = []
    for number, cell in enumerate(cells, start=1):
        title = base = cell.strip() or made_up_title(number)
        count = 1
        while title in titles:
            count += 1
            title = f"{base} ({count})"
        titles.append(title)
    return titles


def as_text(value: object) -> str:
    """Return a cell of a typed table as text; nothing and not-a-number are empty."""
    if isinstance(value, str):
        return value
    if value is None or value != value:  # noqa: PLR0124 - true of NaN alone
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < _EXACT:
        return str(int(value))  # ids that passed through pandas come as 4711.0
    if isinstance(value, bytes):
        return value.decode("utf-8", errors="replace")
    if isinstance(value, list | dict):
        return json.dumps(value, ensure_ascii=False, default=str)
    return str(value)


def row_of(titles: list[str], cells: list[str], warnings: tuple[str, ...] = ()) -> Row:
    """Pair titles with cells; cells beyond the header are kept under a number, and warned of."""
    if len(cells) > len(titles):
        extra = cells[len(titles) :]
        if any(cell.strip() for cell in extra):
            warnings = (*warnings, f"has {len(cells)} cells under {len(titles)} titles")
            titles = titles + [made_up_title(len(titles) + i) for i in range(1, len(extra) + 1)]
    return Row(dict(zip_longest(titles, cells[: len(titles)], fillvalue="")), warnings=warnings)


def _records(
    rows: Iterator[Row], columns: Columns, file: str | None
) -> Iterator[Record | ParseFailure]:
    roles = {columns.structure, columns.id, columns.name}
    for number, row in enumerate(rows, start=1):
        cells = row.cells
        record = Record(
            file=file,
            row=number,
            id=_cell(cells, columns.id),
            name=_cell(cells, columns.name),
            text=cells.get(columns.structure, row.raw),
            properties={title: cell for title, cell in cells.items() if title not in roles},
            warnings=row.warnings,
        )
        yield record if row.problem is None else record.failure(*row.problem)


def _cell(cells: dict[str, str], title: str | None) -> str | None:
    return (cells.get(title, "").strip() or None) if title is not None else None
