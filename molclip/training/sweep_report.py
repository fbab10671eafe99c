"""Runs of a sweep side by side: a report, and one row per run as Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from molclip.evaluation.plots import curves
from molclip.evaluation.report import Report, Table, versions
from molclip.training.sweep import FAILED, FINISHED, RunRecord
from molclip.training.sweep_plan import Sweep

CHOSEN_BY = "validation mrr"
"""Figure whose highest value makes the best epoch; the lowest loss where a run has none."""
_CURVES = ("loss", "validation hits@1", "validation mrr")
_FIGURES = {"loss": "loss", "validation hits@1": "hits@1", "validation mrr": "MRR"}
_VECTORS = {
    "alignment": "align\nment",
    "uniformity_text": "unif.\ntext",
    "uniformity_molecule": "unif.\nmol.",
    "effective_rank_text": "rank\ntext",
    "effective_rank_molecule": "rank\nmol.",
    "collapsed_text": "coll.\ntext",
    "collapsed_molecule": "coll.\nmol.",
    "modality_gap": "gap",
}
# Keys that may be an axis, but then break "the same seed, data and budget".
_HELD_EQUAL = ("data", "captions", "run.seed", "run.epochs", "run.max_steps", "run.batch_size")


def sweep_report(sweep: Sweep, records: Sequence[RunRecord], command: str) -> Report:
    """The comparison of all runs.

    Parameters
    ----------
    sweep, records
        What was asked for, and what `run_sweep` gave, in the same order.
    command
        The command line that reproduces the report.
    """
    shown = [name for name in _CURVES if any(_has(record, name) for record in records)]
    tables = [_runs(records, shown)]
    vectors = [name for name in _VECTORS if any(_has(record, name) for record in records)]
    if vectors:
        tables.append(
            Table(
                "Vectors after the last epoch",
                ["run", *(_VECTORS[name] for name in vectors)],
                [[record.name, *_last_cells(record, vectors)] for record in records],
            )
        )
    failed = [record for record in records if record.status == FAILED]
    notes = [f"{record.name} failed: {record.error}" for record in failed]
    varied = sorted({key for run in sweep.runs for key in run.changes if _is_held_equal(key)})
    if varied:
        notes.append(f"Runs differ in {', '.join(varied)}: compare with care.")
    notes += [_trouble(record) for record in records if _warnings(record)]
    if any(
        key.startswith(("objective.", "negatives.")) for run in sweep.runs for key in run.changes
    ):
        notes.append("Losses of different objectives and negatives are not comparable.")
    if any(_has(record, CHOSEN_BY) for record in records):
        notes.append(
            f"The best epoch is the one with the highest {CHOSEN_BY}; a figure chosen so is "
            "flattered by the choice, more the more epochs there are."
        )
    base = sweep.base
    header: dict[str, str | float | None] = {
        "sweep": str(sweep.file),
        "mode": sweep.mode,
        "runs": f"{len(records)}: {_count(records, FINISHED)} finished, {len(failed)} failed",
        "seed": base.run.seed,
        "budget": _budget(sweep),
        "data": str(base.data.pairs or base.data.folder or "MOLCLIP_DATA"),
        "memory": "peak of each run: allocated on the GPU, else resident with shared data",
        "command": command,
        "versions": versions(),
    }
    plots = [
        curves(
            name,
            {
                record.name: (
                    [
                        entry["epoch"]
                        for entry in record.history
                        if _number(entry, name) is not None
                    ],
                    [entry[name] for entry in record.history if _number(entry, name) is not None],
                )
                for record in records
                if _has(record, name)
            },
            "epoch",
            name,
        )
        for name in shown
    ]
    results = {
        "runs": [{**run_row(record), "warning texts": _warnings(record)} for record in records]
    }
    return Report("Sweep", header, tables, results, notes, plots)


def run_row(record: RunRecord) -> dict[str, Any]:
    """One run as a flat row: what it is, what it cost, `last …` and `best …` figures."""
    best = best_epoch(record.history)
    return {
        "run": record.name,
        "status": record.status,
        "error": record.error,
        **{f"set {key}": value for key, value in record.changes.items()},
        "epochs": len(record.history),
        "seconds": round(record.seconds, 1),
        "pairs per second": record.pairs_per_second,
        "peak memory": record.peak_memory,
        "warnings": len(_warnings(record)),
        "best epoch": None if best is None else best["epoch"],
        **{f"last {name}": value for name, value in last_figures(record.history).items()},
        **{f"best {name}": value for name, value in _figures(best or {}).items()},
    }


def last_figures(history: Sequence[dict[str, Any]]) -> dict[str, float]:
    """Each figure as it was last measured: not every epoch is evaluated."""
    figures: dict[str, float] = {}
    for entry in history:
        figures.update(_figures(entry))
    return figures


def best_epoch(history: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The entry with the highest validation MRR, else the lowest loss; the earliest on a tie."""
    measured = [entry for entry in history if _number(entry, CHOSEN_BY) is not None]
    if measured:
        return max(measured, key=lambda entry: float(entry[CHOSEN_BY]))
    measured = [entry for entry in history if _number(entry, "loss") is not None]
    return min(measured, key=lambda entry: float(entry["loss"]), default=None)


