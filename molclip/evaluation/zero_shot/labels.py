"""Figures label by label, and which labels the model's training never said."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from molclip.errors import InputError
from molclip.evaluation.zero_shot.evaluate import SetResult
from molclip.evaluation.zero_shot.label_set import ALL, ENSEMBLE, NAME
from molclip.text.withheld import Withheld

UNSEEN = "unseen label, unseen molecule"
SEEN = "seen label, unseen molecule"


@dataclass(frozen=True)
class LabelRow:
    """One label of one set, on all molecules of the set."""

    set: str
    kind: str
    """Kind of label; with the id it names the label in whichever set it stands."""
    id: str
    label: str
    status: str
    """`UNSEEN` or `SEEN`."""
    positives: int
    auroc: Mapping[str, float]
    """By prompt variant or baseline."""
    average_precision: Mapping[str, float]
    enrichment: Mapping[str, float]

    def to_dict(self) -> dict[str, Any]:
        """Return the fields for a report."""
        return {
            "set": self.set,
            "kind": self.kind,
            "id": self.id,
            "label": self.label,
            "status": self.status,
            "positives": self.positives,
            "auroc": dict(self.auroc),
            "average_precision": dict(self.average_precision),
            "enrichment_1pc": dict(self.enrichment),
        }


def label_rows(result: SetResult, withheld: Withheld) -> list[LabelRow]:
    """Return one row for each measured label, in the set's order.

    A label is unseen only when the list beside the model's weights names it: that list was in
    force during training, and training leaves out every text that mentions one of its labels.

    Parameters
    ----------
    result
        One measured set.
    withheld
        `Withheld.beside` the model.
    """
    measured = result.slices.get(ALL, {})
    found: dict[int, dict[str, tuple[float, float, float, int]]] = {}
    for name, part in measured.items():
        figures = part.figures
        for place, column in enumerate(part.columns.tolist()):
            found.setdefault(column, {})[name] = (
                float(figures.auroc[place]),
                float(figures.average_precision[place]),
                float(figures.enrichment[place]),
                int(figures.positives[place]),
            )
    rows = []
    for column in sorted(found):
        label, values = result.label_set.labels[column], found[column]
        kept_back = withheld.find(result.label_set.kind, label.id) is not None
        rows.append(
            LabelRow(
                result.label_set.name,
                result.label_set.kind,
                label.id,
                label.name,
                UNSEEN if kept_back else SEEN,
                next(iter(values.values()))[3],
                {name: value[0] for name, value in values.items()},
                {name: value[1] for name, value in values.items()},
                {name: value[2] for name, value in values.items()},
            )
        )
    return rows


def unseen_summary(rows: Sequence[LabelRow]) -> dict[str, dict[str, Any]]:
    """Return number of labels and macro AUROC of seen and of unseen labels.

    A label is one kind and id, and counts once: a direct class of ChEBI stands again among the
    ancestors, on other right molecules, and is then given the mean of its AUROCs.

    Only the bare name and the sentences around it count: everyday words and written descriptions
    say a withheld label in words that training may know.
    """
    summary: dict[str, dict[str, Any]] = {}
    for status in (SEEN, UNSEEN):
        labels: defaultdict[tuple[str, str], list[LabelRow]] = defaultdict(list)
        for row in rows:
            if row.status == status:
                labels[row.kind, row.id].append(row)
        summary[status] = {"labels": len(labels)}
        for variant in (NAME, ENSEMBLE):
            measured = (
                [row.auroc[variant] for row in same if variant in row.auroc]
                for same in labels.values()
            )
            values = [np.mean(aurocs) for aurocs in measured if aurocs]
            summary[status][variant] = float(np.mean(values)) if values else None
    return summary


def write_labels(rows: Sequence[LabelRow], path: Path) -> None:
    """Write a tab-separated table with one line per label and measured variant.

    Raises
    ------
    molclip.errors.InputError
        When the file cannot be written.
    """
    lines = ["set\tid\tlabel\tstatus\tpositives\tscored by\tauroc\taverage precision\tfirst 1 %"]
    for row in rows:
        for name, auroc in row.auroc.items():
            cells = (row.set, row.id, row.label, row.status, str(row.positives), name)
            figures = (auroc, row.average_precision[name], row.enrichment[name])
            lines.append("\t".join((*cells, *(f"{value:.4f}" for value in figures))))
    try:
        path.write_text("\n".join((*lines, "")), encoding="utf-8")
    except OSError as error:
        raise InputError(f"Cannot write {path}: {error.strerror or error}.") from error
