"""Options that several commands share, with one wording."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer


class OnInvalid(StrEnum):
    """What becomes of a row that cannot be used."""

    keep = "keep"
    skip = "skip"
    raise_ = "raise"


class Profile(StrEnum):
    """Standardisation profiles of `chem.standardize`."""

    none = "none"
    light = "light"
    parent = "parent"


class Format(StrEnum):
    """What is written to stdout."""

    table = "table"
    json = "json"
    csv = "csv"


_INPUT = "Input file"
BESIDE = "Beside the model"

ModelOption = Annotated[
    str | None,
    typer.Option(
        "--model",
        envvar="MOLCLIP_MODEL",
        help="Model folder or hub id; the built-in model when left out.",
        show_default=False,
    ),
]
LibraryOption = Annotated[
    Path | None,
    typer.Option(
        "--library", help="Library folder; the embedded one when left out.", show_default=False
    ),
]
ReportOption = Annotated[
    Path | None,
    typer.Option(
        "--out",
        "-o",
        help="Folder for the report as JSON, Markdown and HTML, and for its lists.",
        show_default=False,
    ),
]
ImagesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--image",
        help="An open_clip model on drawings in the same table: MODEL/TAG, hf-hub:ORG/NAME or "
        "folder; several times.",
        rich_help_panel=BESIDE,
        show_default=False,
    ),
]
FormatOption = Annotated[Format, typer.Option("--format", "-f", help="Form of the answer.")]
OnInvalidOption = Annotated[
    OnInvalid,
    typer.Option(
        "--on-invalid",
        help="Rows that cannot be used: keep their place, skip them, or raise an error at once.",
        rich_help_panel=_INPUT,
    ),
]
FailuresOption = Annotated[
    Path | None,
    typer.Option(
        "--failures",
        help="Write the rows that failed, with reason and hint, to this .csv or .jsonl file.",
        rich_help_panel=_INPUT,
        show_default=False,
    ),
]
StructureOption = Annotated[
    str | None,
    typer.Option(
        "--structure",
        help="Column with the structures; found by title and content when left out.",
        rich_help_panel=_INPUT,
        show_default=False,
    ),
]
IdOption = Annotated[
    str | None,
    typer.Option("--id", help="Column with the ids.", rich_help_panel=_INPUT, show_default=False),
]
NameOption = Annotated[
    str | None,
    typer.Option(
        "--name", help="Column with the names.", rich_help_panel=_INPUT, show_default=False
    ),
]
InputFormatOption = Annotated[
    str | None,
    typer.Option(
        "--input-format",
        help="smi, csv, tsv, sdf, jsonl, parquet or xlsx, where the file name does not tell.",
        rich_help_panel=_INPUT,
        show_default=False,
    ),
]
StandardiseOption = Annotated[
    Profile,
    typer.Option(
        "--standardise",
        help="Change structures first: light (one drawing per group) or parent (largest "
        "organic part, neutral).",
        rich_help_panel=_INPUT,
    ),
]
WorkersOption = Annotated[
    int | None,
    typer.Option(
        "--workers",
        min=1,
        help="Processes for the chemistry; one per core when left out.",
        rich_help_panel=_INPUT,
        show_default=False,
    ),
]
QuietOption = Annotated[
    bool, typer.Option("--quiet", "-q", help="No remarks on stderr, only warnings and errors.")
]
