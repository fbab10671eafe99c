"""Cross-entropy over candidates of which some are false, too easy, or harder than others."""

from __future__ import annotations

import torch
from torch import Tensor

from molclip.losses.terms import Negatives


def contrast(
    logits: Tensor,
    targets: Tensor,
    scale: Tensor,
    negatives: Negatives,
    false: Tensor | None = None,
    never: Tensor | None = None,
) -> Tensor:
    """Cross-entropy of each row with its own candidate.

    Parameters
    ----------
    logits
        Float ``(N, M)``, scaled similarities.
    targets
        Int64 ``(N,)``, column of each row's own partner.
    scale
        Scalar inverse temperature behind `logits`; turns the semi-hard margin into logits.
    negatives
        What to do with the candidates that are not the partner; its `false` is not read.
    false
        Bool ``(N, M)``, the false negatives among the columns.
    never
        Bool ``(N, M)``, columns that are no candidates at all, such as the row itself.

    Returns
    -------
    Float ``(N,)`` in nats.
    """
    rows = torch.arange(len(logits), device=logits.device)
    own = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    own[rows, targets] = True
    left_out = torch.zeros_like(own) if never is None else never & ~own
    shared = None
    if false is not None:
        false = false & ~own & ~left_out
        if negatives.soft_share is None:
            left_out = left_out | false
        else:
            shared = false
    if negatives.semi_hard is not None or negatives.beta:
        rival = ~own & ~left_out if shared is None else ~own & ~left_out & ~shared
        if negatives.semi_hard is not None:
            kept = semi_hard(logits.detach(), targets, negatives.semi_hard * scale.detach(), rival)
            left_out = left_out | (rival & ~kept)
            rival = kept
        if negatives.beta:
            logits = logits + log_weights(logits.detach(), rival, negatives.beta)
    logits = logits.masked_fill(left_out, float("-inf"))
    log_shares = logits.log_softmax(dim=1)
    own_loss = -log_shares[rows, targets]
    if shared is None:
        return own_loss
    assert negatives.soft_share is not None
    count = shared.sum(dim=1)
    # A masked log share is -inf; the product with a zero target would be NaN.
    others = -log_shares.masked_fill(~shared, 0.0).sum(dim=1) / count.clamp(min=1)
    mixed = (1 - negatives.soft_share) * own_loss + negatives.soft_share * others
    return torch.where(count > 0, mixed, own_loss)


def semi_hard(logits: Tensor, targets: Tensor, margin: Tensor, rival: Tensor) -> Tensor:
    """Negatives that are less similar than the own partner, by less than a margin.

    Schroff et al., FaceNet, CVPR 2015: harder ones are often mislabelled and pull the vectors
    together; easier ones teach nothing. A row without any keeps all of its negatives.

    Parameters
    ----------
    logits
        Float ``(N, M)``.
    targets
        Int64 ``(N,)``.
    margin
        Scalar, in logits.
    rival
        Bool ``(N, M)``, the negatives to choose from.

    Returns
    -------
    Bool ``(N, M)``.
    """
    positive = logits.gather(1, targets[:, None])
    kept = rival & (logits < positive) & (logits > positive - margin)
    return torch.where(kept.any(dim=1, keepdim=True), kept, rival)


def log_weights(logits: Tensor, rival: Tensor, beta: float) -> Tensor:
    r"""Logarithms of importance weights that favour hard negatives.

    .. math:: w_{ij} = \frac{e^{\beta z_{ij}}}{\frac1{|R_i|}\sum_{k \in R_i} e^{\beta z_{ik}}}

    over the negatives :math:`R_i` of row i: their mean is 1, so beta = 0 changes nothing. Robinson
    et al., Contrastive Learning with Hard Negative Samples, ICLR 2021 (without the correction for
    the class prior). The weights are constants for the gradient.

    Parameters
    ----------
    logits
        Float ``(N, M)``.
    rival
        Bool ``(N, M)``, the negatives.
    beta
        Concentration.

    Returns
    -------
    Float ``(N, M)``; 0 outside `rival`.
    """
    tilted = (beta * logits).masked_fill(~rival, float("-inf"))
    count = rival.sum(dim=1, keepdim=True).clamp(min=1).to(logits.dtype)
    mean = tilted.logsumexp(dim=1, keepdim=True) - count.log()
    return (tilted - mean).masked_fill(~rival, 0.0)


def share_masked(false: Tensor | None, like: Tensor) -> Tensor:
    """Share of the off-diagonal entries of ``(N, N)`` that are true; 0 for None."""
    if false is None:
        return torch.zeros((), device=like.device)
    size = len(false)
    total = false.sum() - false.diagonal().sum()
    return total / max(size * (size - 1), 1)


@torch.no_grad()
def accuracy(
    logits: Tensor, targets: Tensor, false: Tensor | None = None, never: Tensor | None = None
) -> Tensor:
    """Share of rows whose target scores above every other candidate; scalar.

    A tie is a miss, so that vectors collapsed to one point score 0 and not 1. False negatives and
    what is `never` a candidate (see `contrast`) do not count.
    """
    own = logits.gather(1, targets[:, None])
    rivals = logits.scatter(1, targets[:, None], float("-inf"))
    for left_out in (false, never):
        if left_out is not None:
            rivals.masked_fill_(left_out, float("-inf"))
    return (own[:, 0] > rivals.max(dim=1).values).float().mean()
