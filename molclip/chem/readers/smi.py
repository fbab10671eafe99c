"""Lines of SMILES (or InChI), each perhaps followed by a name."""

from collections.abc import Iterator
from itertools import chain, islice

from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import split_structure
from molclip.chem.readers.columns import is_known_title, looks_like_identifier
from molclip.chem.readers.delimited import read_delimited_lines
from molclip.chem.readers.lines import Line, read_lines
from molclip.chem.readers.record import Record, Records, Wanted
from molclip.chem.readers.source import Source
from molclip.errors import InputError


def read_smi(source: Source, wanted: Wanted, encoding: str | None) -> Records:
    """Read one structure per line: `SMILES`, `SMILES name`, `SMILES |CX| name`, or InChI.

    Lines that are split by tabs, or whose first line names its columns, are read as a table.

    Raises
    ------
    InputError
        When a column is named that a file without header cannot have.
    """
    lines = read_lines(source, encoding)
    first = next(lines)
    text = first.text
    for delimiter in "\t,;":
        titled = any(is_known_title(cell.strip(' "#')) for cell in text.split(delimiter))
        if delimiter in text and (delimiter == "\t" or titled):
            return read_delimited_lines(chain([first], lines), source, "smi", wanted, delimiter)
    asked = next((w for w in (wanted.structure, wanted.id, wanted.name) if w is not None), None)
    if is_known_title(text.split(None, 1)[0].lstrip("#")) or text.startswith("#"):
        ahead = list(islice(lines, 1))
        if not ahead:
            raise InputError(
                f"{source.shown} has a header, but no rows.", "Give a file with at least one."
            )
        lines = chain(ahead, lines)
    else:
        lines = chain([first], lines)
        if asked is not None:
            raise InputError(
                f"{source.shown} has no column {asked!r}: it has one SMILES per line and no header.",
                "Leave the column names out, or give a .csv or .tsv file.",
            )
    return Records(rows=_records(lines, source.name), file=source.name, format="smi")


def _records(lines: Iterator[Line], file: str | None) -> Iterator[Record | ParseFailure]:
    for row, line in enumerate(lines, start=1):
        name = split_structure(line.text.strip())[1]
        record = Record(
            file=file,
            row=row,
            id=name if name is not None and looks_like_identifier(name) else None,
            name=name,
            text=line.text,
            warnings=line.warnings,
        )
        yield record if line.problem is None else record.failure(*line.problem)
