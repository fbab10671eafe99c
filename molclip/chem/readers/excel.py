"""Excel workbooks (.xlsx): the first sheet that has rows, streamed."""

import warnings
import zipfile
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from molclip.chem.readers.columns import looks_like_structure, made_up_title
from molclip.chem.readers.record import Records, Wanted
from molclip.chem.readers.source import Source
from molclip.chem.readers.table import (
    as_text,
    has_header,
    names_columns,
    row_of,
    table_records,
    titles_of,
)
from molclip.errors import InputError

_SAMPLE = 20


def read_excel(source: Source, wanted: Wanted) -> Records:
    """Read the first sheet with rows; formulas count by the value last shown.

    Blank rows and captions of one cell may stand above the header; as in other tables, row 1 is
    the one below it. In a sheet without header the blank rows above count.

    Raises
    ------
    InputError
        When the file is no workbook, has no rows, no column holds structures, or one that was
        named is missing.
    """
    import openpyxl
    from openpyxl.utils.exceptions import InvalidFileException

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # on styles and extensions, which hold no rows
            book = openpyxl.load_workbook(source.seekable(), read_only=True, data_only=True)
    except (InvalidFileException, zipfile.BadZipFile, KeyError, ValueError, OSError) as error:
        raise InputError(
            f"{source.shown} is not a readable Excel workbook: {error}.",
            "Save it again as .xlsx or .csv.",
        ) from None
    for sheet in book.worksheets:
        rows = _cells(sheet)
        blank, filled = next(((n, cells) for n, cells in enumerate(rows) if cells), (0, None))
        if filled is not None:
            break
    else:
        raise InputError(f"{source.shown} has no rows.", "Give a workbook with at least one row.")
    first = [filled, *islice(rows, _SAMPLE)]
    start = _captions(first, wanted)
    if has_header(first[start], first[start + 1 :], wanted):
        titles = titles_of(first[start])
        del first[: start + 1]
    else:
        first[:0] = [[]] * blank
        titles = [made_up_title(i + 1) for i in range(max(map(len, first)))]
    return table_records(
        (row_of(titles, cells) for cells in chain(first, rows)),
        format="xlsx",
        file=source.name,
        shown=source.shown,
        wanted=wanted,
    )


def _captions(first: list[list[str]], wanted: Wanted) -> int:
    """Number of rows above the one that names columns, if they are blank or have one cell each."""
    for place, cells in enumerate(first):
        if names_columns(cells, wanted):
            return place
        filled = [cell for cell in cells if cell.strip()]
        if len(filled) > 1 or any(map(looks_like_structure, filled)):
            break
    return 0


def _cells(sheet: Any) -> Iterator[list[str]]:
    """Yield rows as text; empty ones count between others, not at the end."""
    sheet.reset_dimensions()  # a size written wrongly by other programs would cut rows off
    empty = 0
    for values in sheet.iter_rows(values_only=True):
        cells = [as_text(value) for value in values]
        while cells and not cells[-1].strip():
            cells.pop()
        if not cells:
            empty += 1
            continue
        for _ in range(empty):
            yield []
        empty = 0
        yield cells
