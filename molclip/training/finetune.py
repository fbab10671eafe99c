"""Fine-tuning: a copy of the molecule encoder learns labels, and is compared with baselines.

Labels of any task are the user's own business: molecules of the ChEBI-20 validation and test
splits are not refused here, as they are in contrastive training.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from molclip.chem.inputs import golden_hash
from molclip.datasets.labels import LabelledMolecules, Task
from molclip.datasets.splits import Split, column_split, random_split, scaffold_split
from molclip.errors import ConfigError, InputError
from molclip.evaluation.label_features import (
    ECFP_NAME,
    Features,
    Prepared,
    Progress,
    ecfp_matrix,
    prepare,
)
from molclip.evaluation.label_scores import Scores, task_scores
from molclip.evaluation.linear_models import (
    Fit,
    Matrix,
    Sets,
    check_installed,
    fit_constant,
    fit_linear,
)
from molclip.models.molecule_encoder import MoleculeEncoder
from molclip.training.fine_tuned import FineTuned, FineTunedConfig, SavedTask
from molclip.training.label_network import FloatArray, LabelNetwork, scales
from molclip.training.label_training import FineTuneSettings, IntArray, LabelTraining, Report

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP

FINE_TUNED, LINEAR, CONSTANT = "fine-tuned", f"{ECFP_NAME}, linear", "majority or mean"
SCAFFOLD, RANDOM = "scaffold", "random"
FEWEST = 10
"""Labelled molecules below which nothing can be split and learned."""


@dataclass
class FineTuneResult:
    """A fine-tuned model, and how it does."""

    model: FineTuned
    data: LabelledMolecules
    prepared: Prepared
    split: Split
    """Of rows of `data`; rows without a structure or any label are in no set."""
    split_kind: str
    settings: FineTuneSettings
    scores: dict[str, list[Scores]]
    """Model to the figures of each task on the test set."""
    chosen: list[str]
    """Setting of the linear baseline for each task."""
    history: list[dict[str, float]]
    best_epoch: int


def fine_tune(
    model: MolCLIP,
    data: LabelledMolecules,
    settings: FineTuneSettings | None = None,
    *,
    split: str = SCAFFOLD,
    standardise: str = "none",
    workers: int | None = None,
    report: Report | None = None,
    progress: Progress | None = None,
    log: Path | None = None,
) -> FineTuneResult:
    """Fine-tune a copy of a model's molecule encoder on labels.

    The weights kept are those of the epoch with the best validation figure: the mean over the
    tasks of the ROC-AUC, or of the negative RMSE in standard deviations. The test set is looked at
    once, at the end. Baselines on the same sets: what is most likely without looking at the
    molecule, and logistic or ridge regression on count fingerprints, its setting chosen on
    validation.

    Parameters
    ----------
    model
        Whose encoder is copied, of an ensemble that of the first member; it is not changed itself.
    data
        Molecules and labels. Rows without any label are not trained on.
    settings
        Defaults of `FineTuneSettings` when left out.
    split
        `scaffold` or `random` (80/10/10), or the title of the column that `data.split` holds.
    standardise, workers, progress
        As in `label_features.prepare`; the profile is kept with the model.
    report
        Called after each epoch with its numbers.
    log
        File that gets a line of JSON for each epoch.

    Raises
    ------
    InputError
        When too few molecules can be used, a set stays empty, or scikit-learn is not installed.
    ConfigError
        For a device that is not there, or when the loss is no finite number.
    """
    settings = settings or FineTuneSettings()
    check_installed()
    device = _device(settings.device)
    # Of an ensemble the first member: all of them would take as many times as long.
    model = model.member()
    base = model.network.molecule
    assert isinstance(base, MoleculeEncoder)
    prepared = prepare(
        data.records, base.kind, standardise=standardise, workers=workers, progress=progress
    )
    used = _labelled(data, prepared)
    rows = prepared.take(used)
    labels = data.labels[used]
    local = _split(data, used, rows, split, settings.seed)
    _check_labels(data, labels[local.train])
    # The caller's random numbers are not disturbed.
    with torch.random.fork_rng():
        torch.manual_seed(settings.seed)
        network = LabelNetwork(
            copy.deepcopy(base),
            data.tasks,
            *scales(data.tasks, labels[local.train]),
            dropout=settings.dropout,
        )
        training = LabelTraining(
            network.to(device),
            [row.input for row in rows],
            labels,
            local.train,
            local.validation,
            settings,
        )
        history, best = training.run(report, log)
    tuned = FineTuned(_config(model, data.tasks, standardise), network.cpu())
    scores, chosen = _compare(tuned, data.tasks, rows, labels, local)
    whole = Split(*(used[part] for part in (local.train, local.validation, local.test)))
    return FineTuneResult(
        tuned, data, prepared, whole, split, settings, scores, chosen, history, best
    )


def _labelled(data: LabelledMolecules, prepared: Prepared) -> IntArray:
    """Rows with a structure and at least one label."""
    valid = prepared.valid
    used = valid[~np.isnan(data.labels[valid]).all(axis=1)]
    if len(used) < FEWEST:
        raise InputError(
            f"{data.name}: {len(used)} molecules have a structure and a label.",
            f"Fine-tuning needs at least {FEWEST}.",
        )
    return used


def _split(
    data: LabelledMolecules, used: IntArray, rows: Sequence[Features], kind: str, seed: int
) -> Split:
    """Split of places in `used`."""
    if kind == SCAFFOLD:
        return scaffold_split([row.scaffold for row in rows], seed)
    if kind == RANDOM:
        return random_split(len(used), seed)
    if data.split is None:
        raise InputError(
            f"There is no split {kind!r}.",
            "Use scaffold, random, or the title of a column that was read with the labels.",
        )
    return column_split([data.split[row] for row in used.tolist()], kind)


def _check_labels(data: LabelledMolecules, labels: FloatArray) -> None:
    for number, task in enumerate(data.tasks):
        if np.isnan(labels[:, number]).all():
            raise InputError(
                f"{data.name}: no molecule of the training set has a label in {task.name!r}.",
                "Leave the column out, or use another split.",
            )


def _config(model: MolCLIP, tasks: Sequence[Task], standardise: str) -> FineTunedConfig:
    import rdkit

    return FineTunedConfig(
        tasks=[SavedTask(name=t.name, kind=t.kind, classes=list(t.classes)) for t in tasks],
        molecule=model.config.molecule,
        dimension=model.config.dimension,
        standardise=standardise,
        base_hash=model.model_hash,
        golden_features=golden_hash(model.network.molecule.kind),
        rdkit_version=rdkit.__version__,
    )


def _compare(
    tuned: FineTuned,
    tasks: Sequence[Task],
    rows: Sequence[Features],
    labels: FloatArray,
    split: Split,
) -> tuple[dict[str, list[Scores]], list[str]]:
    """Figures of all models on the test set, task by task."""
    test = [rows[place] for place in split.test.tolist()]
    answers = tuned.predict_inputs([row.input for row in test])
    matrix = ecfp_matrix(rows)
    scores: dict[str, list[Scores]] = {FINE_TUNED: [], LINEAR: [], CONSTANT: []}
    chosen = []
    for number, task in enumerate(tasks):
        truth = labels[split.test, number]
        scores[FINE_TUNED].append(task_scores(task, truth, answers[number]))
        for name, fit in ((LINEAR, fit_linear), (CONSTANT, fit_constant)):
            predicted, setting = _fitted(fit, matrix, labels[:, number], task, split)
            scores[name].append(task_scores(task, truth, predicted))
            if name == LINEAR:
                chosen.append(setting)
    return scores, chosen


def _fitted(
    fit: Fit, matrix: Matrix, labels: Any, task: Task, split: Split
) -> tuple[FloatArray, str]:
    """Answers of a baseline for the whole test set, and its setting."""
    known = ~np.isnan(labels)
    train, validation = (part[known[part]] for part in (split.train, split.validation))
    fitted = fit(
        Sets(task, (matrix[train], labels[train]), (matrix[validation], labels[validation]))
    )
    return fitted.predict(matrix[split.test]), fitted.setting


def _device(wanted: str) -> torch.device:
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    try:
        device = torch.device(wanted)
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:
        raise ConfigError(
            f"The device {wanted!r} cannot be used: {str(error).splitlines()[0]}.",
            "Use auto or cpu.",
        ) from error
    return device
