"""Scores of a model on one label set, beside what training labels would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
import numpy.typing as npt

from molclip.evaluation.feature_table import FeatureTable
from molclip.evaluation.zero_shot.baselines import reference_scores
from molclip.evaluation.zero_shot.label_set import ALL, ENSEMBLE, NAME, LabelSet
from molclip.evaluation.zero_shot.scores import (
    LabelFigures,
    Macro,
    label_figures,
    macro,
    mean_over_labels,
    percentile_interval,
    resample,
    top_k,
    weighted_figures,
)

Float32 = npt.NDArray[np.float32]
Progress = Callable[[str, int, int | None], None]


class TextEncoder(Protocol):
    """What is needed of a model beside the vectors of the molecules."""

    def encode_text(self, texts: Sequence[str]) -> Float32:
        """Return unit vectors, (N, D)."""


@dataclass(frozen=True)
class Measured:
    """Figures of one way of scoring, on one slice of the molecules.

    The labels are those that the slice has enough of and the way of scoring can say anything about.
    """

    columns: npt.NDArray[np.int64]
    """Which labels of the set, (K,)."""
    figures: LabelFigures
    macro: Macro
    top: Mapping[str, float] = field(default_factory=dict)
    name_alone: float | None = None
    """Macro AUROC of the bare name on these same labels, where they are fewer than its own."""


@dataclass(frozen=True)
class SetResult:
    """One label set, measured."""

    label_set: LabelSet
    slices: Mapping[str, Mapping[str, Measured]]
    """By slice, then by prompt variant or baseline."""
    templates: Mapping[str, float]
    """Macro AUROC of each template of the ensemble alone, on all molecules."""
    gain: tuple[float, float, float] | None
    """Macro AUROC of the ensemble less that of the bare name, with its 95 % interval."""
    molecules: Mapping[str, int]
    """Molecules in each slice."""

    @property
    def all(self) -> Mapping[str, Measured]:
        """What was measured on all molecules."""
        return self.slices[ALL]


def evaluate_set(
    model: TextEncoder,
    label_set: LabelSet,
    vectors: Float32,
    *,
    background: Float32 | None = None,
    features: Callable[[Sequence[str]], FeatureTable] | None = None,
    progress: Progress | None = None,
    seed: int = 0,
) -> SetResult:
    """Measure one label set.

    Parameters
    ----------
    model
        Embeds the prompts.
    label_set
        Labels, molecules and truth.
    vectors
        Unit vectors of the set's molecules, (N, D), no NaN.
    background
        Unit vectors of other molecules. With them top-k is also counted after each label's scores
        are centred and scaled by its scores for these molecules, for labels differ in how high
        they score for any molecule.
    features
        Feature rows of SMILES, for the baselines; None leaves them out.
    progress
        Told what is being done.
    seed
        Of the bootstrap and the baselines.
    """
    progress = progress or (lambda *_: None)
    prompts = _PromptScores(model, label_set, vectors, background)
    scored: dict[str, tuple[npt.NDArray[np.int64], Float32]] = {}
    for variant in label_set.variants:
        scored[variant] = prompts.scores(variant)
    if features is not None:
        columns = label_set.measurable(label_set.rows(ALL))
        made = reference_scores(
            features(label_set.smiles),
            label_set.truth[:, columns],
            features(label_set.training_smiles),
            label_set.training_truth[:, columns],
            (label_set.name, *label_set.smiles, *label_set.training_smiles),
            progress,
            seed,
        )
        scored.update({name: (columns, scores) for name, scores in made.items()})
    slices: dict[str, dict[str, Measured]] = {}
    counts: dict[str, int] = {}
    for chosen in (ALL, *label_set.slices):
        rows = label_set.rows(chosen)
        wanted = label_set.measurable(rows)
        counts[chosen] = len(rows)
        if not len(wanted):
            continue
        weights = resample(len(rows), seed=seed)
        slices[chosen] = {}
        for done, (name, (columns, scores)) in enumerate(scored.items()):
            progress(f"{label_set.name}, figures", done, len(scored))
            both, places, _ = np.intersect1d(columns, wanted, return_indices=True)
            if len(both):
                truth, part = label_set.truth[np.ix_(rows, both)], scores[np.ix_(rows, places)]
                figures = label_figures(truth, part)
                slices[chosen][name] = Measured(
                    both,
                    figures,
                    macro(truth, part, figures, weights),
                    prompts.top(name, rows),
                    _name_alone(slices[chosen], both),
                )
    alone, gain = _templates(prompts, label_set, seed)
    return SetResult(label_set, slices, alone, gain, counts)


def _name_alone(measured: Mapping[str, Measured], columns: npt.NDArray[np.int64]) -> float | None:
    named = measured.get(NAME)
    if named is None or len(named.columns) == len(columns):
        return None
    return float(named.figures.auroc[np.searchsorted(named.columns, columns)].mean())


class _PromptScores:
    """Scores of labels under each prompt variant."""

    def __init__(
        self,
        model: TextEncoder,
        label_set: LabelSet,
        vectors: Float32,
        background: Float32 | None,
    ) -> None:
        texts = [
            text for label in label_set.labels for said in label.prompts.values() for text in said
        ]
        unique = list(dict.fromkeys(texts))
        self._place = {text: row for row, text in enumerate(unique)}
        self._texts = model.encode_text(unique)
        self._set, self._vectors, self._background = label_set, vectors, background

    def labels(
        self, variant: str, only: int | None = None
    ) -> tuple[npt.NDArray[np.int64], Float32]:
        """Labels that have this variant, and their unit vectors; `only`: one of its sentences."""
        columns, means = [], []
        for column, label in enumerate(self._set.labels):
            said = label.prompts.get(variant, ())
            said = said if only is None else said[only : only + 1]
            if said:
                mean = self._texts[[self._place[text] for text in said]].mean(axis=0)
                columns.append(column)
                means.append(mean / np.linalg.norm(mean))
        dimension = self._texts.shape[1]
        return np.array(columns, dtype=np.int64), np.array(means, np.float32).reshape(-1, dimension)

    def scores(
        self, variant: str, only: int | None = None
    ) -> tuple[npt.NDArray[np.int64], Float32]:
        """Labels that have this variant, and the molecules' cosines with them, (N, K)."""
        columns, vectors = self.labels(variant, only)
        return columns, self._vectors @ vectors.T

    def top(self, variant: str, rows: npt.NDArray[np.int64]) -> dict[str, float]:
        """Top-k over every label of an exclusive set; empty for others and for baselines."""
        if not self._set.exclusive or variant not in self._set.variants:
            return {}
        columns, vectors = self.labels(variant)
        truth = self._set.truth[np.ix_(rows, columns)]
        scores = self._vectors[rows] @ vectors.T
        found = dict(top_k(truth, scores))
        if self._background is not None:
            usual = self._background @ vectors.T
            scaled = (scores - usual.mean(axis=0)) / usual.std(axis=0)
            found |= {f"{name}_scaled": value for name, value in top_k(truth, scaled).items()}
        return found


