"""CSV, TSV and their kin: quoted fields, embedded line breaks, stray quotation marks."""

import csv
import io
from collections import deque
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any, NamedTuple

from molclip.chem.readers.columns import is_known_title, made_up_title
from molclip.chem.readers.lines import Line, read_lines
from molclip.chem.readers.record import Records, Wanted
from molclip.chem.readers.source import Source
from molclip.chem.readers.table import Row, has_header, row_of, table_records, titles_of

_SAMPLE = 20
# A mol block in a quoted cell has a line per atom and bond; more lines mean a stray quote.
_MOST_LINES = 5000
_STRAY = (
    "a quotation mark is opened and not closed.",
    'Double a quotation mark that belongs to the text (""), or take it out.',
)
_STRAY_NOTE = "a quotation mark is opened and not closed; taken as part of the text"

csv.field_size_limit(2**31 - 1)  # lines are bounded already, and mol blocks pass the default


class _Cells(NamedTuple):
    cells: list[str]
    line: Line


def read_delimited(source: Source, format: str, wanted: Wanted, encoding: str | None) -> Records:
    """Read a table of text, with or without header.

    The delimiter of a `.csv` is a comma, semicolon or tab, whichever its first line shows.

    Raises
    ------
    InputError
        When no column holds structures, or one that was named is missing.
    """
    lines = read_lines(source, encoding)
    return read_delimited_lines(lines, source, format, wanted, "\t" if format == "tsv" else None)


def read_delimited_lines(
    lines: Iterator[Line], source: Source, format: str, wanted: Wanted, delimiter: str | None
) -> Records:
    """Read lines as a table; without a delimiter the first line shows it."""
    rows = _Rows(lines, delimiter)
    first = list(islice(rows, _SAMPLE))
    whole = [row.cells for row in first if row.line.problem is None]
    if whole and has_header(whole[0], whole[1:], wanted) and first[0].line.problem is None:
        titles = titles_of(first.pop(0).cells)
    else:
        titles = [made_up_title(i + 1) for i in range(max(map(len, whole), default=1))]
    rows.width = len(titles)
    return table_records(
        _paired(titles, chain(first, rows)),
        format=format,
        file=source.name,
        shown=source.shown,
        wanted=wanted,
    )


def _paired(titles: list[str], rows: Iterator[_Cells]) -> Iterator[Row]:
    for cells, line in rows:
        if line.problem is not None:
            yield Row({}, line.text, line.warnings, line.problem)
        else:
            yield row_of(titles, cells, line.warnings)


class _Rows:
    """Splits lines into cells; joins the lines of a quoted cell."""

    def __init__(self, lines: Iterator[Line], delimiter: str | None) -> None:
        self.width: int | None = None
        """Number of cells of a whole row, once known."""
        self._lines = lines
        self._again: deque[Line] = deque()
        self._delimiter = delimiter

    def __iter__(self) -> Iterator[_Cells]:
        return self

    def __next__(self) -> _Cells:
        line = self._next_line()
        if line.problem is not None:
            return _Cells([], line)
        if self._delimiter is None:
            self._delimiter = _delimiter_of(line.text)
        if '"' not in line.text:
            return _Cells(line.text.split(self._delimiter), line)
        cells = self._split(line.text)
        return self._joined(line) if cells is None else _Cells(cells, line)

    def _next_line(self) -> Line:
        return self._again.popleft() if self._again else next(self._lines)

    def _joined(self, first: Line) -> _Cells:
        """Join lines until the open quotation mark closes; give them back if it never does."""
        taken = [first]
        quotes = first.text.count('"')
        while len(taken) < _MOST_LINES:
            try:
                line = self._next_line()
            except StopIteration:
                break
            taken.append(line)
            if line.problem is not None:
                break
            quotes += line.text.count('"')
            if '"' not in line.text or quotes % 2:
                continue
            cells = self._split("\n".join(part.text for part in taken))
            if cells is not None:
                if self.width in (None, len(cells)):
                    warnings = tuple(dict.fromkeys(w for part in taken for w in part.warnings))
                    return _Cells(cells, Line(first.text, warnings))
                break
        self._again.extendleft(reversed(taken[1:]))
        literal = first.text.split(self._delimiter)
        if len(literal) == self.width:
            return _Cells(literal, Line(first.text, (*first.warnings, _STRAY_NOTE)))
        return _Cells([], Line(first.text, first.warnings, _STRAY))

    def _split(self, text: str) -> list[str] | None:
        """Return the cells, or None where a quoted cell is still open at the end."""
        options: dict[str, Any] = {"delimiter": self._delimiter}
        try:
            return next(csv.reader(io.StringIO(text, newline=""), strict=True, **options))
        except csv.Error as error:
            if "unexpected end" in str(error):
                return None
        return next(csv.reader(io.StringIO(text, newline=""), **options))


def _delimiter_of(line: str) -> str:
    """Choose the delimiter that shows known titles, else the first that occurs."""

    def known(delimiter: str) -> int:
        return sum(is_known_title(cell.strip('" ')) for cell in line.split(delimiter))

    candidates = [mark for mark in (",", ";", "\t", "|") if mark in line]
    if not candidates:
        return ","
    best = max(candidates, key=known)
    # Without a known title a bar is more likely part of CXSMILES.
    return best if known(best) else next((m for m in candidates if m != "|"), ",")
