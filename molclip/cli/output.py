"""Answers to stdout or to a file: JSON, CSV, tables, SD files."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from molclip.errors import InputError

if TYPE_CHECKING:
    from rich.table import Table

WIDEST = 160
"""Tables get no wider than so many columns, however wide the terminal."""

SUFFIXES = (".csv", ".tsv", ".json", ".jsonl", ".sdf")


def plain(value: Any) -> Any:
    """A value as JSON can hold it: not-a-number and infinities become null."""
    if isinstance(value, Mapping):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    if hasattr(value, "item"):  # a number of numpy
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)


def write_json(records: Iterable[Mapping[str, Any]], stream: IO[str]) -> int:
    """Write one JSON array, one record per line, as the records come; returns how many."""
    count = 0
    stream.write("[")
    for record in records:
        stream.write(",\n " if count else "\n ")
        stream.write(json.dumps(plain(record), ensure_ascii=False, allow_nan=False))
        count += 1
    stream.write("\n]\n" if count else "]\n")
    return count


def write_file(
    records: Iterable[Mapping[str, Any]], path: Path, columns: Sequence[str] | None
) -> int:
    """Write records in the format of the file's extension; returns how many.

    Raises
    ------
    InputError
        For another extension, or a file that cannot be written.
    """
    check_suffix(path)
    from molclip.chem.writers import open_for_writing, write_rows

    if path.suffix.lower() == ".json":
        with open_for_writing(path) as stream:
            return write_json(records, stream)
    return write_rows(records, path, columns)


def check_suffix(path: Path) -> None:
    """Refuse an output file of unknown extension, before any work is done."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(
            f"Results cannot be written as {path.name}.", f"Use one of {', '.join(SUFFIXES)}."
        )
    if not path.absolute().parent.is_dir():
        raise InputError(f"There is no folder {path.parent}.", "Make it first.")


def print_table(table: Table) -> None:
    """Print a table that fits the terminal, or 80 columns where there is none."""
    from rich.console import Console

    console = Console(width=min(stdout_width(), WIDEST), highlight=False)
    with console.capture() as captured:
        console.print(table)
    lines = captured.get().splitlines()
    sys.stdout.write("".join(line.rstrip() + "\n" for line in lines))


def stdout_width() -> int:
    """Columns of the terminal; COLUMNS or 80 where stdout is none."""
    from rich.console import Console

    return Console().width


def new_table() -> Table:
    """An empty table in the style of all commands."""
    from rich import box
    from rich.table import Table

    return Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="bold")


def cell(value: Any, longest: int) -> Any:
    """Text for a table cell: one line cut to `longest`, never read as markup."""
    from rich.text import Text

    from molclip.chem.molecule import shorten

    return Text(shorten("" if value is None else str(value), longest), overflow="fold")
