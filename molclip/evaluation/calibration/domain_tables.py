"""The applicability domain in tables and plots."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from molclip.evaluation.calibration.domain_check import STATUSES, DomainResult, RankedPart
from molclip.evaluation.plots import Plot, bars
from molclip.evaluation.report import Table


def domain_tables(result: DomainResult) -> list[Table]:
    """Return the tables: molecules, what being outside costs, texts."""
    return [_molecule_table(result), _rank_table(result), _text_table(result)]


def _molecule_table(result: DomainResult) -> Table:
    rows = [
        [
            name,
            f"{result.numbers[name]:,}",
            *(f"{shares[status]:.1%}" for status in STATUSES),
            f"{shares['seen']:.1%}",
        ]
        for name, shares in result.molecules.items()
    ]
    return Table(
        "Molecules by applicability domain",
        ["molecules", "number", *STATUSES, "trained on"],
        rows,
    )


def _rank_table(result: DomainResult) -> Table:
    rows = []
    for what, parts in (
        ("status", result.by_status),
        ("similarity", result.by_similarity),
        ("cosine", result.by_cosine),
    ):
        name = what if what == "status" else f"{what},\npercentile"
        for part in parts:
            rows.append([name, part.name, f"{part.molecules:,}", *_figures(part)])
            name = ""
    return Table(
        "What being unlike costs: each molecule looked up by its description",
        ["molecules by", "", "number", "Hits@1", "Hits@10", "MRR"],
        rows,
        left=frozenset({0, 1}),
    )


def _figures(part: RankedPart) -> list[str]:
    if not part.molecules:
        return ["", "", ""]
    return [f"{value:.3f}" for value in (part.hits_1, part.hits_10, part.mrr)]


def _text_table(result: DomainResult) -> Table:
    columns = (*STATUSES, "unknown words", "flat", "cut")
    rows = [
        [kind, *(f"{shares[column]:.1%}" for column in columns)]
        for kind, shares in result.texts.items()
    ]
    return Table("Texts by applicability domain, and why", ["questions", *columns], rows)


def domain_plots(result: DomainResult) -> list[Plot]:
    """Return the plots: ranks by likeness to training molecules, and texts by status."""
    plots = [
        bars(
            f"Descriptions found, by percentile of the {what} to training molecules",
            [f"{part.name}<br>{part.molecules:,}" for part in parts],
            {
                "Hits@1": [_plain(part.hits_1) for part in parts],
                "Hits@10": [_plain(part.hits_10) for part in parts],
            },
            f"percentile of the {what}, and number of molecules",
            "share",
        )
        for what, parts in (("similarity", result.by_similarity), ("cosine", result.by_cosine))
    ]
    kinds = list(result.texts)
    shares: dict[str, Sequence[float]] = {
        status: [result.texts[kind][status] for kind in kinds] for status in STATUSES
    }
    return [*plots, bars("Texts by applicability domain", kinds, shares, "questions", "share")]


def _plain(value: float) -> float:
    return 0.0 if value != value else value  # noqa: PLR0124 - NaN of an empty part


def domain_results(result: DomainResult) -> dict[str, Any]:
    """Return every number for the JSON file."""
    return {
        "molecules": {name: dict(shares) for name, shares in result.molecules.items()},
        "numbers": dict(result.numbers),
        **{
            name: [_jsonable(part) for part in parts]
            for name, parts in (
                ("by_status", result.by_status),
                ("by_similarity", result.by_similarity),
                ("by_cosine", result.by_cosine),
            )
        },
        "texts": {kind: dict(shares) for kind, shares in result.texts.items()},
    }


def _jsonable(part: RankedPart) -> dict[str, Any]:
    """Fields, with null for the figures of no molecules."""
    values = asdict(part)
    if not part.molecules:
        values.update(hits_1=None, hits_10=None, mrr=None)
    return values
