"""Percentiles of labels and `none of these`, on molecules the model was not trained on.

A label's percentile is its rank among background molecules. For a molecule that does not hold the
label it should be spread evenly from 0 to 1, so that a threshold of 0.95 lets 5 % of those pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.evaluation.calibration.pool import Float32, Pool
from molclip.evaluation.calibration.reliability import BoolArray, Share, percentile_error
from molclip.models.zero_shot import percentiles_among
from molclip.text.captions import UNINFORMATIVE
from molclip.text.prompts import DEFAULT_TEMPLATES
from molclip.text.words import is_strange

MINIMUM = 20
"""Held-out molecules with a label, and without it, that are needed to measure it."""
THRESHOLDS = (0.90, 0.95, 0.99)
OFFERED = (1, 2, 3, 5, 10, 20)
"""Numbers of labels to choose from."""


@dataclass(frozen=True)
class NoneOfThese:
    """Answers where so many labels are offered."""

    offered: int
    threshold: float
    right: Share
    """One label holds: it is the answer."""
    missed: Share
    """One label holds: the answer is `none of these`."""
    refused: Share
    """No label holds: the answer is `none of these`, which is right."""


@dataclass(frozen=True)
class LabelResult:
    """Labels of one kind."""

    title: str
    labels: Sequence[str]
    molecules: int
    background: int
    without: Float32
    """Percentiles of all pairs of a molecule and a label it does not hold, sorted."""
    holding: Float32
    """Percentiles of all pairs of a molecule and a label it holds, sorted."""
    by_label: Float32
    """Share of the molecules without each label that pass 0.95, (L,)."""
    answers: Sequence[NoneOfThese]

    @property
    def error(self) -> float:
        """Expected calibration error of the percentiles of molecules without the label."""
        return percentile_error(self.without)

    def passing(self, threshold: float) -> tuple[Share, Share]:
        """Share of pairs that reach a threshold: without the label, and holding it."""
        return Share.of(self.without >= threshold), Share.of(self.holding >= threshold)

    def answer(self, offered: int, threshold: float = 0.95) -> NoneOfThese:
        """One row of `answers`."""
        return next(a for a in self.answers if (a.offered, a.threshold) == (offered, threshold))


def measure_labels(
    model: Any,
    pool: Pool,
    rows: Sequence[int],
    kind: str,
    background: Float32,
    seed: int = 0,
) -> LabelResult | None:
    """Measure classes or roles of ChEBI on held-out molecules.

    Parameters
    ----------
    model
        Encodes labels, with the prompts of `molclip classify`.
    pool
        Vectors and terms of the molecules.
    rows
        The N held-out molecules, rows of the pool; repeats count once.
    kind
        `class` or `role`. Classes count with everything above them along `is_a`.
    background
        (M, D), what percentiles are taken among.
    seed
        Of the labels that are offered.

    Returns
    -------
    None where fewer than two labels have enough molecules.
    """
    molecules = sorted(set(rows))
    terms, truth = label_truth(pool, molecules, kind)
    if len(terms) < 2:
        return None
    names = [pool.ontology.name(term) for term in terms]
    vectors = model.encode_labels(names, DEFAULT_TEMPLATES)
    scores = pool.vectors[molecules] @ vectors.T
    percentiles = percentiles_among(scores, background @ vectors.T)
    known = getattr(model, "known_words", None)
    strange = np.array([known is not None and is_strange(name, known) for name in names])
    return summarise(
        {"class": "ChEBI classes", "role": "ChEBI roles"}[kind],
        names,
        percentiles,
        truth,
        strange,
        len(background),
        seed,
    )


def label_truth(pool: Pool, molecules: Sequence[int], kind: str) -> tuple[list[str], BoolArray]:
    """Terms that enough of the molecules hold and enough do not, and which hold them, (N, L)."""
    place = {row: number for number, row in enumerate(molecules)}
    found: list[tuple[str, npt.NDArray[np.bool_]]] = []
    for term, members in pool.rows.members.items():
        if pool.ontology.kind(term) != kind or term in UNINFORMATIVE:
            continue
        here = [place[row] for row in members if row in place]
        if MINIMUM <= len(here) <= len(molecules) - MINIMUM:
            column = np.zeros(len(molecules), dtype=bool)
            column[here] = True
            found.append((term, column))
    found.sort(key=lambda item: (-int(item[1].sum()), item[0]))
    if not found:
        return [], np.zeros((len(molecules), 0), dtype=bool)
    return [term for term, _ in found], np.stack([column for _, column in found], axis=1)


def summarise(
    title: str,
    names: Sequence[str],
    percentiles: Float32,
    truth: BoolArray,
    strange: BoolArray,
    background: int,
    seed: int = 0,
) -> LabelResult:
    """Figures of percentiles `(N, L)` whose truth `(N, L)` is known.

    Parameters
    ----------
    title, names
        Of the labels.
    percentiles, truth
        0 to 1, and whether the molecule holds the label.
    strange
        Labels `(L,)` of unknown words, which are never the answer.
    background
        Number of molecules that the percentiles were taken among.
    seed
        Of the labels that are offered.
    """
    passing = np.array(
        [
            float((percentiles[~truth[:, label], label] >= 0.95).mean())
            for label in range(truth.shape[1])
        ],
        dtype=np.float32,
    )
    return LabelResult(
        title,
        names,
        len(truth),
        background,
        np.sort(percentiles[~truth]),
        np.sort(percentiles[truth]),
        passing,
        none_of_these(np.where(strange, -1.0, percentiles), truth, seed),
    )


def none_of_these(
    percentiles: npt.NDArray[np.floating[Any]], truth: BoolArray, seed: int = 0
) -> list[NoneOfThese]:
    """Offer labels to every molecule: once with one that holds among them, once without.

    Parameters
    ----------
    percentiles
        (N, L), below 0 where a label may not be the answer.
    truth
        (N, L).
    seed
        Of the labels that are drawn, all alike.

    Returns
    -------
    One result for each number of `OFFERED` labels that the set allows, and each threshold.
    """
    random = np.random.default_rng(seed)
    held = [np.flatnonzero(row) for row in truth]
    others = [np.flatnonzero(~row) for row in truth]
    results = []
    for offered in OFFERED:
        with_one: list[tuple[float, float]] = []
        without: list[float] = []
        for row in range(len(truth)):
            if not len(held[row]) or len(others[row]) < offered:
                continue
            drawn = random.choice(others[row], offered, replace=False)
            best_wrong = percentiles[row, drawn]
            right = percentiles[row, random.choice(held[row])]
            # The last of the wrong labels gives its place to the one that holds.
            rival = best_wrong[:-1].max() if offered > 1 else -1.0
            with_one.append((float(right), float(rival)))
            without.append(float(best_wrong.max()))
        if not without:
            continue
        right_best = np.array(with_one)
        best_without = np.array(without)
        for threshold in THRESHOLDS:
            top = right_best.max(axis=1)
            answered = top >= threshold
            results.append(
                NoneOfThese(
                    offered,
                    threshold,
                    Share.of(answered & (right_best[:, 0] > right_best[:, 1])),
                    Share.of(~answered),
                    Share.of(best_without < threshold),
                )
            )
    return results
