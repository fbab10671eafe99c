"""Talk on stderr: sentences, warnings, errors and progress. Data goes to stdout elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from molclip.errors import MolclipError

Progress = Callable[[str, int, int | None], None]
"""Called with what is being done, how many are done, and of how many (None: not known)."""

_LINE_EVERY = 20.0
"""Seconds between two lines about a long job where stderr is no terminal."""


def say(text: str) -> None:
    """Tell the user something that is not part of the answer."""
    _print(text, "dim")


def warn(text: str) -> None:
    """Tell the user what may make the answer worse than it looks."""
    _print(f"Warning: {text}", "yellow")


def fail(error: MolclipError) -> None:
    """Say what was wrong and, on the next line, what to do about it."""
    _print(f"Error: {error.message}", "bold red")
    if error.hint:
        _print(error.hint, "")


def _print(text: str, style: str) -> None:
    from rich.text import Text

    console = _stderr()
    # In a log or a pipe a sentence stays on its line, so that it can be searched for.
    console.print(Text(text, style=style), soft_wrap=not console.is_terminal)


def _stderr() -> Any:
    from rich.console import Console

    return Console(stderr=True, highlight=False)


@contextmanager
def progress() -> Iterator[Progress]:
    """Progress of one or several stages: bars on a terminal, a line now and then elsewhere."""
    console = _stderr()
    if not console.is_terminal:
        yield _lines()
        return
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
    from rich.progress import Progress as Bars

    columns = (
        TextColumn("{task.description}"),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    with Bars(*columns, console=console, transient=True) as bars:
        tasks: dict[str, Any] = {}

        def show(stage: str, done: int, total: int | None) -> None:
            if stage not in tasks:
                tasks[stage] = bars.add_task(stage, total=total)
            bars.update(tasks[stage], completed=done, total=total)

        yield show


def _lines() -> Progress:
    last = time.monotonic()

    def show(stage: str, done: int, total: int | None) -> None:
        nonlocal last
        if time.monotonic() - last < _LINE_EVERY:
            return
        last = time.monotonic()
        print(f"{stage}: {done:,}" + (f" of {total:,}" if total else ""), file=sys.stderr)

    return show


@contextmanager
def preparation() -> Iterator[Progress]:
    """Progress of the one-time preparation of the embedded library, said in one line at least."""
    with progress() as show:
        begun = False

        def told(stage: str, done: int, total: int | None) -> None:
            nonlocal begun
            if not begun:
                begun = True
                say("Preparing the embedded library, once …")
            show(stage, done, total)

        yield told