def write_parquet(records: Sequence[RunRecord], path: Path) -> None:
    """One row per run with the columns of `run_row`; what a run was set to stands as text."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [run_row(record) for record in records]
    names = list(dict.fromkeys(name for row in rows for name in row))
    columns: dict[str, list[Any]] = {name: [row.get(name) for row in rows] for name in names}
    for name, values in columns.items():
        if name.startswith("set "):
            # Values of one key may be of several types, which one column cannot hold.
            columns[name] = [
                value if value is None or isinstance(value, str) else json.dumps(value)
                for value in values
            ]
    pq.write_table(pa.table(columns), path)


def _runs(records: Sequence[RunRecord], shown: Sequence[str]) -> Table:
    """Last figures, the best of what epochs are chosen by, and what the run cost."""
    best = _FIGURES[CHOSEN_BY if CHOSEN_BY in shown else "loss"]
    columns = [
        *(_FIGURES[name] for name in shown),
        f"best\n{best}",
        "epoch",
        "pairs/s",
        "GiB",
        "time",
    ]
    title = "Runs (figures of the last epoch; hits@1 and MRR on validation)"
    return Table(title, ["run", *columns], [_cells(record, shown) for record in records])


def _cells(record: RunRecord, shown: Sequence[str]) -> list[str]:
    last = _last_cells(record, shown)
    if record.status != FINISHED:
        last = [record.status, *([""] * (len(shown) - 1))] if shown else []
    best = best_epoch(record.history) or {}
    chosen = _number(best, CHOSEN_BY if CHOSEN_BY in shown else "loss")
    at = f"{best['epoch']:g}/{len(record.history)}" if best else ""
    speed = f"{record.pairs_per_second:,.0f}" if record.pairs_per_second else ""
    memory = f"{record.peak_memory / 2**30:.2f}" if record.peak_memory else ""
    return [record.name, *last, _shown(chosen), at, speed, memory, _time(record.seconds)]


def _last_cells(record: RunRecord, names: Sequence[str]) -> list[str]:
    last = last_figures(record.history)
    return [_shown(last.get(name)) for name in names]


def _warnings(record: RunRecord) -> list[str]:
    """What a run was warned of, each sentence once."""
    found = (text for entry in record.history for text in entry.get("warnings", []))
    return list(dict.fromkeys(found))


def _trouble(record: RunRecord) -> str:
    first, *more = _warnings(record)
    return f"{record.name}: {first}" + (f" ({len(more)} more warnings.)" if more else "")


def _shown(value: float | None) -> str:
    return "" if value is None else f"{value:.3f}"


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes // 60}:{minutes % 60:02d}:{rest:02d}"


def _budget(sweep: Sweep) -> str:
    run = sweep.base.run
    steps = f", at most {run.max_steps:,} steps" if run.max_steps else ""
    return f"{run.epochs} epochs of batches of {run.batch_size:,}{steps}"


def _is_held_equal(key: str) -> bool:
    return key in _HELD_EQUAL or key.partition(".")[0] in _HELD_EQUAL


def _count(records: Sequence[RunRecord], status: str) -> int:
    return sum(record.status == status for record in records)


def _has(record: RunRecord, name: str) -> bool:
    return any(_number(entry, name) is not None for entry in record.history)


def _number(entry: dict[str, Any], name: str) -> float | None:
    value = entry.get(name)
    return float(value) if isinstance(value, int | float) else None


def _figures(entry: dict[str, Any]) -> dict[str, float]:
    return {
        name: float(value)
        for name, value in entry.items()
        if name not in ("epoch", "step") and isinstance(value, int | float)
    }
