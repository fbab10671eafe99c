"""`molclip baseline image`: an open_clip model trained on drawings."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli import console
from molclip.cli.baseline import DataOption, EpochsOption, OutputOption

if TYPE_CHECKING:
    from collections.abc import Callable

EXAMPLES = (
    "**Example**\n\n`molclip baseline image --out runs/image`\n\n"
    "`molclip evaluate retrieval --data chebi20/ --image runs/image/model`\n\n"
    "The first run draws every molecule a few times and keeps the drawings in MOLCLIP_CACHE."
)


def image(
    out: OutputOption,
    config: Annotated[
        Path | None,
        typer.Option(
            "--config", help="TOML file with other sizes and settings.", show_default=False
        ),
    ] = None,
    data: DataOption = None,
    epochs: EpochsOption = None,
) -> None:
    """Train open_clip towers on drawings of molecules and our captions; prints the model's folder.

    A run that was killed goes on from its last checkpoint when it is started again.
    """
    from molclip.baselines.image_config import image_config

    settings = image_config(out, config, data, epochs)
    from molclip.baselines.image_clip import train_image_clip

    with console.progress() as progress:
        folder = train_image_clip(settings, _shown(progress))
    sys.stdout.write(f"{folder}\n")


def _shown(progress: console.Progress) -> Callable[[dict[str, float]], None]:
    def show(numbers: dict[str, float]) -> None:
        if "of" in numbers:
            stage = next(iter(numbers))
            progress(stage, int(numbers[stage]), int(numbers["of"]))
        elif "loss" in numbers:
            progress("training", int(numbers["step"]), int(numbers["steps"]))
        else:
            shown = ", ".join(f"{name} {value:.3f}" for name, value in numbers.items())
            console.say(shown)

    return show
