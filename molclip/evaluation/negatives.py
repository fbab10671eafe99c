"""What a contrastive loss says: its bound on mutual information, and how hard its negatives are."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Scores = npt.NDArray[np.floating[Any]]


@dataclass(frozen=True)
class Hardness:
    """How a softmax spreads its weight over negatives; means over all rows that have any."""

    hardest: float
    """Weight of the hardest negative among the negatives, 1/n (all equal) to 1."""
    effective: float
    """Exponential of the entropy of those weights, 1 to n: how many negatives take part."""
    negatives: float
    """Negatives of a row."""


def information_bound(loss: float, candidates: float | None, masked: float = 0.0) -> float | None:
    r"""Lower bound on the mutual information of partners that an InfoNCE loss proves, in nats.

    .. math:: I(X; Y) \ge \log C - L

    As no loss is negative the bound saturates at log C: it says nothing about information beyond
    that, so it cannot compare runs with different numbers of candidates.

    Parameters
    ----------
    loss
        Mean cross-entropy L, in nats, without hard-negative weights or soft targets.
    candidates
        C, see `candidate_count`; None where the loss is no InfoNCE.
    masked
        Share of the negatives that were taken out as false. C is then the number left on
        average, which makes the bound approximate.

    Returns
    -------
    Nats, negative where the loss is above chance; None where it is not defined.

    References
    ----------
    van den Oord, Li and Vinyals, Representation Learning with Contrastive Predictive Coding,
    arXiv:1807.03748, section 2.3. Poole et al., On Variational Bounds of Mutual Information,
    ICML 2019, section 2.
    """
    if candidates is None:
        return None
    return math.log(1 + (candidates - 1) * (1 - masked)) - loss


def candidate_count(objective: str, batch: int, queue: int | None = None) -> int | None:
    """Return how many candidates one row of an InfoNCE loss chooses among.

    The batch N for `clip`, 2N − 1 for `nt_xent`, 1 + K for `moco`; None for any other objective,
    whose loss has no such bound.

    Parameters
    ----------
    objective
        Name of the loss.
    batch
        Pairs N that are contrasted with each other.
    queue
        Keys K that `moco` remembers.
    """
    if objective == "clip":
        return batch
    if objective == "nt_xent":
        return 2 * batch - 1
    if objective == "moco" and queue is not None:
        return queue + 1
    return None


def hardness(scores: Scores, scale: float, mask: npt.NDArray[np.bool_] | None = None) -> Hardness:
    r"""Weights that the softmax gives the negatives of each row.

    .. math:: w_{ij} = \frac{e^{s\,c_{ij}}}{\sum_{k \ne i} e^{s\,c_{ik}}}, \quad j \ne i

    Under softmax cross-entropy these are the shares of the repelling gradient, so a low
    temperature 1/s mines hard negatives by itself.

    Parameters
    ----------
    scores
        Cosines, float ``(N, N)``, partners on the diagonal.
    scale
        Inverse temperature s.
    mask
        Optional bool ``(N, N)``, true where a negative is left out as false.

    Returns
    -------
    Hardness
        NaN where no row has a negative.

    References
    ----------
    Wang and Liu, Understanding the Behaviour of Contrastive Loss, CVPR 2021, equation 5.
    The effective number is the Hill number of order 1 (Hill, Ecology 54, 1973).
    """
    if scores.ndim != 2 or scores.shape[0] != scores.shape[1]:
        raise ValueError(f"scores of shape {scores.shape}; a square is needed")
    logits = scale * np.asarray(scores, dtype=np.float64)
    left_out = np.eye(len(logits), dtype=bool)
    if mask is not None:
        left_out = left_out | mask
    counts = (~left_out).sum(axis=1)
    rows = np.flatnonzero(counts)
    if not len(rows):
        return Hardness(math.nan, math.nan, math.nan)
    weights = softmax(np.where(left_out, -np.inf, logits)[rows])
    return Hardness(
        float(weights.max(axis=1).mean()),
        float(np.exp(entropy(weights)).mean()),
        float(counts[rows].mean()),
    )


def softmax(logits: Scores) -> Scores:
    """Softmax over the last axis; −inf gets no weight. Each row needs one finite entry."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True))


def entropy(weights: Scores) -> Scores:
    """Entropy over the last axis, in nats; 0 log 0 is 0."""
    logs = np.log(weights, out=np.zeros_like(weights), where=weights > 0)
    return np.asarray(-(weights * logs).sum(axis=-1))