def _templates(
    prompts: _PromptScores, label_set: LabelSet, seed: int
) -> tuple[dict[str, float], tuple[float, float, float] | None]:
    """Each template alone, and what the ensemble gains over the bare name."""
    rows = label_set.rows(ALL)
    wanted = label_set.measurable(rows)
    if not len(wanted) or not {NAME, ENSEMBLE} <= set(label_set.variants):
        return {}, None
    truth = label_set.truth[:, wanted]

    def column_scores(variant: str, only: int | None = None) -> Float32:
        columns, scores = prompts.scores(variant, only)
        return scores[:, np.searchsorted(columns, wanted)]

    alone = {
        template: float(label_figures(truth, column_scores(ENSEMBLE, number)).auroc.mean())
        for number, template in enumerate(label_set.templates)
    }
    return alone, _gain(truth, column_scores(ENSEMBLE), column_scores(NAME), seed)


def _gain(
    truth: npt.NDArray[np.bool_], first: Float32, second: Float32, seed: int
) -> tuple[float, float, float]:
    """Difference of two macro AUROCs with its paired bootstrap interval over molecules."""
    weights = resample(len(truth), seed=seed)
    drawn = np.array(
        [
            weighted_figures(truth[:, column], first[:, column], weights)[0]
            - weighted_figures(truth[:, column], second[:, column], weights)[0]
            for column in range(truth.shape[1])
        ]
    )
    difference = label_figures(truth, first).auroc - label_figures(truth, second).auroc
    return (float(difference.mean()), *percentile_interval(mean_over_labels(drawn)))
