"""Query-time corrections: what a row's score is lowered by, and how strong, chosen honestly.

Two kinds are kept apart, because they are worth different things.

- The *bank* correction lowers each row by how close it comes to training-like texts. It knows
  nothing of the queries and treats all rows alike.
- The *discount* lowers the rows that stand in the train split, all by the same amount. The answers
  of a validation or test split never stand there, so it also tells the model where not to look; it
  is of use where seen molecules are known to be asked for less than they are found.

What either costs is measured on training texts, whose molecules are seen: the strength that is
chosen is the best mean of both groups of texts, on one half of the texts, and is used on the other.
A discount is chosen the same way, on the same half as the weight it stands on.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np

from molclip.evaluation.metrics import figures
from molclip.evaluation.ranks import (
    BoolArray,
    FloatArray,
    IntArray,
    Ranks,
    best_similarity,
    rank_vectors,
    soft_similarity,
)

Kind = Literal["best", "softmax"]
#: Of the texts that are evaluated, and of the training texts.
RanksOfBoth = tuple[Ranks, Ranks]
#: Strengths that are tried where none is given.
WEIGHTS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
DISCOUNTS = (0.0, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.04, 0.06, 0.08)


@dataclass(frozen=True)
class Correction:
    """What is asked for."""

    kind: Kind = "best"
    r"""How close a row comes to the bank.

    `best`: its highest cosine, with one neighbour what CSLS subtracts [1]_. `softmax`:
    :math:`\frac{1}{\beta} \log \sum_b \exp(\beta s_b)`, which is the inverted softmax [2]_ of
    query-bank normalisation [3]_ with :math:`\beta` = `sharpness`.

    References
    ----------
    .. [1] Conneau et al., Word translation without parallel data, ICLR 2018.
    .. [2] Smith et al., Offline bilingual word vectors, orthogonal transformations and the
       inverted softmax, ICLR 2017.
    .. [3] Bogolin et al., Cross modal retrieval with querybank normalisation, CVPR 2022.
    """
    weight: float | None = None
    """Of the closeness; None: chosen."""
    discount: float | Literal["chosen"] | None = None
    """Cosine by which seen rows are lowered besides; None: none of it."""
    sharpness: float = 40.0
    """Beta of `softmax`."""


@dataclass(frozen=True)
class Corrected:
    """Ranks under one correction."""

    name: Literal["corrected", "discounted"]
    texts: Ranks
    """Of the texts that are evaluated."""
    training: Ranks
    """Of the training texts, in the same pool."""
    strengths: tuple[float, ...]
    """The one that was given, or those of the first and second half, each chosen on the other."""
    curve: Sequence[tuple[float, float, float]]
    """Strength, MRR of the texts, MRR of the training texts; empty where it was given."""


@dataclass(frozen=True)
class CorrectionResult:
    """The training texts without a correction, and everything with one."""

    asked: Correction
    bank_size: int
    training: Ranks
    corrected: Sequence[Corrected]


def correct(
    texts: FloatArray,
    targets: IntArray,
    training: FloatArray,
    training_targets: IntArray,
    molecules: FloatArray,
    bank: FloatArray,
    seen: BoolArray,
    asked: Correction,
    seed: int = 0,
) -> CorrectionResult:
    """Rank with the correction that is asked for.

    Parameters
    ----------
    texts, targets
        (Q, D) unit vectors and (Q,) place of the right molecule of each.
    training, training_targets
        The same of training texts, to see what the correction costs.
    molecules
        (P, D) unit vectors of the pool.
    bank
        (B, D) unit vectors of training-like texts.
    seen
        (P,) whether a molecule stands in the train split.
    asked
        Kind and strengths.
    seed
        Of the halves.
    """
    everyone = np.arange(len(molecules))

    def ranked(penalty: FloatArray | None) -> RanksOfBoth:
        return (
            rank_vectors(texts, molecules, targets, everyone, penalty=penalty),
            rank_vectors(training, molecules, training_targets, everyone, penalty=penalty),
        )

    if asked.kind == "best":
        closeness = best_similarity(molecules, bank)
    else:
        closeness = soft_similarity(molecules, bank, asked.sharpness)
    generator = np.random.default_rng(seed)
    halves = _halves(len(texts), generator), _halves(len(training), generator)
    weights = WEIGHTS if asked.weight is None else (asked.weight,)

    def weighed(weight: float) -> RanksOfBoth:
        return ranked(np.float32(weight) * closeness)

    found = [_fitted("corrected", weights, halves, weighed, weighed)]
    if asked.discount is not None:
        # On top of the bank correction, each half under the weight that it did not help choose.
        marked = seen.astype(np.float32)
        discounts = DISCOUNTS if asked.discount == "chosen" else (asked.discount,)
        above = [
            partial(_discounted, ranked, np.float32(weight) * closeness, marked)
            for weight in dict.fromkeys(found[0].strengths)
        ]
        found.append(_fitted("discounted", discounts, halves, above[0], above[-1]))
    return CorrectionResult(asked, len(bank), ranked(None)[1], found)


def _halves(count: int, generator: np.random.Generator) -> BoolArray:
    half = np.zeros(count, dtype=bool)
    half[generator.permutation(count)[: count // 2]] = True
    return half


def _discounted(
    ranked: Callable[[FloatArray], RanksOfBoth], base: FloatArray, marked: FloatArray, amount: float
) -> RanksOfBoth:
    """Ranks where marked rows lose an amount on top of what every row loses already."""
    return ranked(base + np.float32(amount) * marked)


def _fitted(
    name: Literal["corrected", "discounted"],
    strengths: Sequence[float],
    halves: tuple[BoolArray, BoolArray],
    first: Callable[[float], RanksOfBoth],
    second: Callable[[float], RanksOfBoth],
) -> Corrected:
    """Choose a strength on each half, and take the ranks of the other half under it.

    Parameters
    ----------
    name
        Of the correction.
    strengths
        That are tried; a single one is taken as it is.
    halves
        Of the texts and of the training texts; true in the second half.
    first, second
        Ranks of all texts under a strength, as they are wanted for the texts of the first and of
        the second half: a strength of the first half is chosen by the second one's texts under
        `first`. May be the same.
    """
    under_first = [first(strength) for strength in strengths]
    under_second = under_first if second is first else [second(strength) for strength in strengths]
    if len(strengths) == 1:
        both = _by_half(halves, under_first[0], under_second[0])
        return Corrected(name, *both, (strengths[0],), ())
    curve = []
    for strength, pair in zip(strengths, zip(under_first, under_second, strict=True), strict=True):
        texts, training = _by_half(halves, *pair)
        curve.append((strength, figures(texts)["mrr"], figures(training)["mrr"]))
    chosen = [
        int(np.argmax([_mean_mrr(pair, masks) for pair in every]))
        for every, masks in (
            (under_first, halves),
            (under_second, tuple(~half for half in halves)),
        )
    ]
    texts, training = _by_half(halves, under_first[chosen[0]], under_second[chosen[1]])
    return Corrected(
        name, texts, training, (strengths[chosen[0]], strengths[chosen[1]]), tuple(curve)
    )


def _by_half(
    halves: tuple[BoolArray, BoolArray], first: RanksOfBoth, second: RanksOfBoth
) -> RanksOfBoth:
    """Ranks of texts and training texts: the first half's from one pair, the second's from another."""
    return (
        first[0].where(~halves[0], second[0]),
        first[1].where(~halves[1], second[1]),
    )


def _mean_mrr(pair: tuple[Ranks, Ranks], masks: Sequence[BoolArray]) -> float:
    """Mean over both groups, so that seen and unseen molecules count alike."""
    parts = [ranks.subset(mask) for ranks, mask in zip(pair, masks, strict=True)]
    return float(np.mean([figures(part)["mrr"] for part in parts if len(part)]))
