"""The SigLIP objective: every pair of a batch is a yes-or-no question of its own."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from molclip.errors import ConfigError
from molclip.losses.negatives import accuracy, log_weights, semi_hard, share_masked
from molclip.losses.terms import ContrastiveLoss, Terms


def siglip_loss(first: Tensor, second: Tensor, terms: Terms) -> ContrastiveLoss:
    r"""Sigmoid loss over all pairs.

    .. math:: L = -\frac1N \sum_{i,j} \log \sigma\bigl(y_{ij}\,(s\,a_i \cdot b_j + b)\bigr),
              \quad y_{ii} = 1,\ y_{ij} = -1

    Zhai et al., Sigmoid Loss for Language Image Pre-Training, ICCV 2023. The bias starts far below
    zero, because nearly all of the pairs are negatives. No row is normalised by the others, so a
    false negative costs one term only; prefer it where many texts fit many molecules, and for
    small batches. It gives no bound on the mutual information.

    A soft false negative has the target `soft_share` in place of 0. Hard-negative weights and the
    semi-hard filter are worked out along rows and along columns; a pair gets the mean of its two
    weights, and stays if either keeps it.

    Parameters
    ----------
    first, second
        Float ``(N, D)``, rows of unit length; row i of both is one pair.
    terms
        `scale`, `bias` and `negatives` are used.

    Raises
    ------
    ConfigError
        Without a bias.
    """
    if terms.bias is None:
        raise ConfigError("The siglip loss needs a bias.", "Give Terms.bias, about -10 at first.")
    cosines = first @ second.T
    logits = terms.scale * cosines + terms.bias
    size = len(logits)
    own = torch.eye(size, dtype=torch.bool, device=logits.device)
    targets = own.to(logits.dtype)
    weights = torch.ones_like(targets)
    negatives = terms.negatives
    rival = ~own
    if negatives.false is not None:
        false = negatives.false & ~own
        rival = rival & ~false
        if negatives.soft_share is None:
            weights = weights.masked_fill(false, 0.0)
        else:
            targets = targets.masked_fill(false, negatives.soft_share)
    with torch.no_grad():
        places = torch.arange(size, device=logits.device)
        if negatives.semi_hard is not None:
            margin = negatives.semi_hard * terms.scale
            kept = semi_hard(logits, places, margin, rival)
            kept = kept | semi_hard(logits.T, places, margin, rival.T).T
            weights = weights.masked_fill(rival & ~kept, 0.0)
            rival = kept
        if negatives.beta:
            along = log_weights(logits, rival, negatives.beta).exp()
            across = log_weights(logits.T, rival.T, negatives.beta).exp().T
            weights = torch.where(rival, (along + across) / 2, weights)
    each = functional.binary_cross_entropy_with_logits(logits, targets, reduction="none")
    return ContrastiveLoss(
        (weights * each).sum() / size,
        accuracy(logits, torch.arange(size, device=logits.device), negatives.false),
        share_masked(negatives.false, logits),
        None,
    )
