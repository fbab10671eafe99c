"""What a named table holds: its file, its columns with type and meaning, its licence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from datasets import Features

Kind = Literal["string", "int", "label", "flag", "list"]
"""How a cell is read: text, whole number, 0/1 or unknown, true/false, or several texts."""


@dataclass(frozen=True)
class Column:
    """One column of a data set.

    Parameters
    ----------
    name
        Name in the data set.
    kind
        See `Kind`. An empty cell is None, or an empty list.
    about
        What it means, in one line.
    separator
        Between the texts of a `list`.
    """

    name: str
    kind: Kind
    about: str
    separator: str = ";"

    def read(self, cell: str) -> Any:
        """Turn a cell of a text file into a typed value.

        Raises
        ------
        ValueError
            When the cell is no value of this kind.
        """
        if self.kind == "list":
            return [part.strip() for part in cell.split(self.separator) if part.strip()]
        if not cell.strip():
            return None
        if self.kind == "string":
            return cell
        number = float(cell)
        if number != int(number) or (self.kind != "int" and number not in (0, 1)):
            raise ValueError(f"{cell!r} is not {_WANTED[self.kind]}")
        return bool(number) if self.kind == "flag" else int(number)


_WANTED = {"int": "a whole number", "label": "0 or 1", "flag": "0 or 1"}


@dataclass(frozen=True)
class Table:
    """A data set kept in one tab-separated, gzipped file.

    Parameters
    ----------
    name
        Name for `molclip.datasets.load`.
    file
        File name in the user's folder.
    columns
        In the order of the data set; a column the file does not have is an error.
    about
        What the rows are, in one sentence.
    source, licence
        For the data set's `info`.
    split_column
        Column that says which split a row belongs to, if there is one.
    """

    name: str
    file: str
    columns: tuple[Column, ...]
    about: str
    source: str
    licence: str
    split_column: str | None = None


def features(columns: tuple[Column, ...]) -> Features:
    """The Hugging Face feature types of these columns."""
    from datasets import Features, Value

    kinds: dict[Kind, Callable[[], Any]] = {
        "string": lambda: Value("string"),
        "int": lambda: Value("int64"),
        "label": lambda: Value("int8"),
        "flag": lambda: Value("bool"),
        "list": lambda: [Value("string")],
    }
    return Features({column.name: kinds[column.kind]() for column in columns})


def description(about: str, columns: tuple[Column, ...]) -> str:
    """Text for `Dataset.info.description`: what the rows are, then a line for each column."""
    lines = [f"- {column.name}: {column.about}" for column in columns]
    return "\n".join([about, "", *lines])
