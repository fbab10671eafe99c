"""The calibration as a report."""

from __future__ import annotations

from typing import Any

from molclip.evaluation.calibration.domain_tables import (
    domain_plots,
    domain_results,
    domain_tables,
)
from molclip.evaluation.calibration.label_tables import label_plots, label_results, label_tables
from molclip.evaluation.calibration.level_tables import level_plots, level_results, level_tables
from molclip.evaluation.calibration.run import CalibrationRun
from molclip.evaluation.plots import Plot
from molclip.evaluation.report import Report, Table, versions

_ERROR = (
    "Calibration error: mean distance between observed and stated shares (0 is right); for "
    "percentiles over all stated shares, for the probability over its bins."
)
_RIGHT = (
    "A hit is right when it is the molecule described, or when ChEBI gives it the class or role "
    "asked for, directly or along is_a. What ChEBI does not state counts as wrong, so shares of "
    "right hits are lower bounds."
)


def calibration_report(
    run: CalibrationRun,
    *,
    data: str,
    model: str,
    model_hash: str,
    command: str,
    seed: int,
) -> Report:
    """Return the report.

    Parameters
    ----------
    run
        Result of `evaluate_calibration`.
    data
        What the pairs were read from.
    model, model_hash
        Name or folder, and hash of the weights.
    command
        That reproduces it.
    seed
        As given to `evaluate_calibration`.
    """
    held = run.held_out
    header: dict[str, str | float | None] = {
        "data": data,
        "descriptions": len(held.texts),
        "left out": f"{held.used_for_setting:,} that set levels, {held.not_in_pool:,} of molecules "
        f"that are not among those searched, {held.seen:,} of molecules trained on",
        "searched": f"{run.pool:,} curated molecules of the embedded library",
        "levels set by": run.level_source or None,
        "domain set by": run.domain_source or None,
        "model": model,
        "model hash": model_hash,
        "seed": seed,
        "command": command,
        "versions": versions(),
    }
    tables: list[Table] = []
    plots: list[Plot] = []
    results: dict[str, Any] = {}
    if run.levels is not None:
        tables += level_tables(run.levels)
        plots += level_plots(run.levels)
        results["levels"] = level_results(run.levels)
    if run.labels:
        tables += label_tables(run.labels)
        plots += label_plots(run.labels)
        results["labels"] = label_results(run.labels)
    if run.domain is not None:
        tables += domain_tables(run.domain)
        plots += domain_plots(run.domain)
        results["domain"] = domain_results(run.domain)
    return Report("Calibration", header, tables, results, [_ERROR, _RIGHT, *run.notes], plots)
