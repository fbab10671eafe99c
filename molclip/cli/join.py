"""`molclip join`: several trained models as one."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from molclip.cli.options import WorkersOption
from molclip.errors import InputError

EXAMPLES = (
    "**Examples**\n\n`molclip join runs/one/model runs/two/model -o ensemble`\n\n"
    "`molclip join built-in runs/mine/model -o ensemble --molecules mine.sdf`"
)


class StorageChoice(StrEnum):
    """How weights lie on disk."""

    float32 = "float32"
    float16 = "float16"
    int8 = "int8"


def join(
    models: Annotated[
        list[str],
        typer.Argument(
            metavar="MODEL...", help="Folders of two or more models.", show_default=False
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder of the new model.", show_default=False)
    ],
    dimension: Annotated[
        int, typer.Option("--dimension", min=1, help="Width of the joint space.")
    ] = 128,
    weights: Annotated[
        str | None,
        typer.Option(
            "--weights",
            help="Of the members' scores, separated by commas (`2,2,1`); by default as sharp as each "
            "model is.",
            show_default=False,
        ),
    ] = None,
    storage: Annotated[
        StorageChoice,
        typer.Option("--storage", help="Of the weights; int8 takes a quarter of float32."),
    ] = StorageChoice.float16,
    molecules: Annotated[
        Path | None,
        typer.Option(
            "--molecules",
            help="File of molecules to find the joint space with, by default training molecules "
            "of the embedded library.",
            show_default=False,
        ),
    ] = None,
    workers: WorkersOption = None,
) -> None:
    """Join models of one tokenizer to an ensemble, whose scores are the mean of theirs.

    Train the members with different seeds and the same tokenizer (`model.tokenizer`).
    """
    from molclip.training.joining import join_folders

    given = None
    if molecules is not None:
        from molclip.chem.readers import read_records

        given = read_records(str(molecules))
    made = join_folders(
        models,
        out,
        dimension=dimension,
        weights=None if weights is None else _numbers(weights),
        storage=storage.value,
        molecules=given,
        workers=workers,
    )
    sys.stdout.write(f"{made.folder}\n")


def _numbers(text: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(
            f"{text!r} are no weights.", "Give numbers separated by commas, such as 2,2,1."
        ) from None
