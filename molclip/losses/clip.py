"""The CLIP objective: symmetric cross-entropy over in-batch pairs."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional


class ContrastiveLoss(NamedTuple):
    """A loss and what the training log shows beside it; all scalars."""

    loss: Tensor
    """Mean of both directions, in nats; differentiable."""
    text_to_molecule_accuracy: Tensor
    """Share of texts whose own molecule scores highest in the batch."""
    masked: Tensor
    """Share of negatives that were masked as false."""


def clip_loss(
    text: Tensor, molecules: Tensor, scale: Tensor, false_negatives: Tensor | None = None
) -> ContrastiveLoss:
    r"""Symmetric cross-entropy with in-batch negatives.

    .. math:: L = \tfrac12\,[\mathrm{CE}(s\,TM^\top) + \mathrm{CE}(s\,MT^\top)],
              \quad \mathrm{CE}(Z) = -\tfrac1N \sum_i \log \mathrm{softmax}(Z_i)_i

    Radford et al., Learning Transferable Visual Models From Natural Language Supervision, ICML
    2021. The default choice here: it needs nothing but pairs.

    Parameters
    ----------
    text, molecules
        Float tensors of shape ``(N, D)``, rows of unit length; row i of both is one pair.
    scale
        Scalar, the inverse temperature.
    false_negatives
        Optional bool tensor ``(N, N)``; true at ``[i, j]`` where text i also describes molecule j,
        which then is no negative for it in either direction. The diagonal is ignored.

    Returns
    -------
    ContrastiveLoss
    """
    logits = scale * text @ molecules.T
    size = len(logits)
    targets = torch.arange(size, device=logits.device)
    masked = torch.zeros((), device=logits.device)
    if false_negatives is not None:
        own = torch.eye(size, dtype=torch.bool, device=logits.device)
        hidden = false_negatives & ~own
        masked = hidden.sum() / max(size * (size - 1), 1)
        logits = logits.masked_fill(hidden, float("-inf"))
    loss = (
        functional.cross_entropy(logits, targets) + functional.cross_entropy(logits.T, targets)
    ) / 2
    accuracy = (logits.argmax(dim=1) == targets).float().mean()
    return ContrastiveLoss(loss, accuracy.detach(), masked.detach())
