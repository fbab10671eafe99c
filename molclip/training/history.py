"""The log of a run: one record per epoch, on disk before the next epoch begins."""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from molclip.errors import install_hint
from molclip.evaluation.negatives import information_bound
from molclip.training import collapse
from molclip.training.config import TrainingConfig
from molclip.training.history_log import LOG, Record, append_log, read_log, rewrite_log

TABLE = "history.parquet"
REPORT = "report.html"
WINDOWS = 20
"""Stretches of a run over which the numbers are averaged to look for trouble within an epoch."""
_WINDOW = (10, 100)
"""Least and most steps of such a stretch."""

_LAST = frozenset({"epoch", "step", "steps", "temperature", "bias", "learning_rate"})
"""What an epoch ended with says more than its mean."""
_RATES = frozenset({"pairs_per_second"})
"""Averaged over time rather than over steps: harmonic mean."""


class History:
    """Collects the numbers of steps, makes a record of each epoch and says what goes wrong.

    Parameters
    ----------
    folder
        Run folder: gets `history.jsonl`, `history.parquet` and `report.html`.
    config
        The run; stands in the report and tells the rules of `training.collapse` what to expect.
    total_steps
        Length of the run; nothing is expected of a run before the end of its warm-up.
    max_scale
        Clamp of the inverse temperature.
    writes
        False in all processes but the first: records are made, and nothing is written or said.

    Attributes
    ----------
    records
        One per epoch, in order, each with `epoch` (complete epochs, counted from 1) and `step`.
    warnings
        Every warning of this run so far; each was also issued as a `UserWarning`.
    """

    def __init__(
        self,
        folder: Path,
        config: TrainingConfig,
        *,
        total_steps: int | None = None,
        max_scale: float = 100.0,
        writes: bool = True,
    ) -> None:
        self.folder = folder
        self.config = config
        self.writes = writes
        self.setting = collapse.Setting.of(config, total_steps, max_scale)
        self.records = read_log(folder / LOG)
        self.warnings: list[str] = [text for r in self.records for text in r.get("warnings", [])]
        least, most = _WINDOW
        self._window_steps = min(most, max(least, (total_steps or most * WINDOWS) // WINDOWS))
        self._epoch = Means()
        self._window = Means()
        self._window_before: dict[str, float] | None = None
        self._start: Record | None = None
        self._standing: dict[str, set[str]] = {"steps": set(), "vectors": set()}
        self._fresh: list[str] = []

    def begin(self, diagnostics: Mapping[str, float]) -> None:
        """Take the diagnosis of the untrained model, so that the first epoch can be judged."""
        self._start = dict(diagnostics)

    def step(self, numbers: Mapping[str, float | None]) -> list[str]:
        """Take the numbers of one step; returns the warnings they lead to, mostly none.

        Parameters
        ----------
        numbers
            By name; None and NaN are skipped. Known: `loss`, `objective_loss` (without the added
            objectives, where there are any), `temperature`, `accuracy`, `candidates` (where the
            loss is an InfoNCE, see `losses.ContrastiveLoss`), `masked` and `masked_<rule>`,
            `gradient_norm`, `learning_rate`, `pairs_per_second`, `step`. Any other is averaged
            too.
        """
        # Worked out by step: candidates change while a queue fills, and log is not linear.
        numbers = {**numbers, "information_bound": self._bound(numbers)}
        self._epoch.add(numbers)
        self._window.add(numbers)
        if self._window.steps < self._window_steps:
            return []
        now, before = self._window.record(), self._window_before
        self._window, self._window_before = Means(), now
        said = self._say("steps", collapse.in_steps(now, before, self.setting))
        self._fresh += said
        return said

    def epoch(
        self,
        epoch: int,
        step: int,
        numbers: Mapping[str, float] | None = None,
        diagnostics: Mapping[str, float] | None = None,
    ) -> Record:
        """Close an epoch: its record is on disk when this returns.

        A record of the same epoch, from before a kill, is replaced. Call it before the checkpoint
        of the epoch's end is saved, and save `state_dict` after it.

        Parameters
        ----------
        epoch
            Complete epochs, this one included.
        step
            Steps done.
        numbers
            Of the validation, or any others; they win over the means of the steps.
        diagnostics
            What `training.diagnostics.diagnose` gave.

        Returns
        -------
        dict
            Every number by name, `information_bound` among them, and under `warnings` the
            sentences that this epoch led to, if any.

        Raises
        ------
        ConfigError
            When the log cannot be written.
        """
        record: Record = {"epoch": epoch, "step": step}
        means = self._epoch.record()
        record |= {name: means[name] for name in means if name not in record}
        record |= {name: value for name, value in (diagnostics or {}).items() if _usable(value)}
        record |= {name: value for name, value in (numbers or {}).items() if _usable(value)}
        before = [kept for kept in self.records if kept["epoch"] < epoch]
        found = collapse.in_vectors(record, before[-1] if before else self._start, self.setting)
        said = self._fresh + self._say("vectors", found)
        if said:
            record["warnings"] = said
        self._epoch, self._fresh = Means(), []
        replaces = len(before) < len(self.records)
        self.records = [*before, record]
        if self.writes:
            if replaces:
                rewrite_log(self.folder / LOG, self.records)
            else:
                append_log(self.folder / LOG, record)
            self._show(self.folder)
        return record

    def resume(self, epochs: int) -> None:
        """Forget records after so many complete epochs: the run goes on from an earlier state.

        Call it at the start of every run, with 0 where there is no checkpoint.
        """
        kept = [record for record in self.records if record["epoch"] <= epochs]
        if len(kept) < len(self.records):
            self.records = kept
            if self.writes:
                rewrite_log(self.folder / LOG, kept)
        self.warnings = [text for record in kept for text in record.get("warnings", [])]

    def finish(self, model_folder: Path) -> None:
        """Write `history.parquet` and `report.html` into the model folder."""
        if self.writes:
            self._show(model_folder)

    def state_dict(self) -> dict[str, Any]:
        """Return the unfinished epoch as plain numbers, for the checkpoint."""
        return {
            "epoch": self._epoch.state(),
            "window": self._window.state(),
            "window_before": self._window_before,
            "start": self._start,
            "standing": {kind: sorted(rules) for kind, rules in self._standing.items()},
            "fresh": list(self._fresh),
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on with the epoch of a checkpoint."""
        self._epoch = Means.of(state["epoch"])
        self._window = Means.of(state["window"])
        self._window_before, self._start = state["window_before"], state["start"]
        self._standing = {kind: set(rules) for kind, rules in state["standing"].items()}
        self._fresh = list(state["fresh"])
        self.warnings += self._fresh

    def _bound(self, numbers: Mapping[str, float | None]) -> float | None:
        """The bound on mutual information of one step, where its loss proves one."""
        loss = numbers.get("objective_loss")
        if loss is None and not self.config.objective.add:
            loss = numbers.get("loss")
        if loss is None:
            return None
        return information_bound(loss, numbers.get("candidates"), numbers.get("masked") or 0.0)

    def _say(self, kind: str, found: Iterable[collapse.Finding]) -> list[str]:
        """Warn of what is new; what stands since the record before was said then."""
        found = list(found)
        new = [finding.sentence for finding in found if finding.rule not in self._standing[kind]]
        rules = {finding.rule for finding in found}
        # Means of few steps waver about a limit, so what is found in them is said once in a run.
        self._standing[kind] = rules | (self._standing[kind] if kind == "steps" else set())
        self.warnings += new
        if self.writes:
            for sentence in new:
                warnings.warn(sentence, stacklevel=2)
        return new

    def _show(self, folder: Path) -> None:
        """The table and the page are made from the log and can be made again: a failure is said."""
        from molclip.training.history_report import write_report
        from molclip.training.history_table import write_table

        try:
            write_table(folder / TABLE, self.records, self.config)
            write_report(folder / REPORT, self.records, self.config, self.warnings)
        except ImportError as error:
            self._say_once(
                f"No report of the run is drawn, {error.name} is missing. {install_hint('train')}."
            )
        except OSError as error:
            self._say_once(f"The report of the run cannot be written to {folder}: {error}.")

    def _say_once(self, sentence: str) -> None:
        if sentence not in self.warnings:
            self.warnings.append(sentence)
            warnings.warn(sentence, stacklevel=2)


class Means:
    """Running means of named numbers."""

    def __init__(self) -> None:
        self.steps = 0
        self._sums: dict[str, float] = {}
        self._counts: dict[str, int] = {}

    def add(self, numbers: Mapping[str, float | None]) -> None:
        """Take one step's numbers; those that are None or not finite are skipped."""
        self.steps += 1
        for name, value in numbers.items():
            if not _usable(value):
                continue
            number = float(value)  # type: ignore[arg-type]
            if name in _LAST:
                self._sums[name], self._counts[name] = number, 1
                continue
            if name in _RATES:
                if number <= 0:
                    continue
                number = 1 / number
            self._sums[name] = self._sums.get(name, 0.0) + number
            self._counts[name] = self._counts.get(name, 0) + 1

    def record(self) -> dict[str, float]:
        """Return the mean of each name; the last value, or the rate over all, where that fits."""
        means = {name: total / self._counts[name] for name, total in self._sums.items()}
        return {name: 1 / mean if name in _RATES else mean for name, mean in means.items()}

    def state(self) -> dict[str, Any]:
        """Return plain values that `of` reads."""
        return {"steps": self.steps, "sums": dict(self._sums), "counts": dict(self._counts)}

    @classmethod
    def of(cls, state: Mapping[str, Any]) -> Means:
        """Make it from what `state` gave."""
        means = cls()
        means.steps = int(state["steps"])
        means._sums = dict(state["sums"])
        means._counts = dict(state["counts"])
        return means


def _usable(value: Any) -> bool:
    return isinstance(value, (int, float)) and math.isfinite(value)
