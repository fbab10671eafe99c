"""The records of a run as one HTML page: warnings, configuration, curves."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from molclip import __version__
from molclip.evaluation.page import html_page
from molclip.evaluation.plots import Plot, curves
from molclip.evaluation.report import Table
from molclip.training.config import TrainingConfig

_EPOCH = "epoch"

_CURVES: tuple[tuple[str, str, dict[str, str]], ...] = (
    (
        "Loss, and the bound on mutual information that it proves",
        "nats",
        {"loss": "loss", "objective_loss": "objective alone", "information_bound": "bound"},
    ),
    ("Own partner first in the batch", "share", {"accuracy": "in-batch accuracy"}),
    (
        "Retrieval on validation text",
        "figure",
        {f"validation {name}": name for name in ("hits@1", "hits@10", "mrr")},
    ),
    ("Temperature", "temperature", {"temperature": "temperature"}),
    ("Weight of the hardest negative", "share", {"hardest_negative": "of the softmax"}),
    ("Effective number of negatives", "negatives", {"effective_negatives": "exp of entropy"}),
    ("Alignment: mean squared distance of partners", "distance²", {"alignment": "alignment"}),
    (
        "Uniformity: the lower, the more evenly spread",
        "log of the mean potential",
        {"uniformity_text": "text", "uniformity_molecule": "molecule"},
    ),
    (
        "Effective rank",
        "dimensions",
        {"effective_rank_text": "text", "effective_rank_molecule": "molecule"},
    ),
    (
        "Share of collapsed dimensions",
        "share",
        {"collapsed_text": "text", "collapsed_molecule": "molecule"},
    ),
    ("Gap between the means of the modalities", "distance", {"modality_gap": "gap"}),
    ("Gradient norm, before clipping", "norm", {"gradient_norm": "norm"}),
    ("Learning rate", "rate", {"learning_rate": "rate"}),
    ("Speed", "pairs/s", {"pairs_per_second": "pairs/s"}),
)
"""Title, unit, and the numbers that share the axes with their names in the legend."""
_MASKED = "masked"


def write_report(
    path: Path,
    records: Sequence[dict[str, Any]],
    config: TrainingConfig,
    warnings: Sequence[str],
) -> None:
    """Write the page, replaced in one move. It needs no network to be read.

    Parameters
    ----------
    path
        File.
    records
        As `History` keeps them.
    config
        The run.
    warnings
        What looked wrong, in order.
    """
    last = records[-1] if records else {}
    header = {
        "run": config.output.name or str(config.output),
        "objective": config.objective.name,
        "epochs": f"{last.get('epoch', 0)} of {config.run.epochs}",
        "steps": f"{last.get('step', 0):,}",
        "warnings": str(len(warnings)),
        "molclip": __version__,
    }
    tables = [Table("What looked wrong", ["warning"], [[text] for text in warnings])]
    appendix = [
        Table("Numbers of the last epoch", ["number", "value"], list(_numbers(last))),
        Table("Configuration", ["key", "value"], list(_settings(config)), left=frozenset({0, 1})),
    ]
    shown = tables if warnings else []
    text = html_page("Training run", header, plots(records), shown, [], appendix)
    part = path.with_name(f"{path.name}.part")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def plots(records: Sequence[dict[str, Any]]) -> list[Plot]:
    """Return a plot for every group of numbers that at least one epoch has."""
    groups = [
        *_CURVES,
        (
            "Share of negatives masked as false",
            "share",
            {
                name: name.removeprefix("masked_")
                for record in records
                for name in record
                if name.startswith(_MASKED)
            },
        ),
    ]
    drawn = []
    for title, unit, names in groups:
        lines: dict[str, tuple[Sequence[float], Sequence[float]]] = {}
        for name, shown in names.items():
            points = [(record[_EPOCH], record[name]) for record in records if name in record]
            if points:
                lines[shown] = ([x for x, _ in points], [y for _, y in points])
        if lines:
            drawn.append(curves(title, lines, _EPOCH, unit))
    return drawn


def _numbers(record: dict[str, Any]) -> Iterator[list[str]]:
    for name, value in record.items():
        if isinstance(value, int):
            yield [name, f"{value:,}"]
        elif isinstance(value, float):
            yield [name, f"{value:.4g}"]


def _settings(config: TrainingConfig) -> Iterator[list[str]]:
    for name, value in flatten(config.model_dump(mode="json")).items():
        shown = str(value)
        # A folder of the machine that trained is of no use to who reads the model.
        yield [name, Path(shown).name if os.sep in shown and name in _PATHS else shown]


_PATHS = frozenset({"output", "data.folder", "data.pairs", "data.validation_pairs"})


def flatten(tree: dict[str, Any], above: str = "") -> dict[str, Any]:
    """Return the leaves of nested tables by dotted key; a list is one leaf, None is left out."""
    leaves: dict[str, Any] = {}
    for key, value in tree.items():
        if isinstance(value, dict):
            leaves |= flatten(value, f"{above}{key}.")
        elif value is not None:
            leaves[above + key] = value
    return leaves
