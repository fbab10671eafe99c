"""Labels that several molecules of a batch hold, each against those that do not."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def label_loss(labels: Tensor, molecules: Tensor, holds: Tensor, scale: Tensor) -> Tensor:
    r"""Mean over all pairs of a label l and a holder m of both directions of

    .. math:: -\log \frac{e^{s\,l \cdot m}}{e^{s\,l \cdot m} + \sum_{n} e^{s\,l \cdot n}}

    with n over the molecules that do not hold l (first direction) or over the labels that m does
    not hold (second). Other holders are no candidates: it is the average of `clip` over the choice
    of one holder, with the others masked as false negatives. Every label counts alike in the first
    direction and every molecule in the second, however many partners they have.

    Parameters
    ----------
    labels, molecules
        Float ``(L, D)`` and ``(N, D)``, rows of unit length.
    holds
        Bool ``(L, N)``.
    scale
        Inverse temperature, a scalar.

    Returns
    -------
    Scalar, differentiable; 0 where no label has both a holder and another molecule.
    """
    logits = scale * labels @ molecules.T
    return (_one_way(logits, holds) + _one_way(logits.T, holds.T)) / 2


def _one_way(logits: Tensor, holds: Tensor) -> Tensor:
    others = logits.masked_fill(holds, -torch.inf).logsumexp(1, keepdim=True)
    useful = holds & others.isfinite()
    losses = functional.softplus(torch.where(useful, others - logits, torch.zeros_like(logits)))
    count = useful.sum(1)
    rows = count > 0
    if not bool(rows.any()):
        return logits.sum() * 0
    each = (losses * useful).sum(1)[rows] / count[rows]
    return each.mean()
