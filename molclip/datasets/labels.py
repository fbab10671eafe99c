"""Molecules with labels: tasks found in columns, one number per molecule and task, NaN where none.

A label column is a task. Cells that say nothing (`MISSING`) leave a molecule unlabelled for that
task; a cell that is no number in a regression task is a failure of its cell, not of its row.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure
from molclip.chem.readers import PathOrFile, Record, read_records
from molclip.chem.readers.columns import named_column
from molclip.datasets.local import TABLES
from molclip.datasets.registry import load
from molclip.errors import InputError

FloatArray = npt.NDArray[np.float64]
TaskKind = Literal["binary", "multiclass", "regression"]
Wanted = Literal["auto", "classification", "regression"]

MISSING = frozenset({"", "nan", "na", "n/a", "null", "?"})
"""Cells without a label, in any case."""
MOST_CLASSES = 100

_BENCHMARK = "moleculenet-"


@dataclass(frozen=True)
class Task:
    """What one label column asks."""

    name: str
    kind: TaskKind
    classes: tuple[str, ...] = ()
    """Names of the classes; a label is the place of its class. Empty for regression."""


@dataclass
class LabelledMolecules:
    """N rows with their labels, still unparsed."""

    name: str
    """File or data set."""
    records: list[Record | ParseFailure]
    """Row-aligned: a `ParseFailure` where the file itself could not be read."""
    tasks: tuple[Task, ...]
    labels: FloatArray
    """(N, T): place of the class, or the value; NaN where there is no label."""
    problems: list[ParseFailure] = field(default_factory=list)
    """Cells that could not be used, each with file, row, id and reason."""
    split: list[str] | None = None
    """Cell of the split column of each row, where one was asked for."""

    def __len__(self) -> int:
        return len(self.records)


def read_labelled(
    path: PathOrFile,
    columns: Sequence[str],
    *,
    task: Wanted = "auto",
    split_column: str | None = None,
    structure: str | None = None,
    id: str | None = None,
    name: str | None = None,
    format: str | None = None,
) -> LabelledMolecules:
    """Read a file of molecules and the labels in some of its columns.

    Parameters
    ----------
    path, structure, id, name, format
        As in `chem.readers.read_records`.
    columns
        Titles of the label columns.
    task
        `classification`: each distinct cell is a class (`1` and `1.0` are one); `regression`:
        cells are numbers; `auto`: regression for a column of numbers with more than two different
        values, else classification.
    split_column
        Column that says which set a row is in.

    Raises
    ------
    InputError
        When a column is missing, holds no label, one class only, or more than `MOST_CLASSES`.
    """
    if not columns:
        raise InputError("No label column is named.", "Name at least one.")
    records = read_records(path, structure=structure, id=id, name=name, format=format)
    rows = list(records)
    roles = {title: role for role, title in records.columns.items() if title is not None}
    properties = (record.properties for record in rows)
    titles = list(dict.fromkeys([*(key for cells in properties for key in cells), *roles]))
    shown = records.file or str(path)

    def cells(title: str, role: str) -> tuple[str, list[str]]:
        found = named_column(title, titles, role, shown)
        assert found is not None
        return found, [_cell(row, found, roles.get(found)) for row in rows]

    named = dict(cells(column, "label") for column in columns)
    tasks, problems = [], []
    labels = np.full((len(rows), len(named)), np.nan)
    for place, (title, texts) in enumerate(named.items()):
        found, values, bad = _task(title, texts, task, shown)
        tasks.append(found)
        labels[:, place] = values
        problems += [_cell_failure(rows[row], title, texts[row]) for row in bad]
    split = cells(split_column, "split")[1] if split_column is not None else None
    return LabelledMolecules(shown, rows, tuple(tasks), labels, problems, split)


def benchmark_names() -> tuple[str, ...]:
    """Short names of the labelled data sets that `read_benchmark` knows."""
    return tuple(t.name.removeprefix(_BENCHMARK) for t in TABLES if t.name.startswith(_BENCHMARK))


def read_benchmark(name: str, path: str | None = None) -> LabelledMolecules:
    """Read one of MoleculeNet's classification sets with all its tasks.

    Parameters
    ----------
    name
        One of `benchmark_names()`, such as `bbbp`.
    path
        Folder of its file; what MOLCLIP_DATA names by default.

    Raises
    ------
    InputError
        For another name, or when the file is missing.
    """
    if name not in benchmark_names():
        raise InputError(
            f"No labelled data set is called {name!r}.",
            f"There are: {', '.join(benchmark_names())}.",
        )
    data = load(_BENCHMARK + name, path)
    columns: dict[str, list[Any]] = {title: data[title][:] for title in data.column_names}
    tasks = [title for title in columns if str(data.features[title].dtype) == "int8"]
    labels = np.array([columns[task] for task in tasks], dtype=np.float64).T
    ids = columns.get("mol_id", [None] * len(data))
    records: list[Record | ParseFailure] = [
        Record(file=name, row=row, id=key, name=None, text=smiles)
        for row, (smiles, key) in enumerate(zip(columns["smiles"], ids, strict=True), start=1)
    ]
    found = tuple(Task(task, "binary", ("0", "1")) for task in tasks)
    return LabelledMolecules(name, records, found, labels)


def _cell(row: Record | ParseFailure, title: str, role: str | None) -> str:
    if role == "id":
        return row.id or ""
    if role == "name":
        return row.name or ""
    return row.properties.get(title, "").strip()


def _task(
    title: str, texts: Sequence[str], wanted: Wanted, shown: str
) -> tuple[Task, FloatArray, list[int]]:
    """The task of a column, the labels (N,), and the rows whose cells are no label."""
    said = [row for row, text in enumerate(texts) if text.lower() not in MISSING]
    numbers = {row: _number(texts[row]) for row in said}
    values = np.full(len(texts), np.nan)
    if not said:
        raise InputError(f"{shown}: column {title!r} holds no label.", "Name another column.")
    if wanted == "auto":
        measured = None not in numbers.values() and len(set(numbers.values())) > 2
        wanted = "regression" if measured else "classification"
    if wanted == "regression":
        for row, number in numbers.items():
            values[row] = np.nan if number is None else number
        bad = [row for row, number in numbers.items() if number is None]
        if len(bad) == len(said):
            raise InputError(
                f"{shown}: column {title!r} holds no number (but {texts[bad[0]]!r}).",
                "Use classification, or name another column.",
            )
        return Task(title, "regression"), values, bad
    names = {row: _class_name(texts[row], numbers[row]) for row in said}
    classes = sorted(set(names.values()), key=_class_order)
    if len(classes) < 2:
        raise InputError(
            f"{shown}: every label in column {title!r} is {classes[0]!r}.",
            "There is nothing to tell apart; name another column.",
        )
    if len(classes) > MOST_CLASSES:
        raise InputError(
            f"{shown}: column {title!r} has {len(classes):,} different labels.",
            f"Use regression for numbers; classes are limited to {MOST_CLASSES}.",
        )
    place = {name: number for number, name in enumerate(classes)}
    for row, name in names.items():
        values[row] = place[name]
    return Task(title, "binary" if len(classes) == 2 else "multiclass", tuple(classes)), values, []


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if isfinite(value) else None


def _class_name(text: str, number: float | None) -> str:
    return str(int(number)) if number is not None and number == int(number) else text


def _class_order(name: str) -> tuple[bool, float, str]:
    number = _number(name)
    return number is None, number or 0.0, name


def _cell_failure(row: Record | ParseFailure, title: str, text: str) -> ParseFailure:
    return ParseFailure(
        file=row.file,
        row=row.row,
        id=row.id,
        input=text,
        reason=f"no number: the label in column {title!r} is {text!r}.",
        hint="Write a plain number, or leave the cell empty.",
        name=row.name,
    )


def class_counts(labels: FloatArray, task: Task) -> dict[str, int]:
    """How many molecules have each class of a task; `labels` is its column ``(N,)``."""
    counts = Counter(labels[~np.isnan(labels)].astype(int).tolist())
    return {name: counts[place] for place, name in enumerate(task.classes)}
