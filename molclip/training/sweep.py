"""Runs of a sweep, one after the other: restartable, and one that fails does not stop the others.

Each run leaves `run.json` beside its history and model: status, what it changed, seconds, pairs
per second, peak memory and, where it failed, the error.
"""

from __future__ import annotations

import contextlib
import gc
import hashlib
import json
import os
import shutil
import statistics
import time
import traceback
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import ConfigError, MolclipError
from molclip.training.config import PASSING, TrainingConfig
from molclip.training.history_log import LOG, read_log
from molclip.training.memory import PeakMemory
from molclip.training.sweep_plan import Sweep, SweepRun

if TYPE_CHECKING:
    from molclip.training.pairs import Pairs

Report = Callable[[dict[str, float]], None]
Watch = Callable[[SweepRun], AbstractContextManager[Report]]
"""Opened around each run; gives what is called with the numbers of its steps."""

RECORD = "run.json"
FINISHED, FAILED, RUNNING = "finished", "failed", "running"
_SAVE_EVERY = 30.0
"""Seconds of a run that a kill can make its record forget."""
_TOKENIZER = ("tokenizer.json", "tokenizer_config.json")
"""What a run keeps of the tokenizer it learned."""


@dataclass
class RunRecord:
    """What is known of one run."""

    name: str
    changes: dict[str, Any]
    settings: str
    """Hash of the configuration, without the folder."""
    status: str = RUNNING
    seconds: float = 0.0
    """Of the run itself, over all its starts; loading the data is not counted."""
    pairs_per_second: float | None = None
    """Median over the steps of the last start."""
    peak_memory: int | None = None
    """Bytes: allocated on the GPU where there is one, else resident, shared data included."""
    error: str | None = None
    details: str | None = None
    """Traceback of an error that is none of molclip's own."""
    history: list[dict[str, Any]] = field(default_factory=list)
    """One entry per epoch; kept in `history.jsonl`, not in `run.json`."""


def run_sweep(sweep: Sweep, watch: Watch | None = None) -> list[RunRecord]:
    """Run what is left of a sweep.

    Finished runs are skipped, a run that was killed goes on from its checkpoint, a run that failed
    is tried again. Molecules and features are loaded once for all runs with the same data.

    Parameters
    ----------
    sweep
        See `load_sweep`.
    watch
        See `Watch`.

    Returns
    -------
    list of RunRecord
        In the order of `sweep.runs`.

    Raises
    ------
    ConfigError
        Under a launcher with several processes, for a folder that holds a run with other settings,
        or one that cannot be written to.
    """
    if int(os.environ.get("WORLD_SIZE", "1")) > 1:
        raise ConfigError(
            "A sweep runs in one process.", "Start it without torchrun or accelerate launch."
        )
    records = [_known_record(run) for run in sweep.runs]
    data = _SharedData(sweep.output / ".cache")
    for run, record in zip(sweep.runs, records, strict=True):
        if record.status != FINISHED:
            # Each run in a context of its own, or a warning that the last one gave too is not
            # shown again.
            with (
                watch(run) if watch else contextlib.nullcontext() as report,
                warnings.catch_warnings(),
            ):
                _run(run, record, data, report)
            gc.collect()
        data.keep_tokenizer(run)
        record.history = read_log(run.folder / LOG)
    return records


class _SharedData:
    """The pairs of the last run, for the next if it has the same data, and tokenizers."""

    def __init__(self, cache: Path) -> None:
        self._tokenizers: dict[str, Path] = {}
        self.cache = Path(os.environ.get("MOLCLIP_CACHE") or cache)
        self._key = ""
        self._pairs: Pairs | None = None

    def lend_tokenizer(self, run: SweepRun) -> None:
        """Give a new run the tokenizer that an earlier one learned from the same captions."""
        lender = self._tokenizers.get(_tokenizer_key(run.config))
        if lender is None or (run.folder / _TOKENIZER[0]).is_file():
            return
        for name in _TOKENIZER:
            if (lender / name).is_file():
                shutil.copyfile(lender / name, run.folder / name)

    def keep_tokenizer(self, run: SweepRun) -> None:
        """Remember where a finished run keeps the tokenizer it learned."""
        if (run.folder / _TOKENIZER[0]).is_file():
            self._tokenizers.setdefault(_tokenizer_key(run.config), run.folder)

    def pairs(self, config: TrainingConfig, report: Report | None) -> Pairs:
        from molclip.training.pairs import load_pairs

        key = config.model_dump_json(include={"data", "captions"})
        if self._pairs is None or key != self._key:
            self._pairs = None  # freed before the next are loaded

            def progress(done: int, total: int) -> None:
                if report is not None:
                    report({"features": done, "of": total})

            self._pairs, self._key = load_pairs(config, self.cache, progress), key
        return self._pairs


