"""`molclip library`: make, grow, describe and export libraries."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from molclip.cli.options import (
    FailuresOption,
    Format,
    FormatOption,
    IdOption,
    InputFormatOption,
    ModelOption,
    NameOption,
    OnInvalid,
    OnInvalidOption,
    Profile,
    StandardiseOption,
    StructureOption,
    WorkersOption,
)
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.search.library import Library
    from molclip.search.report import BuildReport

app = typer.Typer(
    help="Make and grow libraries: molecules with their vectors, ready to be searched.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

FolderArgument = Annotated[
    Path, typer.Argument(metavar="FOLDER", help="Folder of the library.", show_default=False)
]
OptionalFolderArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="[FOLDER]",
        help="Folder of the library; the embedded one when left out.",
        show_default=False,
    ),
]


@app.command(
    epilog="**Examples**\n\n"
    "`molclip library build mine.library mine.sdf --failures bad.csv`\n\n"
    "`molclip library build mine.library mine.csv --structure SMILES --id code`\n\n"
    "`molclip library build chebi.library --embedded --model my-model/`"
)
def build(
    folder: FolderArgument,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help='File of molecules, or "-" for standard input.',
            show_default=False,
        ),
    ] = None,
    embedded: Annotated[
        bool, typer.Option("--embedded", help="Embed the table that comes with molclip.")
    ] = False,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Replace a library that is there already.")
    ] = False,
    model: ModelOption = None,
    on_invalid: OnInvalidOption = OnInvalid.keep,
    failures: FailuresOption = None,
    structure: StructureOption = None,
    id_column: IdOption = None,
    name_column: NameOption = None,
    input_format: InputFormatOption = None,
    standardise: StandardiseOption = Profile.none,
    workers: WorkersOption = None,
) -> None:
    """Embed a file and keep the result; a killed build goes on when it is run again."""
    from molclip.chem.failures import FailureLog
    from molclip.cli.console import progress
    from molclip.cli.reading import check_targets
    from molclip.search.library import Library

    if (file is None) != embedded:
        raise InputError(
            "A library is built from a file or from the embedded table.",
            "Give FILE, or --embedded.",
        )
    check_targets(file, failures)
    with FailureLog(failures) as log:
        with progress() as show:
            library = Library.build(
                folder,
                file,
                model=model,
                standardise=standardise.value,
                on_invalid=_kept(on_invalid, failures),
                structure=structure,
                id=id_column,
                name=name_column,
                format=input_format,
                overwrite=overwrite,
                workers=workers,
                progress=show,
            )
        _log_failures(log, library, 0)
    _tell(library.info().report, library)


@app.command(epilog="**Example**\n\n`molclip library add mine.library more.sdf`")
def add(
    folder: FolderArgument,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE",
            help='File of molecules, or "-" for standard input.',
            show_default=False,
        ),
    ],
    model: ModelOption = None,
    on_invalid: OnInvalidOption = OnInvalid.keep,
    failures: FailuresOption = None,
    structure: StructureOption = None,
    id_column: IdOption = None,
    name_column: NameOption = None,
    input_format: InputFormatOption = None,
    workers: WorkersOption = None,
) -> None:
    """Add molecules, all or none; a row whose id is there already replaces the old one."""
    from molclip.chem.failures import FailureLog
    from molclip.cli.console import progress
    from molclip.cli.reading import check_targets
    from molclip.search.library import Library

    check_targets(file, failures)
    with FailureLog(failures) as log:
        library = Library.open(folder, model)
        earlier = sum(1 for _ in library.failures())
        with progress() as show:
            report = library.add(
                file,
                on_invalid=_kept(on_invalid, failures),
                structure=structure,
                id=id_column,
                name=name_column,
                format=input_format,
                workers=workers,
                progress=show,
            )
        _log_failures(log, library, earlier)
    _tell(report, library)


@app.command(epilog="**Example**\n\n`molclip library info mine.library --format json`")
def info(folder: OptionalFolderArgument = None, output: FormatOption = Format.table) -> None:
    """Say what a library is made of: rows, model, versions, columns."""
    from molclip.chem.failures import counted
    from molclip.chem.writers import write_csv
    from molclip.cli import output as outputs

    values = _open(folder).info().to_dict()
    if output is Format.json:
        sys.stdout.write(json.dumps(outputs.plain(values), ensure_ascii=False, indent=1) + "\n")
        return
    report = values.pop("report")
    flat = {**values, **report}
    columns: dict[str, str] = flat.pop("columns")
    flat["columns"] = ", ".join(f"{name} ({kind})" for name, kind in columns.items())
    flat["remarks"] = counted(report["remarks"]) or "none"
    rows = [{"property": key, "value": value} for key, value in flat.items()]
    if output is Format.csv:
        write_csv(rows, sys.stdout, ["property", "value"])
        return
    table = outputs.new_table()
    table.add_column("property", no_wrap=True)
    table.add_column("value", overflow="fold")
    for row in rows:
        table.add_row(row["property"].replace("_", " "), outputs.cell(_shown(row["value"]), 2000))
    outputs.print_table(table)


@app.command(
    epilog="**Examples**\n\n"
    "`molclip library export mine.library -o mine.sdf`\n\n"
    '`molclip library export -o small.csv --where "mol_weight < 200" '
    "--columns id,name,smiles,mol_weight`"
)
def export(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="File to write: .csv, .tsv, .jsonl, .sdf or .parquet.",
            show_default=False,
        ),
    ],
    folder: OptionalFolderArgument = None,
    where: Annotated[
        str | None,
        typer.Option("--where", help="SQL condition on columns.", show_default=False),
    ] = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns", help="Columns to write, with commas between them.", show_default=False
        ),
    ] = None,
) -> None:
    """Write rows of a library to a file for the next tool."""
    from molclip.cli.console import say

    chosen = [part.strip() for part in columns.split(",") if part.strip()] if columns else None
    count = _open(folder).export(out, where=where, columns=chosen)
    say(f"{count:,} rows written to {out}.")


def _open(folder: Path | None) -> Library:
    from molclip.cli.console import preparation
    from molclip.search.library import Library

    with preparation() as show:
        return Library.open(folder, progress=show)


def _kept(on_invalid: OnInvalid, failures: Path | None) -> Any:
    """`skip` drops the reasons, so with a failures file rows are kept track of."""
    return "keep" if on_invalid is OnInvalid.skip and failures else on_invalid.value


def _log_failures(log: Any, library: Library, earlier: int) -> None:
    from molclip.cli.library_failures import record_failures

    record_failures(log, library, earlier)


def _tell(report: BuildReport, library: Library) -> None:
    from molclip.chem.failures import counted
    from molclip.cli.console import say, warn

    for warning in report.warnings:
        warn(warning)
    info = library.info()
    parts = [f"{report.added:,} added"]
    for what in ("updated", "replaced", "failed"):
        if count := getattr(report, what):
            parts.append(f"{count:,} {what}")
    noted = f" Of note: {counted(report.remarks)}." if report.remarks else ""
    say(f"{report.rows_read:,} rows read: {', '.join(parts)}.{noted}")
    if report.failed and info.failures_file:
        say(f"Rows that failed, with reasons: {info.failures_file}")
    say(f"{info.path} holds {info.rows:,} molecules.")


def _shown(value: Any) -> str:
    if isinstance(value, list):
        return "; ".join(map(str, value)) or "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    return "" if value is None else str(value)
