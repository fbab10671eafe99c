"""`molclip evaluate`: figures with their protocol."""

from __future__ import annotations

import json
import shlex
import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli import console
from molclip.cli.options import LibraryOption, ModelOption, ReportOption

if TYPE_CHECKING:
    from molclip.evaluation.report import Report

app = typer.Typer(
    help="Measure a model; every report states its protocol.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)


class Output(StrEnum):
    """How the report is printed."""

    table = "table"
    json = "json"
    markdown = "markdown"


class Mode(StrEnum):
    """How the library is searched."""

    vector = "vector"
    name = "name"
    hybrid = "hybrid"


FormatOption = Annotated[Output, typer.Option("--format", help="What is printed.")]


@app.command(
    epilog="**Example**\n\n`molclip evaluate queries questions.tsv`\n\n"
    "Each line of the file: a query, a tab, a regular expression that right names match.",
)
def queries(
    file: Annotated[Path, typer.Argument(help="Tab-separated: query, pattern of right names.")],
    library: LibraryOption = None,
    model: ModelOption = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Hits looked at.")] = 10,
    mode: Annotated[Mode, typer.Option("--mode", help="Kind of search.")] = Mode.vector,
    all_rows: Annotated[
        bool, typer.Option("--all-rows", help="Also rows that no curator has checked.")
    ] = False,
    out: ReportOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Count the questions that have a right name among their first hits."""
    from molclip.evaluation.queries import ask, queries_report, read_questions

    questions = read_questions(file)
    from molclip.search.library import Library

    opened = Library.open(library, model)
    curated = False if all_rows else None
    with console.progress() as progress:
        answers = ask(
            lambda query: opened.search(query, k=top, mode=mode.value, curated=curated),
            questions,
            progress,
        )
    info = opened.info()
    header: dict[str, str | float | None] = {
        "questions": str(file),
        "library": f"{'embedded' if info.embedded else info.path}, {info.rows:,} rows",
        "rows searched": info.rows if all_rows or not info.curated_rows else info.curated_rows,
        "mode": mode.value,
        "model hash": info.model_hash,
        "command": _command(),
    }
    report = queries_report(answers, header, top)
    if out is not None:
        report.write(out, "queries")
    _print(report, output)


def _command() -> str:
    return shlex.join(["molclip", *sys.argv[1:]])


def _print(report: Report, output: Output) -> None:
    if output is Output.json:
        sys.stdout.write(json.dumps(report.to_dict(), indent=2, ensure_ascii=False) + "\n")
    elif output is Output.markdown:
        sys.stdout.write(report.to_markdown())
    else:
        from rich.console import Console

        # Wider terminals get no wider tables: they are laid out for 80 columns.
        report.print(Console(width=min(Console().width, 100)))
