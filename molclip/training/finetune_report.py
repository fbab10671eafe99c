"""What fine-tuning leaves behind: the model, a report, a card, and answers for every row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from molclip import __version__
from molclip.chem.molecule import ParseFailure
from molclip.chem.writers import write_rows
from molclip.errors import InputError
from molclip.evaluation.label_scores import SHOWN, figure_names, mean_scores, shown
from molclip.evaluation.plots import curves
from molclip.evaluation.report import Report, Table, versions
from molclip.training.fine_tuned import WEIGHTS_FILE
from molclip.training.finetune import FINE_TUNED, LINEAR, FineTuneResult
from molclip.training.predictions import Predictions, columns

HISTORY = "history.jsonl"
PREDICTIONS = "predictions.csv"
FAILURES = "failures.csv"
_FAILURES_SHOWN = 3


def new_folder(folder: Path) -> Path:
    """Make the output folder; returns the path of its log.

    Raises
    ------
    InputError
        When a model is in it already, or it cannot be written to.
    """
    if (folder / WEIGHTS_FILE).exists():
        raise InputError(f"{folder} holds a model already.", "Name another folder.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / HISTORY).write_text("", encoding="utf-8")  # of a run that was broken off
    except OSError as error:
        raise InputError(
            f"{folder} cannot be written to: {error.strerror}.", "Name another folder."
        ) from error
    return folder / HISTORY


def write_folder(result: FineTuneResult, folder: Path, report: Report) -> None:
    """Write everything beside the log.

    `model.safetensors` and `config.json` (`FineTuned.load` reads them), `README.md`,
    `report.json`, `.md` and `.html`, `predictions.csv` (every row of the file with its set, labels
    and answers), and `failures.csv` (rows and label cells that could not be used).
    """
    from molclip.chem.failures import FIELDS

    result.model.save(folder)
    report.write(folder, "report")
    write_rows(prediction_rows(result), folder / PREDICTIONS)
    failures = [*result.prepared.failures, *result.data.problems]
    write_rows((failure.to_dict() for failure in failures), folder / FAILURES, FIELDS)
    (folder / "README.md").write_text(_card(result, report), encoding="utf-8")


def prediction_rows(result: FineTuneResult) -> Iterator[dict[str, Any]]:
    """Answers for all rows of the data, with the set each is in and its labels."""
    rows = result.prepared.rows
    good = result.prepared.valid
    tasks = result.data.tasks
    answers = result.model.predict_inputs([row.input for row in result.prepared.take(good)])
    values = []
    for part in answers:
        whole = np.full((len(rows), *part.shape[1:]), np.nan)
        whole[good] = part
        values.append(whole)
    molecules = [row if isinstance(row, ParseFailure) else row.molecule for row in rows]
    sets = result.split.set_of(len(rows))
    order = columns(tasks)
    for number, record in enumerate(Predictions(tasks, values, molecules).records()):
        found = {title: record[title] for title in order[:4]}
        found["set"] = sets[number]
        for place, task in enumerate(tasks):
            found[f"label: {task.name}"] = _label(result.data.labels[number, place], task.classes)
        yield found | {title: record[title] for title in order[4:]}


def finetune_report(result: FineTuneResult, *, base: str, command: str) -> Report:
    """The comparison with the baselines.

    Parameters
    ----------
    result
        What `fine_tune` gave.
    base
        Name or folder of the model that was fine-tuned, as the user gave it.
    command
        The command line that reproduces the report.
    """
    data, settings = result.data, result.settings
    names = figure_names(data.tasks)
    parts = [result.split.train, result.split.validation, result.split.test]
    used = sum(len(part) for part in parts)
    failures = [*result.prepared.failures, *data.problems]
    header: dict[str, str | float | None] = {
        "data": f"{data.name}: {len(data):,} rows, {used:,} with a structure and a label in use",
        "unusable": f"{len(result.prepared.failures):,} rows and {len(data.problems):,} label "
        f"cells, listed in {FAILURES}",
        "split": f"by {result.split_kind}, seed {settings.seed}: "
        + "/".join(f"{len(part):,}" for part in parts)
        + " for training/validation/test",
        "base model": f"{base} (hash {result.model.config.base_hash})",
        "training": ("head alone" if settings.freeze else "encoder and head")
        + f", {len(result.history)} epochs, best {result.best_epoch} (by validation), batches of "
        f"{settings.batch_size}, learning rate {settings.learning_rate:g}",
        "figures": "of the test set" + (", mean over tasks" if len(data.tasks) > 1 else ""),
        "command": command,
        "versions": versions(),
    }
    means = {name: mean_scores(scores, names) for name, scores in result.scores.items()}
    tables = [
        Table(
            "Test figures",
            ["model", *(SHOWN[name] for name in names)],
            [[model, *(shown(means[model][name]) for name in names)] for model in means],
        )
    ]
    if len(data.tasks) > 1:
        tables.append(_by_task(result))
    notes = [f"Not used: {failure}" for failure in failures[:_FAILURES_SHOWN]]
    if len(failures) > _FAILURES_SHOWN:
        notes.append(f"… and {len(failures) - _FAILURES_SHOWN:,} more in {FAILURES}.")
    epochs = [entry["epoch"] for entry in result.history]
    plots = [
        curves(
            "Loss by epoch",
            {
                name: (epochs, [entry[key] for entry in result.history])
                for name, key in (("training", "loss"), ("validation", "validation loss"))
            },
            "epoch",
            "loss",
        )
    ]
    results = {
        "means": means,
        "tasks": [
            {
                "name": task.name,
                "kind": task.kind,
                "classes": list(task.classes),
                "labels": _counts(result, place),
                "linear setting": result.chosen[place],
                **{model: scores[place] for model, scores in result.scores.items()},
            }
            for place, task in enumerate(data.tasks)
        ],
        "history": result.history,
        "best epoch": result.best_epoch,
    }
    return Report("Fine-tuning", header, tables, results, notes, plots)


def _by_task(result: FineTuneResult) -> Table:
    rows = []
    for place, task in enumerate(result.data.tasks):
        name = figure_names([task])[0]
        figures = [shown(scores[place].get(name)) for scores in result.scores.values()]
        counts = "/".join(f"{count:,}" for count in _counts(result, place))
        rows.append([f"{task.name}\n({SHOWN[name]})", counts, *figures])
    return Table("Each task", ["task", "labels", *result.scores], rows)


def _counts(result: FineTuneResult, place: int) -> list[int]:
    """Labels of a task in training, validation and test."""
    known = ~np.isnan(result.data.labels[:, place])
    split = result.split
    return [int(known[part].sum()) for part in (split.train, split.validation, split.test)]


def _label(value: float, classes: tuple[str, ...]) -> str | float | None:
    if np.isnan(value):
        return None
    return classes[int(value)] if classes else float(value)


def _card(result: FineTuneResult, report: Report) -> str:
    tasks = "\n".join(
        f"- `{task.name}`: "
        + (f"classes {', '.join(task.classes)}" if task.classes else "a number (regression)")
        for task in result.data.tasks
    )
    means = report.results["means"]
    lines = [
        f"| {SHOWN[name]} | {shown(value)} | {shown(means[LINEAR][name])} |"
        for name, value in means[FINE_TUNED].items()
    ]
    return "\n".join(
        [
            "# Fine-tuned molecule encoder",
            "",
            f"Made with molclip {__version__}. Not for clinical, legal or safety decisions.",
            "",
            "It answers:",
            "",
            tasks,
            "",
            f"On its test set (split by {result.split_kind}; protocol in `report.md`):",
            "",
            f"| figure | this model | {LINEAR} |",
            "| --- | --- | --- |",
            *lines,
            "",
            "```python",
            "from molclip.training.fine_tuned import FineTuned",
            "",
            'predictions = FineTuned.load("this folder").predict(["CCO"])',
            f"predictions.answers({result.data.tasks[0].name!r})",
            "```",
            "",
        ]
    )
