"""Tables and plots of the queries on the embedded library."""

from __future__ import annotations

from molclip.evaluation.plots import Plot, dots
from molclip.evaluation.report import Table
from molclip.evaluation.zero_shot.library_queries import HITS
from molclip.evaluation.zero_shot.precision import PrecisionResult, Slice

_SHOWN = 8
"""Worst queries shown; the JSON has all."""


def precision_tables(result: PrecisionResult) -> list[Table]:
    """Return the tables: kinds of query, frequency, conditions, worst queries."""
    title = f"Precision at {HITS} on the embedded library, {result.rows:,} curated molecules"
    columns = ["queries", "number", f"P@{HITS}", "any right", "chance"]
    tables = [
        Table(title, columns, [_row(name, part) for name, part in result.slices.items()]),
        Table(
            "The same by how many rows are right",
            columns,
            [_row(name, part) for name, part in result.strata.items()],
        ),
    ]
    conditions = []
    for name, part in result.slices.items():
        if part.parts:
            without = " / ".join(f"{value:.3f}" for value in part.parts)
            conditions.append([name, f"{part.precision:.3f}", without])
    if conditions:
        tables.append(
            Table(
                "What a condition is worth: the same rows looked for with half of the query",
                ["queries", "whole query", "class alone / role alone"],
                conditions,
            )
        )
    if result.by_seen:
        rows = [[name, f"{share:.3f}"] for name, share in result.by_seen.items()]
        share = f"{result.seen_share:.0%} of the hits" if result.seen_share is not None else ""
        tables.append(Table(f"Right hits by whether they were trained on ({share})",
                            ["molecules", "right"], rows))  # fmt: skip
    worst = sorted(result.answers, key=lambda answer: answer.precision)[:_SHOWN]
    tables.append(
        Table(
            "Worst queries",
            ["query", "kind", "right rows", f"P@{HITS}"],
            [
                [a.query.text, a.query.slice, f"{len(a.query.right):,}", f"{a.precision:.1f}"]
                for a in worst
            ],
            left=frozenset({0, 1}),
        )
    )
    return tables


def _row(name: str, part: Slice) -> list[str]:
    low, high = part.interval
    return [
        name,
        f"{part.queries:,}",
        f"{part.precision:.3f}\n{low:.3f}–{high:.3f}",
        f"{part.found:.0%}",
        f"{part.chance:.3f}",
    ]


def precision_plots(result: PrecisionResult) -> list[Plot]:
    """Return the plot: precision of each kind of query with its interval."""
    parts = {**result.slices, **result.strata}
    values = [(part.precision, *part.interval) for part in parts.values()]
    return [
        dots(
            f"Precision at {HITS} of queries on the library",
            list(parts),
            {f"P@{HITS}": values},
            f"P@{HITS}",
            reference=result.slices["all"].precision,
        )
    ]
