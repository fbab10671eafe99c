"""The probe as a report: protocol, one row per kind of features and model, figures per task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from molclip.evaluation.label_features import ECFP_NAME
from molclip.evaluation.label_scores import (
    CLASSIFICATION,
    REGRESSION,
    SHOWN,
    figure_names,
    mean_scores,
    shown,
)
from molclip.evaluation.plots import dots
from molclip.evaluation.probe import AFTER, BEFORE, ProbeResult, ProbeRow
from molclip.evaluation.report import Report, Table, versions

_FAILURES_SHOWN = 3
_MOST_TASKS = 30
"""Tasks that get a table of their own; all are in the JSON file."""
_SHORT = {BEFORE: "before", AFTER: "after", ECFP_NAME: "ECFP4"}


def probe_report(
    results: Sequence[ProbeResult], *, model: str, model_hash: str, command: str
) -> Report:
    """Return the report of one or several data sets.

    Parameters
    ----------
    results
        What `probe` gave, in the order in which they are shown.
    model
        Name or folder of the model, as the user gave it.
    model_hash
        Of its weights.
    command
        The command line that reproduces the report.
    """
    seeds = ", ".join(str(seed) for seed in results[0].splits)
    header: dict[str, str | float | None] = {
        "model": f"{model} (hash {model_hash})",
        **{_key(result, results): _described(result) for result in results},
        "split": f"by Bemis-Murcko scaffold, about 80/10/10, seeds {seeds}",
        "settings": "C, penalty and k chosen on validation for each task; figures are of test",
        "figures": "mean over tasks, then mean ± standard deviation over seeds",
        "command": command,
        "versions": versions(),
    }
    tables = _summaries(results)
    tables += [_by_task(result) for result in results if 1 < len(result.tasks) <= _MOST_TASKS]
    notes = [note for result in results for note in _notes(result)]
    plots = [
        dots(
            f"{result.name}: {SHOWN[result.figures[0]]}, mean ± sd over seeds",
            [f"{row.features}, {row.method}" for row in result.rows],
            {result.name: [_interval(row, result.figures[0]) for row in result.rows]},
            SHOWN[result.figures[0]],
        )
        for result in results
    ]
    numbers = {result.name: _numbers(result) for result in results}
    return Report("Probe of frozen features", header, tables, numbers, notes, plots)


def _summaries(results: Sequence[ProbeResult]) -> list[Table]:
    """The first figure of each data set side by side; of a single one, all figures."""
    if len(results) > 1:
        columns = [(result, result.figures[0]) for result in results]
        titles = [f"{result.name}\n{SHOWN[name]}" for result, name in columns]
        return [_summary("Test figures", columns, titles)]
    (result,) = results
    tables = []
    for kind, names in (("classes", CLASSIFICATION), ("values", REGRESSION)):
        columns = [(result, name) for name in names if name in result.figures]
        if columns:
            titles = [SHOWN[name] for _, name in columns]
            tables.append(_summary(f"Test figures, {kind}", columns, titles))
    return tables


def _summary(
    title: str, columns: Sequence[tuple[ProbeResult, str]], titles: Sequence[str]
) -> Table:
    rows = []
    for place, first in enumerate(columns[0][0].rows):
        cells = [_mean(result.rows[place], name) for result, name in columns]
        rows.append([first.features, first.method, *cells])
    return Table(title, ["features", "model", *titles], rows, left=frozenset({0, 1}))


def _by_task(result: ProbeResult) -> Table:
    """The first figure of each task: ROC-AUC of classes, RMSE of values."""
    rows = []
    for place, task in enumerate(result.tasks):
        name = figure_names([task])[0]
        cells = []
        for row in result.rows:
            scores = [seed[place] for seed in row.seeds.values()]
            cells.append(shown(mean_scores(scores, [name])[name]))
        rows.append([task.name, *cells])
    figures = " or ".join(dict.fromkeys(SHOWN[figure_names([task])[0]] for task in result.tasks))
    columns = [f"{_SHORT[row.features]}\n{row.method[:3]}" for row in result.rows]
    title = f"{result.name}: {figures} of each task, mean over seeds"
    return Table(title, ["task", *columns], rows)


def _key(result: ProbeResult, results: Sequence[ProbeResult]) -> str:
    return "data set" if len(results) == 1 else f"data set {result.name}"


def _described(result: ProbeResult) -> str:
    tasks = "1 task" if len(result.tasks) == 1 else f"{len(result.tasks)} tasks"
    sizes = [
        f"{len(split.train):,}/{len(split.validation):,}/{len(split.test):,}"
        for split in result.splits.values()
    ]
    parts = [
        f"{result.name}: {result.molecules:,} molecules, {tasks}, sets of {', '.join(dict.fromkeys(sizes))}"
    ]
    left_out = [
        f"{len(result.failures):,} unusable rows or cells left out" if result.failures else "",
        f"{result.unlabelled:,} without a label" if result.unlabelled else "",
    ]
    parts += [part for part in left_out if part]
    if result.seen is not None:
        parts.append(f"{result.seen:,} met in contrastive training, with texts only")
    return "; ".join(parts)


def _notes(result: ProbeResult) -> list[str]:
    notes = [f"Left out: {failure}" for failure in result.failures[:_FAILURES_SHOWN]]
    if len(result.failures) > _FAILURES_SHOWN:
        notes.append(f"… and {len(result.failures) - _FAILURES_SHOWN:,} more; the JSON has all.")
    name = result.figures[0]
    asked = [place for place, task in enumerate(result.tasks) if name in figure_names([task])]
    undefined = sum(
        seed[place].get(name) is None for seed in result.rows[0].seeds.values() for place in asked
    )
    if undefined:
        notes.append(
            f"{result.name}: {SHOWN[name]} is not defined for {undefined} of "
            f"{len(asked) * len(result.splits)} test tasks, which no mean counts."
        )
    return notes


def _mean(row: ProbeRow, name: str) -> str:
    found = row.mean(name)
    if found is None:
        return shown(None)
    value, deviation = found
    return shown(value) + ("" if deviation is None else f" ± {deviation:.3f}")


def _interval(row: ProbeRow, name: str) -> tuple[float, float, float]:
    value, deviation = row.mean(name) or (float("nan"), None)
    return value, value - (deviation or 0), value + (deviation or 0)


def _numbers(result: ProbeResult) -> dict[str, Any]:
    return {
        "molecules": result.molecules,
        "unlabelled": result.unlabelled,
        "seen in contrastive training": result.seen,
        "failures": [failure.to_dict() for failure in result.failures],
        "tasks": [
            {"name": task.name, "kind": task.kind, "classes": list(task.classes)}
            for task in result.tasks
        ],
        "sizes": {
            seed: [len(split.train), len(split.validation), len(split.test)]
            for seed, split in result.splits.items()
        },
        "rows": [
            {
                "features": row.features,
                "width": row.width,
                "model": row.method,
                "mean": {
                    name: dict(zip(("mean", "sd"), row.mean(name) or (None, None), strict=True))
                    for name in result.figures
                },
                "seeds": {
                    seed: [
                        {"task": task.name, **score, "setting": setting}
                        for task, score, setting in zip(
                            result.tasks, scores, row.settings[seed], strict=True
                        )
                    ]
                    for seed, scores in row.seeds.items()
                },
            }
            for row in result.rows
        ],
    }
