"""A description as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from molclip.cli.output import cell, new_table, print_table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.table import Table

    from molclip.describe.description import Description, Statement

_HEADS = (
    ("classes", "Classes", "class"),
    ("roles", "Roles", "role"),
    ("uses", "Uses", "use"),
    ("definitions", "Definitions", "definition"),
    ("captions", "Captions", "caption"),
)


def write(described: Description) -> None:
    """Print who it is, then a table for each kind of statement."""
    typer.echo(_who(described))
    for key, title, column in _HEADS:
        entries = getattr(described, key)
        typer.echo(f"\n{title}")
        if entries:
            print_table(_table(entries, column))
        if key in described.silent:
            typer.echo(f"No {column} passes the threshold by the model alone.")
    typer.echo(
        f"\nPercentiles among {described.background:,} molecules; predicted classes and roles "
        f"from margin {described.margin:g}."
    )


def _who(described: Description) -> str:
    values, record = described.properties, described.record
    parts = [described.molecule.smiles, str(values.get("formula") or "")]
    if values.get("mol_weight") is not None:
        parts.append(f"{values['mol_weight']:.1f} g/mol")
    first = ", ".join(filter(None, parts))
    if record is None:
        known = "Not in the library of ChEBI: nothing is recorded, all is predicted."
    else:
        known = f"{record.name} ({record.id})"
    seen = {True: " The model was trained on it.", False: " The model never saw it.", None: ""}
    return f"{first}\n{known}{seen[described.seen]}"


def _table(entries: Sequence[Statement], column: str) -> Table:
    table = new_table()
    table.add_column(column, ratio=3, overflow="fold")
    table.add_column("origin", no_wrap=True)
    table.add_column("percentile", justify="right", no_wrap=True)
    table.add_column("source", ratio=2, overflow="fold")
    for entry in entries:
        text = f"{entry.of}: {entry.text}" if entry.of else entry.text
        source = f"{entry.source}, through {entry.via}" if entry.via else entry.source
        table.add_row(
            cell(text, 1_000), cell(entry.evidence, 12), cell(_percent(entry), 8), cell(source, 80)
        )
    return table


def _percent(entry: Statement) -> str:
    # Cut, not rounded: 99.97 is not 100.
    return "" if entry.percentile is None else f"{int(entry.percentile * 10) / 10:.1f}"
