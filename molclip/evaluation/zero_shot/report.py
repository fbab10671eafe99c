"""The zero-shot evaluation as a report: macro figures, references, labels, queries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from molclip.evaluation.plots import Plot
from molclip.evaluation.report import Report, Table, versions
from molclip.evaluation.zero_shot.baselines import BASELINES, SUPERVISED
from molclip.evaluation.zero_shot.evaluate import Measured, SetResult
from molclip.evaluation.zero_shot.label_set import ALL, ENSEMBLE, NAME
from molclip.evaluation.zero_shot.labels import LabelRow, label_rows, unseen_summary
from molclip.evaluation.zero_shot.precision_report import precision_plots, precision_tables
from molclip.evaluation.zero_shot.run import ZeroShotRun
from molclip.evaluation.zero_shot.scores import FIRST_SHARE, TOP
from molclip.evaluation.zero_shot.set_plots import set_plots

_SHOWN = 3
"""Labels shown at either end of a set; the others are in the JSON and the table of labels."""


def zero_shot_report(
    run: ZeroShotRun, *, model: str, model_hash: str, command: str, seed: int
) -> Report:
    """Return the report.

    Parameters
    ----------
    run
        Result of `evaluate_zero_shot`.
    model, model_hash
        Name or folder, and hash of the weights.
    command
        That reproduces it.
    seed
        As given to `evaluate_zero_shot`.
    """
    header: dict[str, str | float | None] = {
        "scores": "cosine of label text and molecule, float32",
        "macro": "mean over the labels of a set; every label counts the same",
        "first 1 %": f"positives among the first {FIRST_SHARE:.0%} of the molecules, over chance",
        "intervals": "95 %, percentile bootstrap over molecules (queries: over queries)",
        "trained on": run.strangers,
        "model": model,
        "model hash": model_hash,
        "seed": seed,
        "command": command,
        "versions": versions(),
    }
    rows = [row for result in run.sets for row in label_rows(result, run.withheld)]
    tables: list[Table] = []
    plots: list[Plot] = []
    results: dict[str, Any] = {"sets": {}, "withheld_labels": len(run.withheld.labels)}
    notes: list[str] = []
    if run.sets:
        tables += _set_tables(run.sets)
        tables.append(_seen_table(rows))
        tables.append(_ends_table(run.sets, rows))
        plots += set_plots(run.sets, rows)
        results["sets"] = {result.label_set.name: _set_results(result) for result in run.sets}
        results["labels"] = [row.to_dict() for row in rows]
        results["unseen"] = unseen_summary(rows)
        notes += _notes(run)
    if run.precision is not None:
        tables += precision_tables(run.precision)
        plots += precision_plots(run.precision)
        results["queries"] = run.precision.to_dict()
        notes.append(
            "Queries: a hit is right when ChEBI states the class or role of it, directly or along "
            "is_a. What ChEBI does not state counts as wrong, so the figures are lower bounds."
        )
    return Report("Zero-shot labels", header, tables, results, notes, plots)


def _set_tables(sets: Sequence[SetResult]) -> list[Table]:
    tables = [
        _macro_table(sets),
        _reference_table(sets),
        *_slice_table(sets),
        *_top_table(sets),
        _template_table(sets),
    ]
    return [table for table in tables if table.rows]


def _macro_table(sets: Sequence[SetResult]) -> Table:
    rows = []
    for result in sets:
        name = f"{result.label_set.title}\n{result.molecules[ALL]:,} molecules"
        for variant in result.variants:
            measured = result.slices.get(ALL, {}).get(variant)
            if measured is None:
                continue
            auroc = _with_interval(measured.macro.auroc, measured.macro.auroc_interval)
            if measured.name_alone is not None:
                auroc += f"\nname: {measured.name_alone:.3f}"
            rows.append(
                [
                    name,
                    variant.replace(", ", "\n"),  # a model's name on a line of its own
                    f"{measured.macro.labels:,}",
                    auroc,
                    _with_interval(
                        measured.macro.average_precision, measured.macro.average_precision_interval
                    ),
                    f"{measured.macro.enrichment:.1f}x",
                ]
            )
            name = ""
    return Table(
        "Labels on molecules the model was not trained on, macro figures",
        ["set", "prompts", "labels", "AUROC", "average precision", "first 1 %"],
        rows,
        left=frozenset({0, 1}),
    )


def _reference_table(sets: Sequence[SetResult]) -> Table:
    rows = []
    for result in sets:
        measured = result.slices.get(ALL, {})
        if SUPERVISED not in measured:
            continue
        rows.append(
            [
                result.label_set.title,
                f"{measured[SUPERVISED].macro.labels:,}",
                *(
                    f"{part.macro.auroc:.3f}\nAP {part.macro.average_precision:.3f}"
                    for part in (measured[ENSEMBLE], *(measured[name] for name in BASELINES))
                ),
            ]
        )
    return Table(
        "Beside methods that are given training molecules with the label: AUROC and AP",
        ["set", "labels", "zero-shot,\nensemble", *BASELINES],
        rows,
    )


def _slice_table(sets: Sequence[SetResult]) -> list[Table]:
    rows = []
    for result in sets:
        for chosen in result.label_set.slices:
            measured = result.slices.get(chosen, {})
            if ENSEMBLE not in measured:
                continue
            rows.append(
                [
                    f"{result.label_set.title}\n{chosen}",
                    f"{result.molecules[chosen]:,}",
                    f"{measured[ENSEMBLE].macro.labels:,}",
                    *(
                        _figure(measured[name]) if name in measured else ""
                        for name in (NAME, ENSEMBLE, *BASELINES)
                    ),
                ]
            )
            for other in result.others:
                both = (_figure(measured[f"{variant}, {other}"]) for variant in (NAME, ENSEMBLE))
                rows.append([other, "", "", *both, *("" for _ in BASELINES)])
    title = "Only molecules no stereoisomer or other charge state of which was trained on, AUROC"
    columns = ["set", "molecules", "labels", NAME, ENSEMBLE, *BASELINES]
    return [Table(title, columns, rows)] if rows else []


def _figure(measured: Measured) -> str:
    return f"{measured.macro.auroc:.3f}"


def _top_table(sets: Sequence[SetResult]) -> list[Table]:
    rows = []
    for result in sets:
        name = f"{result.label_set.title}\n{len(result.label_set.labels)} labels"
        for variant in result.variants:
            top = result.slices.get(ALL, {})[variant].top if ALL in result.slices else {}
            for form, ending in (("cosine", ""), ("scaled", "_scaled")):
                shares = [top.get(f"top_{k}{ending}") for k in TOP]
                if None not in shares:
                    scored = f"{variant}, {form}".replace(", ", "\n", variant.count(", "))
                    rows.append([name, scored, *(f"{s:.1%}" for s in shares)])
                    name = ""
    columns = ["set", "prompts, score", *(f"top-{k}" for k in TOP)]
    title = "Right label among the first k of all labels of the set"
    return [Table(title, columns, rows, left=frozenset({0, 1}))] if rows else []


def _template_table(sets: Sequence[SetResult]) -> Table:
    rows = []
    for result in sets:
        name = result.label_set.title
        for template, auroc in result.templates.items():
            rows.append([name, template, f"{auroc:.3f}"])
            name = ""
        if result.gain is not None:
            value, low, high = result.gain
            rows.append(
                [name, "all of them, less the first alone", f"{value:+.4f}\n{low:+.4f}–{high:+.4f}"]
            )
    return Table(
        "One template at a time, macro AUROC", ["set", "template", "AUROC"], rows,
        left=frozenset({0, 1}),
    )  # fmt: skip


def _seen_table(rows: Sequence[LabelRow]) -> Table:
    found = unseen_summary(rows)
    lines = []
    for status, part in found.items():
        lines.append(
            [
                status,
                f"{part['labels']:,}",
                *(
                    "none" if part[variant] is None else f"{part[variant]:.3f}"
                    for variant in (NAME, ENSEMBLE)
                ),
            ]
        )
    return Table(
        "Labels that training said, and labels that it withheld: macro AUROC, each label once",
        ["labels", "number", NAME, ENSEMBLE],
        lines,
    )


def _ends_table(sets: Sequence[SetResult], rows: Sequence[LabelRow]) -> Table:
    lines = []
    for result in sets:
        part = [row for row in rows if row.set == result.label_set.name and ENSEMBLE in row.auroc]
        part.sort(key=lambda row: -row.auroc[ENSEMBLE])
        shown = part if len(part) <= 2 * _SHOWN else [*part[:_SHOWN], *part[-_SHOWN:]]
        name = result.label_set.title
        for row in shown:
            reference = row.auroc.get(SUPERVISED)
            lines.append(
                [
                    name,
                    row.label,
                    f"{row.positives:,}",
                    f"{row.auroc[ENSEMBLE]:.3f}",
                    "" if reference is None else f"{reference:.3f}",
                ]
            )
            name = ""
    return Table(
        "Best and worst labels, AUROC of the ensemble",
        ["set", "label", "positives", "zero-shot", SUPERVISED],
        lines,
        left=frozenset({0, 1}),
    )


def _set_results(result: SetResult) -> dict[str, Any]:
    slices = {
        chosen: {
            name: {**part.macro.to_dict(), **part.top, "name_alone": part.name_alone}
            for name, part in measured.items()
        }
        for chosen, measured in result.slices.items()
    }
    return {
        "title": result.label_set.title,
        "molecules": dict(result.molecules),
        "which_molecules": result.label_set.molecules,
        "left_out": result.label_set.left_out,
        "minimum_positives": result.label_set.minimum,
        "figures": slices,
        "templates": dict(result.templates),
        "ensemble_gain": result.gain,
        "without_drawing": dict(result.others),
    }


def _notes(run: ZeroShotRun) -> list[str]:
    notes = [
        f"{result.label_set.title}: {result.label_set.molecules}; labels with at least "
        f"{result.label_set.minimum} molecules; {result.label_set.left_out:,} rows left out "
        "(unreadable, or without a label)."
        for result in run.sets
    ]
    for name, note in run.others.items():
        undrawn = sum(result.others[name] for result in run.sets)
        notes.append(
            f"{name}: {note}; {undrawn:,} molecules that it has no drawing of stay in, with the "
            "lowest score for every label."
        )
    empty = [result.label_set.title for result in run.sets if ALL not in result.slices]
    if empty:
        notes.append(f"Too few molecules for any label: {', '.join(empty)}.")
    notes.append(
        "Labels said and withheld: a class that stands among the direct classes and the ancestors "
        "is one label, with the mean of its AUROCs there."
    )
    if not run.withheld:
        notes.append(
            "This model has no list of withheld labels, so none of the labels is unseen: every "
            "figure is of a seen label on unseen molecules."
        )
    return notes


def _with_interval(value: float, interval: tuple[float, float]) -> str:
    return f"{value:.3f}\n{interval[0]:.3f}–{interval[1]:.3f}"
