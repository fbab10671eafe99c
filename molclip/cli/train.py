"""`molclip train`: a model from a configuration file."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from molclip.cli.sweep import train_sweep

if TYPE_CHECKING:
    from molclip.training.config import TrainingConfig

EXAMPLES = (
    "**Examples**\n\n`molclip train config.toml`\n\n`molclip train --sweep sweep.toml`\n\n"
    "A run that was killed goes on from its last checkpoint when it is started again."
)

_SHOWN = {
    "loss": "loss {:.3f}",
    "temperature": "temperature {:.4f}",
    "pairs_per_second": "{:,.0f} pairs/s",
}
_LINE_EVERY = 30.0
"""Seconds between two lines where stderr is no terminal."""


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
        return train_sweep(config, sweep, _report)
    from molclip.training.config import load_config

    loaded = load_config(config)
    from molclip.training.run import run_training

    with _report(loaded) as report:
        folder = run_training(loaded, report=report)
    sys.stdout.write(f"{folder}\n")


@contextmanager
def _report(config: TrainingConfig) -> Iterator[Callable[[dict[str, float]], None]]:
    """What happens to the numbers of every step and every evaluation."""
    from rich.console import Console

    from molclip.cli.console import say

    console = Console(stderr=True, highlight=False)
    if not console.is_terminal:
        yield _lines()
        return
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("epoch {task.fields[epoch]}"),
        BarColumn(bar_width=16),
        TextColumn("{task.description}"),
        TimeElapsedColumn(),
    )
    with Progress(*columns, console=console) as bars:
        task = bars.add_task("preparing", total=config.run.epochs, epoch="0")

        def show(numbers: dict[str, float]) -> None:
            if "loss" not in numbers:
                say(describe(numbers))
                return
            done = float(numbers.get("epoch", 0.0))
            bars.update(task, completed=done, description=describe(numbers), epoch=f"{done:.2f}")

        yield show


def _lines() -> Callable[[dict[str, float]], None]:
    last = -_LINE_EVERY

    def show(numbers: dict[str, float]) -> None:
        nonlocal last
        if "loss" in numbers and time.monotonic() - last < _LINE_EVERY:
            return
        last = time.monotonic()
        epoch = f"epoch {numbers['epoch']:.2f}  " if "epoch" in numbers else ""
        print(epoch + describe(numbers), file=sys.stderr, flush=True)

    return show


def describe(numbers: dict[str, Any]) -> str:
    """Numbers of a step as loss, temperature and speed; those of an evaluation all of them."""
    if "loss" in numbers:
        shown = [form.format(numbers[key]) for key, form in _SHOWN.items() if key in numbers]
        return "  ".join(shown)
    values = [
        f"{key} {value:.3f}" if isinstance(value, float) else f"{key} {value}"
        for key, value in numbers.items()
    ]
    return "validation: " + ", ".join(values)
