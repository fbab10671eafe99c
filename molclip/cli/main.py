"""`molclip`: the command line."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from molclip import __version__
from molclip.cli import app as demo
from molclip.cli import (
    baseline,
    baseline_image,
    baseline_text2mol,
    classify,
    describe,
    embed,
    evaluate,
    evaluate_calibration,
    evaluate_probe,
    evaluate_representation,
    evaluate_retrieval,
    evaluate_zero_shot,
    explain,
    finetune,
    join,
    library,
    predict,
    search,
    train,
)
from molclip.cli.guard import EXIT_CODES, GuardedGroup

app = typer.Typer(
    name="molclip",
    cls=GuardedGroup,
    help="Search molecules with a sentence, and find the words for a molecule.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="**Examples**\n\n"
    '`molclip search "opioid analgesic" --where "mol_weight < 400"`\n\n'
    '`molclip classify mine.sdf --labels "antibiotic; dye; sweetener"`\n\n'
    "Answers go to stdout, remarks to stderr.\n\n" + EXIT_CODES,
)
app.command(epilog=search.EXAMPLES)(search.search)
app.command(epilog=classify.EXAMPLES)(classify.classify)
app.command(epilog=describe.EXAMPLES)(describe.describe)
app.command(epilog=explain.EXAMPLES)(explain.explain)
app.command(epilog=embed.EXAMPLES)(embed.embed)
app.add_typer(library.app, name="library")
app.command(epilog=train.EXAMPLES)(train.train)
app.command(epilog=join.EXAMPLES)(join.join)
app.command(epilog=finetune.EXAMPLES)(finetune.finetune)
app.command(epilog=predict.EXAMPLES)(predict.predict)
app.add_typer(evaluate.app, name="evaluate")
evaluate.app.command(epilog=evaluate_retrieval.EXAMPLES)(evaluate_retrieval.retrieval)
evaluate.app.command(epilog=evaluate_probe.EXAMPLES)(evaluate_probe.probe)
evaluate.app.command(epilog=evaluate_representation.EXAMPLES)(
    evaluate_representation.representation
)
evaluate.app.command(epilog=evaluate_calibration.EXAMPLES)(evaluate_calibration.calibration)
evaluate.app.command("zero-shot", epilog=evaluate_zero_shot.EXAMPLES)(evaluate_zero_shot.zero_shot)
app.add_typer(baseline.app, name="baseline")
baseline.app.command(epilog=baseline_text2mol.EXAMPLES)(baseline_text2mol.text2mol)
baseline.app.command(epilog=baseline_image.EXAMPLES)(baseline_image.image)
app.command(name="app", epilog=demo.EXAMPLES)(demo.run_app)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"molclip {__version__}")
        raise typer.Exit


@app.callback()
def _top(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Run the command line and end the process with its exit code."""
    for stream in (sys.stdout, sys.stderr):
        # Names hold Greek letters: UTF-8 in files and pipes on every system, replaced on a
        # terminal that cannot show them.
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")
    app()
