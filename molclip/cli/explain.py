"""`molclip explain`: which atoms and which words carry a match."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from molclip.cli.options import ModelOption, QuietOption

if TYPE_CHECKING:
    from molclip.explain import Explanation

EXAMPLES = (
    "**Examples**\n\n"
    '`molclip explain "CC1(C)SC2C(NC(=O)Cc3ccccc3)C(=O)N2C1C(=O)O" "beta-lactam antibiotic"`\n\n'
    '`molclip explain "CC(=O)Oc1ccccc1C(=O)O" "painkiller" -o why.svg --method gradient`'
)
_MOST_ATOMS = 20


class Method(StrEnum):
    """How parts get their values."""

    occlusion = "occlusion"
    gradient = "gradient"
    both = "both"


def explain(
    smiles: Annotated[
        str,
        typer.Argument(metavar="SMILES", help="The molecule; InChI too.", show_default=False),
    ],
    text: Annotated[str, typer.Argument(metavar="TEXT", help="The words.", show_default=False)],
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write a figure (.svg, .png) or all values (.json); tables on stdout otherwise.",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = None,
    method: Annotated[
        Method,
        typer.Option(
            "--method",
            help="Leave each part out (occlusion), or integrate gradients from nothing to all "
            "(gradient).",
        ),
    ] = Method.both,
    quiet: QuietOption = False,
) -> None:
    """Say which atoms and which words carry the match of a molecule and a text.

    A positive value raises the match, a negative one lowers it.
    """
    from molclip.cli.console import say, warn
    from molclip.explain import explain as explain_match
    from molclip.explain.explanation import check_target

    if out is not None:
        check_target(out)
    explained = explain_match(smiles, text, model=model, method=method.value)
    if out is None:
        _print(explained)
    else:
        explained.save(out)
        if not quiet:
            say(f"Match {explained.score:+.3f}; explanation written to {out}.")
    for remark in explained.remarks:
        warn(f"{remark}.")


def _print(explained: Explanation) -> None:
    """Tables of words and atoms, and what the gradients add up to."""
    from molclip.cli.output import print_table

    found = explained.to_dict()
    typer.echo(f"match (cosine) {explained.score:+.4f}\n")
    print_table(_table("word", [(row["word"], row) for row in found["words"]]))
    _print_sums(found["word_sums"], "no words")
    atoms = [(f"{row['symbol']} {row['index']}", row) for row in found["atoms"]]
    shown = sorted(atoms, key=lambda atom: -_strength(atom[1]))[:_MOST_ATOMS]
    typer.echo("")
    print_table(_table("atom", shown))
    if len(shown) < len(atoms):
        typer.echo(f"… the strongest of {len(atoms)} atoms; -o FILE.json has all")
    _print_sums(found["atom_sums"], "no molecule")


def _table(head: str, rows: list[tuple[str, dict[str, Any]]]) -> Any:
    from molclip.cli.output import cell, new_table

    methods = [name for name in ("occlusion", "gradient") if rows[0][1][name] is not None]
    table = new_table()
    table.add_column(head)
    for name in methods:
        table.add_column(name, justify="right")
    for label, row in rows:
        table.add_row(cell(label, 40), *(f"{row[name]:+.4f}" for name in methods))
    return table


def _strength(row: dict[str, Any]) -> float:
    value = row["occlusion"] if row["gradient"] is None else row["gradient"]
    return abs(float(value))


def _print_sums(sums: dict[str, Any], nothing: str) -> None:
    if sums["attributed"] is not None:
        rest = sum(sums["remainder"].values())
        typer.echo(
            f"gradients: {sums['attributed']:+.4f}"
            + (f", of no atom {rest:+.4f}" if sums["remainder"] else "")
            + f"; score of {nothing} {sums['baseline']:+.4f}"
        )
    if sums["agreement"] is not None:
        typer.echo(f"rank correlation of the two methods: {sums['agreement']:+.2f}")
