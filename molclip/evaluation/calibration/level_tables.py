"""Match levels in tables and plots."""

from __future__ import annotations

from typing import Any

import numpy as np

from molclip.evaluation.calibration.held_out import (
    CLASSES,
    DESCRIPTIONS,
    HARD_NO_ANSWER,
    NO_ANSWER,
    ROLES,
)
from molclip.evaluation.calibration.levels import (
    HITS,
    Answered,
    LevelResult,
    nonsense_percentiles,
)
from molclip.evaluation.calibration.reliability import (
    NOMINAL,
    Share,
    observed_below,
    percentile_error,
)
from molclip.evaluation.plots import Plot, dots, reliability
from molclip.evaluation.report import Table
from molclip.search.match_level import LEVELS

_WITH_ANSWER = (DESCRIPTIONS, CLASSES, ROLES)


def level_tables(result: LevelResult) -> list[Table]:
    """Return the tables: levels by kind of question, right hits by level, percentiles."""
    return [_shares_table(result), _right_table(result), _percentile_table(result)]


def _shares_table(result: LevelResult) -> Table:
    rows = [
        [
            answer.kind,
            f"{len(answer.levels):,}",
            *(f"{float((answer.levels[:, 0] == level).mean()):.1%}" for level in LEVELS),
            "" if not answer.right.any() else f"{float(answer.right[:, 0].mean()):.1%}",
        ]
        for answer in result.answers
    ]
    return Table(
        "Level of the best hit, by kind of question",
        ["questions", "number", *LEVELS, "best hit right"],
        rows,
    )


def right_by_level(answer: Answered, level: str, *, first: bool, skeleton: bool = False) -> Share:
    """Share of right hits among those of a level: best hits only, or the first ten."""
    right = answer.same_skeleton if skeleton else answer.right
    columns = slice(0, 1) if first else slice(None)
    here = answer.levels[:, columns] == level
    return Share.of(right[:, columns][here])


def _right_table(result: LevelResult) -> Table:
    rows = []
    for answer in result.answers:
        if answer.kind not in _WITH_ANSWER:
            continue
        name = answer.kind
        for level in LEVELS:
            best, ten = (right_by_level(answer, level, first=first) for first in (True, False))
            alike = right_by_level(answer, level, first=True, skeleton=True)
            rows.append(
                [
                    name,
                    level,
                    _share(best),
                    _share(alike) if answer.kind == DESCRIPTIONS else "",
                    _share(ten),
                ]
            )
            name = ""
    for level in LEVELS:
        value, number = result.mixed[level]
        name = "all kinds alike,\nno answer too" if level == LEVELS[0] else ""
        shown = f"{value:.1%}\nof {number:,}" if number else ""
        rows.append([name, level, shown, "", ""])
    return Table(
        "Share of right hits by match level, with 95 % interval and number of hits",
        ["questions", "level", "best hit", "or same skeleton", f"first {HITS}"],
        rows,
        left=frozenset({0, 1}),
    )


def _share(share: Share) -> str:
    if not share.number:
        return ""
    return f"{share.value:.1%}\n{share.low:.0%}–{share.high:.0%} of {share.number:,}"


def _percentiles(result: LevelResult) -> dict[str, Any]:
    found = {
        f"nonsense: {NO_ANSWER}": nonsense_percentiles(result),
        f"nonsense: {HARD_NO_ANSWER}": nonsense_percentiles(result, HARD_NO_ANSWER),
        "true: held-out pairs": result.true_percentiles,
    }
    return {name: values for name, values in found.items() if len(values)}


def _percentile_table(result: LevelResult) -> Table:
    rows = []
    for name, values in _percentiles(result).items():
        above = [float((values >= share).mean()) for share in (0.5, 0.9, 0.99)]
        rows.append(
            [
                name,
                f"{len(values):,}",
                *(f"{share:.1%}" for share in above),
                f"{percentile_error(values):.3f}",
            ]
        )
    rows.append(["as stated", "", "50.0%", "10.0%", "1.0%", "0"])
    rows.append(
        [
            "probability that the best hit is right",
            "",
            "",
            "",
            "",
            f"{result.reliability.error:.3f}",
        ]
    )
    return Table(
        "Percentiles against observed shares",
        ["percentile", "cases", "50 or more", "90 or more", "99 or more", "error"],
        rows,
    )


def level_plots(result: LevelResult) -> list[Plot]:
    """Return the plots: right hits by level, reliability of percentiles and of the probability."""
    series = {}
    for answer in result.answers:
        if answer.kind in _WITH_ANSWER:
            shares = [right_by_level(answer, level, first=True) for level in LEVELS]
            series[answer.kind] = [
                (share.value, share.low, share.high) if share.number else (0.0, 0.0, 0.0)
                for share in shares
            ]
    percentiles = {
        name: (NOMINAL.tolist(), observed_below(values).tolist())
        for name, values in _percentiles(result).items()
    }
    bins = result.reliability.bins
    learnt = {
        "bins of best hits, each kind of question as frequent": (
            [item.predicted for item in bins],
            [item.observed for item in bins],
        )
    }
    return [
        dots("Share of best hits that are right, by match level", LEVELS, series, "share"),
        reliability(
            "Reliability of the percentiles of a score",
            percentiles,
            "stated percentile",
            "observed share below",
        ),
        reliability(
            "Reliability of a probability that is learnt from the scores of one half",
            learnt,
            "predicted share of right hits",
            "observed share",
            lines=False,
        ),
    ]


def level_results(result: LevelResult) -> dict[str, Any]:
    """Return every number for the JSON file."""
    kinds = {}
    for answer in result.answers:
        kinds[answer.kind] = {
            "questions": len(answer.levels),
            "best_hit_levels": {
                level: float((answer.levels[:, 0] == level).mean()) for level in LEVELS
            },
            "best_hit_right": float(answer.right[:, 0].mean()),
            "right_by_level": {
                level: {
                    "best": right_by_level(answer, level, first=True).to_list(),
                    "best_or_same_skeleton": right_by_level(
                        answer, level, first=True, skeleton=True
                    ).to_list(),
                    f"first_{HITS}": right_by_level(answer, level, first=False).to_list(),
                }
                for level in LEVELS
            },
        }
    return {
        "kinds": kinds,
        "mixed": {
            level: [share if number else None, number]
            for level, (share, number) in result.mixed.items()
        },
        "percentile_error": {
            name: percentile_error(values) for name, values in _percentiles(result).items()
        },
        "reliability": {
            "error": result.reliability.error,
            "bins": [[b.predicted, b.observed, b.weight] for b in result.reliability.bins],
        },
        "no_answer_percentiles": np.round(nonsense_percentiles(result), 4).tolist()
        if any(answer.kind == NO_ANSWER for answer in result.answers)
        else [],
    }