class _Meter:
    """Hands the numbers of steps on, and keeps the record on disk up to date."""

    def __init__(self, run: SweepRun, record: RunRecord, report: Report | None) -> None:
        self.run, self.record, self.report = run, record, report
        self.before = record.seconds
        self.started = self.saved = time.monotonic()
        self.speeds: list[float] = []

    def __call__(self, numbers: dict[str, float]) -> None:
        if "pairs_per_second" in numbers:
            self.speeds.append(float(numbers["pairs_per_second"]))
        if time.monotonic() - self.saved > _SAVE_EVERY:
            self.note()
        if self.report is not None:
            self.report(numbers)

    def note(self) -> None:
        self.saved = time.monotonic()
        self.record.seconds = self.before + self.saved - self.started
        if self.speeds:
            self.record.pairs_per_second = statistics.median(self.speeds)
        _write(self.run, self.record)


def _run(run: SweepRun, record: RunRecord, data: _SharedData, report: Report | None) -> None:
    from molclip.training.run import run_training

    record.status, record.error, record.details = RUNNING, None, None
    _write(run, record)
    meter: _Meter | None = None
    memory = PeakMemory()
    try:
        pairs = data.pairs(run.config, report)
        data.lend_tokenizer(run)
        meter = _Meter(run, record, report)
        with memory:
            run_training(run.config, meter, pairs)
        record.status = FINISHED
    except MolclipError as error:
        record.status, record.error = FAILED, str(error)
    except Exception as error:  # whatever it is, the other runs are not to suffer
        first = (str(error).splitlines() or [""])[0]
        record.status, record.error = FAILED, f"{type(error).__name__}: {first}"
        record.details = traceback.format_exc()
    record.peak_memory = max(filter(None, (record.peak_memory, memory.peak)), default=None)
    if meter is not None:
        meter.note()
    else:
        _write(run, record)


def _known_record(run: SweepRun) -> RunRecord:
    """The record on disk, or a new one."""
    settings = _settings_key(run.config)
    path = run.folder / RECORD
    fresh = RunRecord(run.name, dict(run.changes), settings, status="")
    if not path.is_file():
        return fresh
    try:
        stored = RunRecord(**json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, TypeError):
        raise ConfigError(
            f"{path} is damaged.", f"Remove {run.folder} to run {run.name!r} again."
        ) from None
    if stored.settings == settings:
        return stored
    if stored.status == FINISHED or (run.folder / "checkpoint.pt").is_file():
        raise ConfigError(
            f"{run.folder} holds run {run.name!r} with other settings.",
            "Choose another output folder for the sweep, or remove that of the run.",
        )
    return fresh  # it failed before its first checkpoint: mended settings may take its place


def _tokenizer_key(config: TrainingConfig) -> str:
    """Everything that shapes a learned tokenizer."""
    text = config.model.text
    parts = [
        config.init_from,
        config.model_dump_json(include={"data", "captions"}),
        config.run.seed,
        config.model.vocabulary,
        text.get("pretrained"),
        text.get("max_tokens"),
    ]
    return json.dumps(parts)


def _settings_key(config: TrainingConfig) -> str:
    """Hash of everything that shapes a run's result."""
    lasting = config.model_dump(mode="json", exclude={"output": True, "run": set(PASSING)})
    return hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).hexdigest()[:16]


def _write(run: SweepRun, record: RunRecord) -> None:
    stored = {key: value for key, value in asdict(record).items() if key != "history"}
    try:
        run.folder.mkdir(parents=True, exist_ok=True)
        part = run.folder / f"{RECORD}.part"
        part.write_text(json.dumps(stored, indent=2) + "\n", encoding="utf-8")
        part.replace(run.folder / RECORD)
    except OSError as error:
        raise ConfigError(
            f"{run.folder} cannot be written to: {error.strerror}.",
            "Free some space or name another output folder; the sweep goes on where it stopped.",
        ) from error
