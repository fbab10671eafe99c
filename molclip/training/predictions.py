"""Answers of a fine-tuned model for molecules, row-aligned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.datasets.labels import Task

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Predictions:
    """Answers for N molecules, row-aligned."""

    tasks: tuple[Task, ...]
    values: list[FloatArray]
    """For each task probabilities of its classes ``(N, C)``, or values ``(N,)``; NaN where a
    molecule could not be used."""
    molecules: list[Molecule | ParseFailure]

    def __len__(self) -> int:
        return len(self.molecules)

    @property
    def failures(self) -> list[ParseFailure]:
        """Rows without an answer, each with its reason."""
        return [item for item in self.molecules if isinstance(item, ParseFailure)]

    def __getitem__(self, task: str) -> FloatArray:
        """The answers to a task, by its name."""
        return self.values[[each.name for each in self.tasks].index(task)]

    def answers(self, task: str) -> list[str | float | None]:
        """The most likely class of each molecule, or its value; None where there is none."""
        number = [each.name for each in self.tasks].index(task)
        found, classes = self.values[number], self.tasks[number].classes
        answers: list[str | float | None] = []
        for row in found:
            if np.isnan(row).any():
                answers.append(None)
            else:
                answers.append(classes[int(row.argmax())] if classes else float(row))
        return answers

    def records(self) -> Iterator[dict[str, Any]]:
        """One dictionary for each molecule: what it is, the answers, or why there is none."""
        answers = {task.name: self.answers(task.name) for task in self.tasks}
        for number, item in enumerate(self.molecules):
            failed = isinstance(item, ParseFailure)
            record: dict[str, Any] = {
                "row": item.row,
                "id": item.id,
                "name": item.name,
                "smiles": None if isinstance(item, ParseFailure) else item.smiles,
            }
            for task, values in zip(self.tasks, self.values, strict=True):
                record[_title(task)] = answers[task.name][number]
                for place, title in _probability_titles(task):
                    record[title] = None if failed else float(values[number, place])
            record["failure"] = (
                f"{item.reason} {item.hint}".strip() if isinstance(item, ParseFailure) else None
            )
            yield record


def columns(tasks: Iterable[Task]) -> list[str]:
    """Keys of `Predictions.records`, in order."""
    titles = []
    for task in tasks:
        titles += [_title(task), *(title for _, title in _probability_titles(task))]
    return ["row", "id", "name", "smiles", *titles, "failure"]


def _title(task: Task) -> str:
    return f"prediction: {task.name}"


def _probability_titles(task: Task) -> list[tuple[int, str]]:
    """Place and title of the probabilities shown: of two classes the second is enough."""
    if not task.classes:
        return []
    first = 1 if task.kind == "binary" else 0
    return [
        (place, f"probability: {task.name} = {name}")
        for place, name in enumerate(task.classes)
        if place >= first
    ]
