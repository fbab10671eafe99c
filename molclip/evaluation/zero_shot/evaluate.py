"""Scores of a model on one label set, beside what training labels would give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
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
class OtherModel:
    """Another zero-shot model, on the same labels and molecules."""

    name: str
    """As in the tables, at most 20 letters."""
    model: TextEncoder
    vectors: Float32
    """Unit vectors of the set's molecules, (N, D); NaN where it has none."""
    background: Float32 | None = None
    """As in `evaluate_set`."""

    def variant(self, name: str) -> str:
        """Return a prompt variant as it is called where this model scores it."""
        return f"{name}, {self.name}"


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
    """Macro AUROC of the bare name on these same labels, where they are fewer than its own; by the
    same model."""


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
    others: Mapping[str, int] = field(default_factory=dict)
    """Other models by name, and how many of the molecules each has no vector of."""

    @property
    def variants(self) -> tuple[str, ...]:
        """Prompt variants, first of the model and then of each other one, as in `slices`."""
        own = self.label_set.variants
        return (*own, *(f"{variant}, {name}" for name in self.others for variant in own))

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
    others: Sequence[OtherModel] = (),
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
    others
        Models to be measured beside it. A molecule that one of them has no vector of stays in, with
        the lowest cosine there is for every label.
    features
        Feature rows of SMILES, for the baselines; None leaves them out.
    progress
        Told what is being done.
    seed
        Of the bootstrap and the baselines.
    """
    progress = progress or (lambda *_: None)
    prompts = _PromptScores(model, label_set, vectors, background)
    scored = {variant: prompts.scored(variant) for variant in label_set.variants}
    for other in others:
        theirs = _PromptScores(other.model, label_set, other.vectors, other.background)
        for variant in label_set.variants:
            scored[other.variant(variant)] = theirs.scored(variant, other.variant(NAME))
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
        scored.update({name: _Scored(columns, scores) for name, scores in made.items()})
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
        for done, (name, by) in enumerate(scored.items()):
            progress(f"{label_set.name}, figures", done, len(scored))
            both, places, _ = np.intersect1d(by.columns, wanted, return_indices=True)
            if len(both):
                truth, part = label_set.truth[np.ix_(rows, both)], by.scores[np.ix_(rows, places)]
                figures = label_figures(truth, part)
                slices[chosen][name] = Measured(
                    both,
                    figures,
                    macro(truth, part, figures, weights),
                    by.top(rows) if by.top else {},
                    _name_alone(slices[chosen].get(by.bare), both),
                )
    alone, gain = _templates(prompts, label_set, seed)
    undrawn = {other.name: int(np.isnan(other.vectors[:, 0]).sum()) for other in others}
    return SetResult(label_set, slices, alone, gain, counts, undrawn)


def _name_alone(named: Measured | None, columns: npt.NDArray[np.int64]) -> float | None:
    if named is None or len(named.columns) == len(columns):
        return None
    return float(named.figures.auroc[np.searchsorted(named.columns, columns)].mean())


@dataclass(frozen=True)
class _Scored:
    """One way of scoring: which labels it scores, and every molecule for each of them."""

    columns: npt.NDArray[np.int64]
    scores: Float32
    """(N, K)."""
    top: Callable[[npt.NDArray[np.int64]], dict[str, float]] | None = None
    """Top-k over some of the molecules; None where it says nothing."""
    bare: str = ""
    """What the bare name is called that it is set beside."""


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
        return columns, self._cosines(vectors)

    def scored(self, variant: str, bare: str = NAME) -> _Scored:
        """The same, with top-k and the name of the bare one's figures."""
        return _Scored(*self.scores(variant), partial(self.top, variant), bare)

    def _cosines(self, labels: Float32) -> Float32:
        """Cosines of the molecules with labels; the lowest there is for one without a vector."""
        return np.nan_to_num(np.asarray(self._vectors @ labels.T, dtype=np.float32), nan=-1.0)

    def top(self, variant: str, rows: npt.NDArray[np.int64]) -> dict[str, float]:
        """Top-k over every label of an exclusive set; empty for others."""
        if not self._set.exclusive:
            return {}
        columns, vectors = self.labels(variant)
        truth = self._set.truth[np.ix_(rows, columns)]
        scores = self._vectors[rows] @ vectors.T
        found = dict(top_k(truth, _last(scores)))
        if self._background is not None:
            usual = self._background @ vectors.T
            scaled = (scores - usual.mean(axis=0)) / usual.std(axis=0)
            found |= {
                f"{name}_scaled": value for name, value in top_k(truth, _last(scaled)).items()
            }
        return found


def _last(scores: Float32) -> Float32:
    """All labels tie for a molecule without a vector, which top-k takes for a miss."""
    return np.nan_to_num(scores, nan=-np.inf)


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
