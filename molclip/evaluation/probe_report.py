"""The probe as a report: protocol, one row per kind of features and model, figures per task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from molclip.evaluation.label_scores import SHOWN, mean_scores, shown
from molclip.evaluation.plots import dots
from molclip.evaluation.probe import ProbeResult, ProbeRow
from molclip.evaluation.report import Report, Table, versions

_FAILURES_SHOWN = 3
_MOST_TASKS = 30
"""Tasks that get a table of their own; all are in the JSON file."""


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
        **{f"data set {result.name}": _described(result) for result in results},
        "split": f"by Bemis-Murcko scaffold, about 80/10/10, seeds {seeds}",
        "settings": "C, penalty and k chosen on validation for each task; figures are of test",
        "figures": "mean over tasks, then mean ± standard deviation over seeds",
        "command": command,
        "versions": versions(),
    }
    tables = [_summary(results)]
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


def _summary(results: Sequence[ProbeResult]) -> Table:
    columns = [
        f"{result.name}\n{SHOWN[name]}" if len(results) > 1 else SHOWN[name]
        for result in results
        for name in (result.figures[:1] if len(results) > 1 else result.figures)
    ]
    rows = []
    for place, first in enumerate(results[0].rows):
        cells = [
            _mean(result.rows[place], name)
            for result in results
            for name in (result.figures[:1] if len(results) > 1 else result.figures)
        ]
        rows.append([first.features, first.method, *cells])
    return Table("Test figures", ["features", "model", *columns], rows, left=frozenset({0, 1}))


def _by_task(result: ProbeResult) -> Table:
    name = result.figures[0]
    rows = []
    for place, task in enumerate(result.tasks):
        cells = []
        for row in result.rows:
            scores = [seed[place] for seed in row.seeds.values()]
            cells.append(shown(mean_scores(scores, [name])[name]))
        rows.append([task.name, *cells])
    short = {"linear": "lin", "kNN": "kNN"}
    columns = [
        f"{_SHORT.get(row.features, row.features)}\n{short[row.method]}" for row in result.rows
    ]
    return Table(
        f"{result.name}: {SHOWN[name]} of each task, mean over seeds", ["task", *columns], rows
    )


_SHORT = {
    "features before the head": "before",
    "features after the head": "after",
    "count ECFP4": "ECFP4",
}


def _described(result: ProbeResult) -> str:
    tasks = "1 task" if len(result.tasks) == 1 else f"{len(result.tasks)} tasks"
    sizes = [
        f"{len(split.train):,}/{len(split.validation):,}/{len(split.test):,}"
        for split in result.splits.values()
    ]
    parts = [f"{result.molecules:,} molecules, {tasks}, sets of {', '.join(dict.fromkeys(sizes))}"]
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
    undefined = sum(
        scores.get(name) is None for seed in result.rows[0].seeds.values() for scores in seed
    )
    if undefined:
        notes.append(
            f"{result.name}: {SHOWN[name]} is not defined for {undefined} of "
            f"{len(result.tasks) * len(result.splits)} test tasks, which no mean counts."
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
