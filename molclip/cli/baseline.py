"""`molclip baseline`: models that are trained for comparison alone."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

app = typer.Typer(
    help="Train a model for comparison; `molclip evaluate retrieval` puts it in the same table.",
    no_args_is_help=True,
    rich_markup_mode="markdown",
)

OutputOption = Annotated[Path, typer.Option("--out", help="Folder of the run.", show_default=False)]
DataOption = Annotated[
    Path | None,
    typer.Option(
        "--data",
        help="Folder of the ChEBI sources; MOLCLIP_DATA when left out.",
        show_default=False,
    ),
]
EpochsOption = Annotated[
    int | None,
    typer.Option("--epochs", min=1, help="In place of the configuration's.", show_default=False),
]
