"""The retrieval evaluation as a report: protocol, figures with intervals, slices, ties, plots."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from molclip.evaluation.metrics import FIGURES, paired_bootstrap
from molclip.evaluation.plots import Plot, bars, curves, dots
from molclip.evaluation.ranks import SCORE_TOLERANCE
from molclip.evaluation.report import Report, Table, versions
from molclip.evaluation.retrieval import RetrievalResult
from molclip.evaluation.settings import TIES, Setting
from molclip.evaluation.systems import (
    System,
    differences,
    differences_table,
    systems_plot,
    systems_table,
)

_LABELS = {
    "hits@1": "Hits@1",
    "hits@5": "Hits@5",
    "hits@10": "Hits@10",
    "hits@20": "Hits@20",
    "mrr": "MRR",
    "mean_rank": "Mean rank",
    "median_rank": "Median rank",
}
_FAILURES_SHOWN = 3
_SAMPLES = 1000
# Upper ends of the bins of the rank histogram.
_RANK_BINS = (1, 5, 10, 20, 100, 1000)


def retrieval_report(
    result: RetrievalResult,
    *,
    encoder: str,
    model: str,
    model_hash: str,
    command: str,
    cut_texts: int | None = None,
    others: Sequence[System] = (),
) -> Report:
    """Return the report of one retrieval evaluation.

    Parameters
    ----------
    result
        What `evaluate_retrieval` gave.
    encoder
        `molclip` or `image`.
    model
        Name or folder of the model, as the user gave it.
    model_hash
        Of its weights.
    command
        The command line that reproduces the report.
    cut_texts
        How many texts were too long for the model's context, where that is known.
    others
        Systems to stand in the same table.
    """
    data = result.data
    plain = result.settings[0]
    header = {
        "data set": f"{data.name}, {data.split} split",
        "texts": f"{len(data.texts):,}, {data.text_variant}",
        "pool size": f"{plain.ranks.pool_size:,} molecules ({len(result.failures):,} invalid, "
        "kept in the pool; their texts are misses)",
        "scores": "dot product of unit vectors, float32",
        "ties": f"pessimistic; scores within {SCORE_TOLERANCE:g} are tied",
        "correction": _correction_line(result),
        "intervals": "95 %, percentile bootstrap over queries",
        "seed": result.seed,
        "encoder": encoder,
        "model": model,
        "model hash": model_hash,
        "files": "; ".join(data.files) or None,
        "command": command,
        "versions": versions(),
    }
    if cut_texts:
        header["texts"] = f"{header['texts']}; {cut_texts:,} cut off at the model's context"
    this = System("this model", "the model of this report", result.settings)
    found = [
        (other, differences(result.settings, other, samples=_SAMPLES, seed=result.seed))
        for other in others
    ]
    results = {
        "settings": {setting.key: setting.to_dict() for setting in result.settings},
        "slices": [each.to_dict() for each in result.slices],
        "crowded": {setting.key: setting.to_dict() for setting in result.crowds},
        "corrected": {setting.key: setting.to_dict() for setting in result.corrected},
        "systems": [
            other.to_dict()
            | {
                "this_model_minus_it": {
                    key: {name: each.to_dict() for name, each in figures.items()}
                    for key, figures in settings.items()
                }
            }
            for other, settings in found
        ],
        "invalid_molecules": [failure.to_dict() for failure in result.failures],
    }
    notes = [f"{other.name}: {other.note}" for other in others]
    notes += [f"Invalid: {failure}" for failure in result.failures[:_FAILURES_SHOWN]]
    if len(result.failures) > _FAILURES_SHOWN:
        rest = len(result.failures) - _FAILURES_SHOWN
        notes.append(f"… and {rest:,} more; the JSON report lists all.")
    tables = [_figures_table(result.settings)]
    plots = [_rank_plot(result.settings)]
    if others:
        tables.append(systems_table(this, others))
        paired = differences_table(found, _SAMPLES)
        tables += [paired] if paired else []
        plots.append(systems_plot(this, others))
    if result.slices:
        tables.append(_slices_table(result))
        plots += _slice_plots(result)
    if result.crowds:
        tables.append(_crowding_table(result))
    if result.corrected:
        tables.append(_correction_table(result))
        plots += _correction_plots(result)
    tables.append(_ties_table(result.settings))
    return Report("Retrieval", header, tables, results, notes, plots)


def _correction_line(result: RetrievalResult) -> str | None:
    if result.correction is None:
        return None
    asked = result.correction.asked
    kind = "highest" if asked.kind == "best" else f"soft highest (beta {asked.sharpness:g})"
    line = f"{kind} similarity to {result.correction.bank_size:,} training texts"
    if asked.discount is not None:
        line += ", then a discount of training molecules"
    if asked.weight is None or asked.discount == "chosen":
        line += "; strength chosen on one half of the texts, used on the other"
    return line + "; in a table of its own"


def _figures_table(settings: Sequence[Setting]) -> Table:
    rows = []
    for figure in FIGURES:
        cells = [_LABELS[figure]]
        for setting in settings:
            low, high = setting.intervals[figure]
            value = setting.figures["pessimistic"][figure]
            cells.append(
                f"{_number(figure, value)}\n{_number(figure, low)}–{_number(figure, high)}"
            )
        rows.append(cells)
    return Table(
        "Figures under pessimistic ties, with 95 % intervals",
        ["", *(setting.title for setting in settings)],
        rows,
    )


def _slices_table(result: RetrievalResult) -> Table:
    rows = []
    last = ""
    for each in result.slices:
        cells = [each.name if each.name != last else "", each.kind, f"{each.queries:,}"]
        for figure in ("hits@1", "mrr"):
            low, high = each.intervals[figure]
            cells.append(f"{each.figures[figure]:.3f} ({low:.3f}–{high:.3f})")
        rows.append(cells)
        last = each.name
    title = result.settings[0].title.replace("\n", ", ")
    return Table(
        f"What is hard: {title}", ["", "", "texts", "Hits@1", "MRR"], rows, left=frozenset({0, 1})
    )


def _crowding_table(result: RetrievalResult) -> Table:
    unseen, seen = result.crowds
    paired = paired_bootstrap(unseen.ranks, seen.ranks, samples=_SAMPLES, seed=result.seed)
    rows = []
    for figure in ("hits@1", "mrr"):
        cells = [_LABELS[figure]]
        for setting in (unseen, seen):
            cells.append(_number(figure, setting.figures["pessimistic"][figure]))
        gap = paired[figure]
        cells.append(f"{gap.value:+.3f} ({gap.low:+.3f} to {gap.high:+.3f})")
        rows.append(cells)
    return Table(
        "Do training molecules stand in front? The split's molecules and as many others",
        ["", unseen.title, seen.title, "difference (95 %)"],
        rows,
    )


def _correction_table(result: RetrievalResult) -> Table:
    rows = []
    for setting in (result.settings[0], *result.corrected):
        name = setting.title.replace("\n", ", ")
        if setting is result.settings[0]:
            name = "texts, plain"
        cells = [name, " / ".join(f"{each:g}" for each in setting.strengths) or "–"]
        for figure in ("hits@1", "hits@10", "mrr"):
            low, high = setting.intervals[figure]
            value = setting.figures["pessimistic"][figure]
            cells.append(f"{value:.3f}\n{low:.3f}–{high:.3f}")
        rows.append(cells)
    rows.sort(key=lambda cells: cells[0].startswith("training"))
    return Table(
        "The query-time correction, in the whole pool, and what it costs texts of seen molecules",
        ["", "strength", "Hits@1", "Hits@10", "MRR"],
        rows,
    )


def _ties_table(settings: Sequence[Setting]) -> Table:
    rows = []
    for setting in settings:
        name = setting.title.replace("\npool ", ", ").replace("\n", ", ")
        for figure in ("hits@1", "mrr"):
            values = [_number(figure, setting.figures[ties][figure]) for ties in TIES]
            rows.append([name, _LABELS[figure], *values])
            name = ""
    return Table("What ties are worth", ["", "", *TIES], rows, left=frozenset({0, 1}))


def _rank_plot(settings: Sequence[Setting]) -> Plot:
    names = ["1"]
    names += [f"{low + 1}–{high}" for low, high in pairwise(_RANK_BINS)]
    names.append(f"over {_RANK_BINS[-1]:,}")
    series = {}
    for setting in settings:
        places = np.searchsorted(_RANK_BINS, setting.ranks.ranks())
        shares = np.bincount(places, minlength=len(names)) / len(setting.ranks)
        series[setting.title.replace("\n", ", ")] = shares.tolist()
    return bars("Where the right answer stands", names, series, "rank", "share of queries")


def _slice_plots(result: RetrievalResult) -> list[Plot]:
    names = [f"{each.name}: {each.kind} ({each.queries:,})" for each in result.slices]
    whole = result.settings[0].figures["pessimistic"]
    plots = []
    for figure in ("hits@1", "mrr"):
        values = [(each.figures[figure], *each.intervals[figure]) for each in result.slices]
        label = _LABELS[figure]
        title = f"What is hard: {label}; the dashed line is all texts"
        plots.append(dots(title, names, {label: values}, label, reference=whole[figure]))
    return plots


def _correction_plots(result: RetrievalResult) -> list[Plot]:
    plots = []
    for each in result.correction.corrected if result.correction else ():
        if not each.curve:
            continue
        strengths, texts, training = zip(*each.curve, strict=True)
        what = "weight" if each.name == "corrected" else "discount"
        title = f"Strength of the correction: {what}"
        lines = {"texts": (strengths, texts), "training texts": (strengths, training)}
        plots.append(curves(title, lines, what, "MRR"))
    return plots


def _number(figure: str, value: float) -> str:
    if figure not in ("mean_rank", "median_rank"):
        return f"{value:.3f}"
    # Tenths of a rank mean nothing among hundreds, and the columns are narrow.
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
