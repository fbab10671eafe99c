"""What a terminal or a log shows of a training run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.progress import Progress
    from rich.text import Text

    from molclip.training.config import TrainingConfig

Report = Callable[[dict[str, float]], None]

_LINE_EVERY = 30.0
"""Seconds between two lines of the same kind where stderr is no terminal."""

_STEP = {
    "loss": "loss {:.3f}",
    "temperature": "temperature {:.4f}",
    "accuracy": "accuracy {:.1%}",
    "pairs_per_second": "{:,.0f} pairs/s",
    "masked": "masked {:.2%}",
}
_EPOCH = {
    "loss": "loss {:.3f}",
    "information_bound": "bound {:.2f} nats",
    "temperature": "temperature {:.4f}",
    "accuracy": "accuracy {:.1%}",
    "hardest_negative": "hardest negative {:.1%}",
    "effective_negatives": "effective negatives {:,.0f}",
    "alignment": "alignment {:.2f}",
    "uniformity_text": "uniformity text {:.2f}",
    "uniformity_molecule": "molecule {:.2f}",
    "effective_rank_text": "rank text {:.0f}",
    "effective_rank_molecule": "molecule {:.0f}",
    "modality_gap": "gap {:.2f}",
    "masked": "masked {:.2%}",
    "pairs_per_second": "{:,.0f} pairs/s",
}
_ENDED, _FEATURES = "epoch_end", "features"


@contextmanager
def training_progress(config: TrainingConfig) -> Iterator[Report]:
    """Show a run: bars and the latest numbers on a terminal, a line now and then elsewhere.

    Gives a function that takes the numbers of every step and of every epoch's end. When the run
    fails, what is left of it is said.

    Parameters
    ----------
    config
        The run.
    """
    from rich.console import Console

    if not is_first_process():
        yield lambda _: None
        return
    console = Console(stderr=True, highlight=False)
    try:
        if console.is_terminal:
            with _bars(config, console) as report:
                yield report
        else:
            yield _lines(config)
    except BaseException:
        from molclip.cli.console import say

        say(kept(config.output))
        raise


def is_first_process() -> bool:
    """Whether this is the one of several processes, as torchrun starts them, that talks."""
    return os.environ.get("RANK", "0") == "0"


def kept(folder: Path) -> str:
    """Return a sentence on what a run that broke off has left in its folder."""
    from molclip.training.checkpoints import FILE_NAME
    from molclip.training.history_log import LOG, read_log

    checkpoint = folder / FILE_NAME
    if not checkpoint.is_file():
        return f"No checkpoint is in {folder} yet: the same command starts from the beginning."
    written = time.strftime("%H:%M:%S on %Y-%m-%d", time.localtime(checkpoint.stat().st_mtime))
    epochs = len(read_log(folder / LOG))
    log = f" and the log of {epochs} epoch{'' if epochs == 1 else 's'}" if epochs else ""
    return (
        f"Kept in {folder}: the checkpoint of {written}{log}. The same command goes on from there."
    )


@contextmanager
def _bars(config: TrainingConfig, console: Any) -> Iterator[Report]:
    from rich.console import Group
    from rich.live import Live
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )
    from rich.text import Text

    bars = Progress(
        TextColumn("{task.description:9}"),
        BarColumn(bar_width=30),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
    )
    numbers = Text()
    # Warnings and lines of other parts go to stderr, which Live prints above the bars.
    with Live(Group(bars, numbers), console=console, refresh_per_second=4):
        yield _Bars(bars, numbers, config).show


class _Bars:
    """The bars of one run: features first, then epochs and steps."""

    def __init__(self, bars: Progress, numbers: Text, config: TrainingConfig) -> None:
        self.bars = bars
        self.numbers = numbers
        self.epochs = config.run.epochs
        self.features: Any = None
        self.epoch: Any = None
        self.step: Any = None

    def show(self, numbers: dict[str, float]) -> None:
        """Take what the run reports."""
        if _FEATURES in numbers:
            self._features(int(numbers[_FEATURES]), int(numbers["of"]))
        elif _ENDED in numbers:
            self.bars.console.print(describe_epoch(numbers, self.epochs), soft_wrap=False)
        elif "loss" in numbers:
            self._step(numbers)

    def _features(self, done: int, total: int) -> None:
        if self.features is None:
            self.features = self.bars.add_task("features", total=total)
        self.bars.update(self.features, completed=done, total=total)

    def _step(self, numbers: Mapping[str, float]) -> None:
        done = float(numbers.get("epoch", 0.0))
        total = numbers.get("steps")
        if self.epoch is None:
            if self.features is not None:
                self.bars.remove_task(self.features)
            self.epoch = self.bars.add_task("epoch", total=self.epochs)
            # A resumed run starts in the middle: counting from there keeps the time left true.
            first = int(numbers.get("step", 1)) - 1
            self.step = self.bars.add_task("step", total=total, completed=first)
        self.bars.update(self.epoch, completed=done)
        self.bars.update(self.step, completed=int(numbers.get("step", 0)), total=total)
        self.numbers.plain = describe_step(numbers)


def _lines(config: TrainingConfig) -> Report:
    last = {"loss": -_LINE_EVERY, _FEATURES: -_LINE_EVERY}

    def show(numbers: dict[str, float]) -> None:
        if _ENDED in numbers:
            text = describe_epoch(numbers, config.run.epochs)
        else:
            kind = _FEATURES if _FEATURES in numbers else "loss"
            if kind not in numbers or time.monotonic() - last[kind] < _LINE_EVERY:
                return
            last[kind] = time.monotonic()
            if kind == _FEATURES:
                text = f"features: {int(numbers[_FEATURES]):,} of {int(numbers['of']):,}"
            else:
                epoch = f"epoch {numbers['epoch']:.2f}  " if "epoch" in numbers else ""
                text = epoch + describe_step(numbers)
        print(text, file=sys.stderr, flush=True)

    return show


def describe_step(numbers: Mapping[str, Any]) -> str:
    """Return the numbers of a step that a line has room for."""
    return "  ".join(form.format(numbers[key]) for key, form in _STEP.items() if key in numbers)


def describe_epoch(numbers: Mapping[str, Any], epochs: int) -> str:
    """Return the numbers of an epoch, those of the validation last."""
    shown = [form.format(numbers[key]) for key, form in _EPOCH.items() if key in numbers]
    shown += [
        f"{key} {value:.3f}"
        for key, value in numbers.items()
        if key.startswith("validation") and isinstance(value, (int, float))
    ]
    return f"epoch {int(numbers[_ENDED])} of {epochs}: " + ", ".join(shown)
