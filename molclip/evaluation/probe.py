"""What frozen features know: simple models on them, on labels the encoder was never shown.

A linear probe (logistic or ridge regression) and nearest neighbours on the features before and
after the projection head, beside the same models on count fingerprints, over scaffold splits with
several seeds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import TYPE_CHECKING, Any

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.datasets.labels import LabelledMolecules, Task
from molclip.datasets.splits import Split, scaffold_split
from molclip.errors import InputError
from molclip.evaluation.label_features import (
    ECFP_NAME,
    Features,
    Progress,
    ecfp_matrix,
    frozen_features,
    prepare,
)
from molclip.evaluation.label_scores import Scores, figure_names, mean_scores, task_scores
from molclip.evaluation.linear_models import (
    Fit,
    Matrix,
    Sets,
    check_installed,
    fit_linear,
    fit_neighbours,
)

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP

BEFORE, AFTER = "before the head", "after the head"
METHODS: dict[str, Fit] = {"linear": fit_linear, "kNN": fit_neighbours}
SEEDS = (0, 1, 2)
FEWEST = 30
"""Molecules below which no figure means anything."""


@dataclass
class ProbeRow:
    """One model on one kind of features."""

    features: str
    width: int
    method: str
    seeds: dict[int, list[Scores]] = field(default_factory=dict)
    """Seed to the figures of each task on the test set."""
    settings: dict[int, list[str]] = field(default_factory=dict)

    def mean(self, name: str) -> tuple[float, float | None] | None:
        """Mean over the seeds of the mean over the tasks, and the standard deviation over seeds.

        None where no seed has the figure; no deviation for a single seed.
        """
        values = [
            value
            for scores in self.seeds.values()
            if (value := mean_scores(scores, [name])[name]) is not None
        ]
        if not values:
            return None
        return fmean(values), stdev(values) if len(values) > 1 else None


@dataclass
class ProbeResult:
    """All rows on one data set."""

    name: str
    tasks: tuple[Task, ...]
    rows: list[ProbeRow]
    molecules: int
    """That could be used: valid, with at least one label."""
    unlabelled: int
    failures: list[ParseFailure]
    """Rows left out, and label cells left out, each with its reason."""
    splits: dict[int, Split]
    seen: int | None
    """Molecules the encoder was trained on with texts; None where the model has no list."""

    @property
    def figures(self) -> tuple[str, ...]:
        """Names of the figures its tasks have."""
        return figure_names(self.tasks)


def probe(
    model: MolCLIP,
    data: LabelledMolecules,
    *,
    seeds: Sequence[int] = SEEDS,
    standardise: str = "none",
    workers: int | None = None,
    progress: Progress | None = None,
) -> ProbeResult:
    """Fit simple models on frozen features of labelled molecules, for several scaffold splits.

    Settings (C, penalty, k) are chosen on the validation set of each split, task by task; figures
    are of the test set. Molecules that cannot be read are left out and counted. A task that a
    figure is not defined for in a split (one class in the test set) is left out of its mean.

    Parameters
    ----------
    model
        Its encoder is not changed.
    data
        Molecules and labels.
    seeds
        Of the splits.
    standardise, workers, progress
        As in `label_features.prepare`.

    Raises
    ------
    InputError
        When fewer than `FEWEST` molecules can be used, a split leaves a set empty, or scikit-learn
        is not installed.
    """
    check_installed()
    encoder = model.network.molecule
    prepared = prepare(
        data.records,
        encoder.kind,
        standardise=standardise,
        workers=workers,
        progress=progress,
    )
    valid = prepared.valid
    used = valid[~np.isnan(data.labels[valid]).all(axis=1)]
    if len(used) < FEWEST:
        raise InputError(
            f"{data.name}: {len(used)} molecules have a structure and a label.",
            f"A probe needs at least {FEWEST}.",
        )
    molecules = prepared.take(used)
    before, after = frozen_features(encoder, molecules, model.device, progress)
    matrices: dict[str, Matrix] = {
        BEFORE: before,
        AFTER: after,
        ECFP_NAME: ecfp_matrix(molecules),
    }
    splits = {seed: scaffold_split([m.scaffold for m in molecules], seed) for seed in seeds}
    rows = [
        ProbeRow(name, matrix.shape[1], method)
        for name, matrix in matrices.items()
        for method in METHODS
    ]
    done, fits = 0, len(rows) * len(splits) * len(data.tasks)
    for row in rows:
        for seed, split in splits.items():
            scores, settings = [], []
            for place, task in enumerate(data.tasks):
                labels = data.labels[used, place]
                score, setting = _fit(matrices[row.features], labels, task, split, row.method)
                scores.append(score)
                settings.append(setting)
                if progress is not None:
                    done += 1
                    progress("fits", done, fits)
            row.seeds[seed], row.settings[seed] = scores, settings
    return ProbeResult(
        data.name,
        data.tasks,
        rows,
        len(used),
        len(valid) - len(used),
        [*prepared.failures, *data.problems],
        splits,
        _seen(model, molecules),
    )


def _fit(matrix: Matrix, labels: Any, task: Task, split: Split, method: str) -> tuple[Scores, str]:
    """Figures on the test set, and the setting chosen; empty where training has no label."""
    known = ~np.isnan(labels)
    train, validation, test = (
        rows[known[rows]] for rows in (split.train, split.validation, split.test)
    )
    if not len(train):
        return {}, "no labels"
    fitted = METHODS[method](
        Sets(task, (matrix[train], labels[train]), (matrix[validation], labels[validation]))
    )
    return task_scores(task, labels[test], fitted.predict(matrix[test])), fitted.setting


def _seen(model: MolCLIP, molecules: Sequence[Features]) -> int | None:
    from molclip.search.seen import SeenMolecules

    seen = SeenMolecules.beside(model.folder)
    if seen is None:
        return None
    return sum(row.molecule.inchikey in seen for row in molecules)
