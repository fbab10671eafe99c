"""`molclip train --sweep`: several runs compared."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from molclip.errors import ConfigError, InputError

if TYPE_CHECKING:
    from molclip.training.config import TrainingConfig
    from molclip.training.sweep import Report
    from molclip.training.sweep_plan import SweepRun


def train_sweep(
    config: Path | None,
    path: Path | None,
    report_of: Callable[[TrainingConfig], AbstractContextManager[Report]],
) -> None:
    """Run a sweep file and print the comparison; the files go into the sweep's folder.

    Parameters
    ----------
    config
        Must be None: a sweep names its own base.
    path
        The sweep file; see `training.sweep_plan`.
    report_of
        Shows the progress of one run, as `molclip train` does.

    Raises
    ------
    InputError
        When both or neither of `config` and `path` are given.
    ConfigError
        For a wrong file before anything runs, and at the end when runs failed.
    """
    if config is not None or path is None:
        raise InputError(
            "One of CONFIG and --sweep is needed, not both.",
            "For example `molclip train config.toml`, or `molclip train --sweep sweep.toml`.",
        )
    from rich.console import Console

    from molclip.cli.console import say
    from molclip.training.sweep import FAILED, run_sweep
    from molclip.training.sweep_plan import load_sweep
    from molclip.training.sweep_report import sweep_report, write_parquet

    sweep = load_sweep(path)
    number = {run.name: place for place, run in enumerate(sweep.runs, start=1)}

    @contextmanager
    def watch(run: SweepRun) -> Iterator[Report]:
        say(f"Run {number[run.name]} of {len(sweep.runs)}: {run.name}")
        with report_of(run.config) as report:
            yield report

    records = run_sweep(sweep, watch)
    report = sweep_report(sweep, records, shlex.join(["molclip", *sys.argv[1:]]))
    report.write(sweep.output, "sweep")
    write_parquet(records, sweep.output / "sweep.parquet")
    report.print(Console(width=min(Console().width, 120), highlight=False))
    say(f"Written to {sweep.output}: sweep.json, sweep.md, sweep.html, sweep.parquet.")
    failed = [record.name for record in records if record.status == FAILED]
    if failed:
        raise ConfigError(
            f"{len(failed)} of {len(records)} runs failed: {', '.join(failed)}.",
            "The reasons stand above; the same command tries them again.",
        )
