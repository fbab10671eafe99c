"""`molclip train`: a model from a configuration file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from molclip.cli.sweep import train_sweep
from molclip.cli.training_progress import is_first_process, training_progress

EXAMPLES = (
    "**Examples**\n\n`molclip train config.toml`\n\n`molclip train --sweep sweep.toml`\n\n"
    "A run that was killed goes on from its last checkpoint when it is started again."
)


def train(
    config: Annotated[
        Path | None, typer.Argument(metavar="CONFIG", help="TOML file.", show_default=False)
    ] = None,
    sweep: Annotated[
        Path | None,
        typer.Option(
            "--sweep",
            help="Instead of CONFIG: a sweep file, whose runs are trained one after the other "
            "and compared.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Train a model; prints the folder of the finished model."""
    if config is None or sweep is not None:
        train_sweep(config, sweep, training_progress)
        return
    from molclip.training.config import load_config

    loaded = load_config(config)
    from molclip.training.run import run_training

    with training_progress(loaded) as report:
        folder = run_training(loaded, report=report)
    if is_first_process():
        sys.stdout.write(f"{folder}\n")
