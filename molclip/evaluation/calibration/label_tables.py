"""Percentiles of labels and `none of these` in tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from molclip.evaluation.calibration.labels import THRESHOLDS, LabelResult
from molclip.evaluation.calibration.reliability import NOMINAL, observed_below
from molclip.evaluation.plots import Plot, curves, reliability
from molclip.evaluation.report import Table

_SHOWN = 0.95
"""Threshold of `molclip classify`."""


def label_tables(results: Sequence[LabelResult]) -> list[Table]:
    """Return the tables: percentiles, and answers by number of labels."""
    return [_percentile_table(results), _answer_table(results), _threshold_table(results)]


def _percentile_table(results: Sequence[LabelResult]) -> Table:
    rows = []
    for result in results:
        name = (
            f"{result.title}\n{len(result.labels)} labels,\n{result.molecules:,} molecules, "
            f"error {result.error:.3f}"
        )
        low, middle, high = np.quantile(result.by_label, [0.05, 0.5, 0.95]).tolist()
        for threshold in THRESHOLDS:
            without, holding = result.passing(threshold)
            spread = f"{low:.1%} / {middle:.1%} / {high:.1%}" if threshold == _SHOWN else ""
            rows.append(
                [
                    name,
                    f"{100 * threshold:g}",
                    f"{1 - threshold:.0%}",
                    f"{without.value:.1%}",
                    f"{holding.value:.1%}",
                    spread,
                ]
            )
            name = ""
    return Table(
        "Labels whose percentile reaches a threshold, of molecules not trained on",
        ["labels", "from", "stated", "without it", "holding it", "without it, by label: 5/50/95 %"],
        rows,
    )


def _answer_table(results: Sequence[LabelResult]) -> Table:
    rows = []
    for result in results:
        name = result.title
        for answer in result.answers:
            if answer.threshold != _SHOWN:
                continue
            rows.append(
                [
                    name,
                    str(answer.offered),
                    f"{answer.right.value:.1%}",
                    f"{answer.missed.value:.1%}",
                    f"{answer.refused.value:.1%}",
                    f"{_SHOWN**answer.offered:.1%}",
                ]
            )
            name = ""
    return Table(
        f"`none of these`, threshold {_SHOWN:g}: one of the offered labels holds, or none does",
        [
            "labels",
            "offered",
            "one holds:\nright",
            "one holds:\n`none`",
            "none holds:\n`none`",
            "the same, if labels\nwere independent",
        ],
        rows,
    )


def _threshold_table(results: Sequence[LabelResult]) -> Table:
    rows = []
    for result in results:
        name = result.title
        for offered in (5, 20):
            for threshold in THRESHOLDS:
                found = [
                    answer
                    for answer in result.answers
                    if (answer.offered, answer.threshold) == (offered, threshold)
                ]
                for answer in found:
                    rows.append(
                        [
                            name,
                            str(offered),
                            f"{threshold:g}",
                            f"{answer.right.value:.1%}",
                            f"{answer.missed.value:.1%}",
                            f"{answer.refused.value:.1%}",
                        ]
                    )
                    name = ""
    return Table(
        "The same by threshold",
        [
            "labels",
            "offered",
            "threshold",
            "one holds:\nright",
            "one holds:\n`none`",
            "none holds:\n`none`",
        ],
        rows,
    )


def label_plots(results: Sequence[LabelResult]) -> list[Plot]:
    """Return the plots: reliability of percentiles, and answers by number of labels."""
    lines: dict[str, tuple[list[float], list[float]]] = {}
    answers: dict[str, tuple[list[float], list[float]]] = {}
    for result in results:
        for what, values in (("without it", result.without), ("holding it", result.holding)):
            lines[f"{result.title}, {what}"] = (
                NOMINAL.tolist(),
                observed_below(values).tolist(),
            )
        part = [answer for answer in result.answers if answer.threshold == _SHOWN]
        offered = [float(answer.offered) for answer in part]
        for what, shares in (
            ("none holds: `none of these`", [a.refused.value for a in part]),
            ("one holds: `none of these`", [a.missed.value for a in part]),
            ("one holds: right answer", [a.right.value for a in part]),
        ):
            answers[f"{result.title}, {what}"] = (offered, shares)
    return [
        reliability(
            "Reliability of label percentiles: molecules without the label should lie on the line",
            lines,
            "stated percentile",
            "observed share below",
        ),
        curves("Answers by number of labels offered", answers, "labels offered", "share"),
    ]


def label_results(results: Sequence[LabelResult]) -> dict[str, Any]:
    """Return every number for the JSON file."""
    return {
        result.title: {
            "labels": list(result.labels),
            "molecules": result.molecules,
            "background": result.background,
            "percentile_error": result.error,
            "passing": {
                str(threshold): [share.to_list() for share in result.passing(threshold)]
                for threshold in THRESHOLDS
            },
            "passing_by_label": result.by_label.tolist(),
            "answers": [
                {
                    "offered": answer.offered,
                    "threshold": answer.threshold,
                    "right": answer.right.to_list(),
                    "missed": answer.missed.to_list(),
                    "refused": answer.refused.to_list(),
                }
                for answer in result.answers
            ],
        }
        for result in results
    }
