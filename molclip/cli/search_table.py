"""Hits as a table that fits 80 columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from molclip.cli.output import cell, new_table

if TYPE_CHECKING:
    from rich.table import Table

_WIDE = 110
"""From so many columns on, SMILES and properties stand beside the name."""


def hits_table(records: Sequence[dict[str, Any]], width: int) -> Table:
    """Lay out hits.

    Parameters
    ----------
    records
        Records of a `SearchResult`, at least one.
    width
        Columns there are.
    """
    wide = width >= _WIDE
    named = any(record["name"] for record in records)
    levels = any(record["match_level"] for record in records)
    alike = "similarity" in records[0]
    judged = any(record["evidence"] for record in records)
    rows_known = "row" in records[0]
    table = new_table()
    table.add_column("#", justify="right", no_wrap=True)
    if rows_known:
        table.add_column("row", justify="right", no_wrap=True)
    table.add_column("id", max_width=14, overflow="fold")
    if named:
        table.add_column("name", ratio=2, overflow="fold")
    if wide or not named:
        table.add_column("SMILES", ratio=2, overflow="fold")
    table.add_column("score", justify="right", no_wrap=True)
    if levels:
        table.add_column("match", no_wrap=True)
    if alike:
        table.add_column("similar", justify="right", no_wrap=True)
    if judged:
        table.add_column("origin", no_wrap=not alike)
    if wide:
        table.add_column("weight", justify="right", no_wrap=True)
        table.add_column("logP", justify="right", no_wrap=True)
    for record in records:
        cells = [cell(record["rank"], 9)]
        if rows_known:
            cells.append(cell(record["row"], 12))
        cells.append(cell(record["id"], 40))
        if named:
            cells.append(cell(record["name"], 90))
        if wide or not named:
            cells.append(cell(record["smiles"], 90))
        cells.append(cell(_number(record["score"], 3), 8))
        if levels:
            cells.append(cell(record["match_level"], 12))
        if alike:
            cells.append(cell(_number(record["similarity"], 2), 8))
        if judged:
            cells.append(cell(_origin(record), 28))
        if wide:
            cells += [cell(_number(record.get("mol_weight"), 1), 9)]
            cells += [cell(_number(record.get("logp"), 1), 9)]
        table.add_row(*cells)
    return table


def _origin(record: dict[str, Any]) -> str:
    seen = ", seen" if record["seen"] else ""
    outside = ", outside" if record.get("domain") == "outside" else ""
    return f"{record['evidence'] or ''}{seen}{outside}".strip(", ")


def _number(value: Any, digits: int) -> str:
    return "" if value is None else f"{value:.{digits}f}"
