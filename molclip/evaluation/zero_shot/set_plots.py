"""Plots of the label sets."""

from __future__ import annotations

from collections.abc import Sequence

from molclip.evaluation.plots import Plot, dots
from molclip.evaluation.zero_shot.baselines import BASELINES
from molclip.evaluation.zero_shot.evaluate import SetResult
from molclip.evaluation.zero_shot.label_set import ALL, ENSEMBLE, NAME
from molclip.evaluation.zero_shot.labels import LabelRow


def set_plots(sets: Sequence[SetResult], rows: Sequence[LabelRow]) -> list[Plot]:
    """Return the plots: macro AUROC of each set beside the baselines, and every label by size.

    Parameters
    ----------
    sets
        Measured sets; those without a measured label are left out.
    rows
        `molclip.evaluation.zero_shot.labels.label_rows` of all of them.
    """
    measured = [result for result in sets if ENSEMBLE in result.slices.get(ALL, {})]
    if not measured:
        return []
    names = [result.label_set.title for result in measured]
    series = {}
    others = [f"{ENSEMBLE}, {name}" for name in measured[0].others]
    for variant in (ENSEMBLE, NAME, *others, *BASELINES):
        if all(variant in result.all for result in measured):
            macros = [result.all[variant].macro for result in measured]
            series[variant] = [(macro.auroc, *macro.auroc_interval) for macro in macros]
    plots = [dots("Macro AUROC of each set, with 95 % intervals", names, series, "AUROC")]
    points = []
    for result in measured:
        part = [row for row in rows if row.set == result.label_set.name and ENSEMBLE in row.auroc]
        points.append(
            {
                "type": "scatter",
                "mode": "markers",
                "name": result.label_set.title,
                "x": [row.positives for row in part],
                "y": [row.auroc[ENSEMBLE] for row in part],
                "text": [row.label for row in part],
                "hovertemplate": "%{text}<br>%{x} molecules, AUROC %{y:.3f}",
            }
        )
    layout = {
        "xaxis": {"title": {"text": "molecules with the label"}, "type": "log"},
        "yaxis": {"title": {"text": "AUROC"}},
    }
    return [*plots, Plot("Every label: AUROC of the ensemble", points, layout, height=520)]
