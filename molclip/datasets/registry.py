"""`load` a data set by name."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from molclip.datasets.chebi20 import SPLITS, read_chebi20, read_chebi20_text
from molclip.datasets.embedded import read_library
from molclip.datasets.graph import read_graph
from molclip.datasets.local import TABLES, read_table
from molclip.errors import InputError

if TYPE_CHECKING:
    from datasets import Dataset

_TABLES = {table.name: table for table in TABLES}
_OTHERS = ("chebi-library", "chebi20", "chebi20-text", "chebi-graph")


def names() -> tuple[str, ...]:
    """Every name that `load` knows, the embedded library first."""
    return (*_OTHERS, *_TABLES)


def load(
    name: str,
    path: str | PathLike[str] | None = None,
    split: str | None = None,
    *,
    hub_id: str | None = None,
) -> Dataset:
    """Load a data set with typed features; `info.description` says what each column means.

    Parameters
    ----------
    name
        One of `names()`. `chebi-library` is part of molclip; the others are read from files.
    path
        Folder that holds the data set's file; None reads the folder that the environment
        variable MOLCLIP_DATA names. For `chebi-library`, a Parquet file to read instead of the
        shipped one.
    split
        Rows of this split only; None gives all rows, and a data set that has splits says each
        row's in a column.
    hub_id
        For `chebi20`: repository on the Hugging Face hub to read from. It is also read from a
        default one where neither `path` nor MOLCLIP_DATA is given.

    Raises
    ------
    molclip.errors.InputError
        When the name, the split, a file or a column does not exist.

    Examples
    --------
    >>> from molclip import datasets
    >>> library = datasets.load("chebi-library")
    >>> library.features["curated"]
    Value('bool')
    """
    if hub_id is not None and name != "chebi20":
        raise InputError(f"{name!r} is not read from a hub.", "Leave hub_id out.")
    if name in ("chebi20", "chebi20-text"):
        splits = SPLITS if split is None else (_known(name, split, SPLITS),)
        if name == "chebi20":
            return read_chebi20(path, hub_id, splits)
        return read_chebi20_text(path, splits)
    if name == "chebi-library":
        _no_split(name, split)
        return read_library(path)
    if name == "chebi-graph":
        _no_split(name, split)
        return read_graph(path)
    table = _TABLES.get(name)
    if table is None:
        raise InputError(f"No data set is called {name!r}.", f"There are: {', '.join(names())}.")
    if table.split_column is None:
        _no_split(name, split)
        return read_table(table, path)
    rows = read_table(table, path)
    if split is None:
        return rows
    values = rows[table.split_column][:]
    wanted = _known(name, split, tuple(sorted(set(values))))
    return rows.select([i for i, value in enumerate(values) if value == wanted])


def _known(name: str, split: str, known: tuple[str, ...]) -> str:
    if split not in known:
        raise InputError(f"{name!r} has no split {split!r}.", f"It has: {', '.join(known)}.")
    return split


def _no_split(name: str, split: str | None) -> None:
    if split is not None:
        raise InputError(f"{name!r} has no splits.", "Leave split out.")
