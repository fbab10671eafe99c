"""The SimCLR objective: two views of a thing find each other among all views of a batch."""

from __future__ import annotations

import torch
from torch import Tensor

from molclip.losses.negatives import accuracy, contrast, share_masked
from molclip.losses.terms import ContrastiveLoss, Terms


def nt_xent_loss(first: Tensor, second: Tensor, terms: Terms) -> ContrastiveLoss:
    r"""Normalised temperature-scaled cross-entropy.

    .. math:: L = -\frac1{2N} \sum_{i=1}^{2N} \log
              \frac{e^{s\,z_i \cdot z_{p(i)}}}{\sum_{k \ne i} e^{s\,z_i \cdot z_k}}

    over the 2N views z of a batch, p(i) being the other view of the same thing. Chen et al., A
    Simple Framework for Contrastive Learning of Visual Representations, ICML 2020. Each view has
    2N - 1 candidates: itself is none. Prefer it to shape one modality without partners, such as
    molecules that no text describes; what the views share is what the encoder keeps, so the
    augmentations decide (docs/augmentations.md).

    Parameters
    ----------
    first, second
        Float ``(N, D)``, rows of unit length: two views of N things.
    terms
        `scale` and `negatives` are used; `negatives.false` ``(N, N)`` is about things and holds
        for all four pairs of their views.

    Returns
    -------
    ContrastiveLoss
        `candidates` is 2N - 1, or None as for `clip`.
    """
    size = len(first)
    views = torch.cat([first, second])
    logits = terms.scale * views @ views.T
    places = torch.arange(2 * size, device=logits.device)
    targets = (places + size) % (2 * size)
    itself = places[:, None] == places[None, :]
    false = terms.negatives.false
    if false is not None:
        # A thing is not its own false negative: its other view is the partner, itself is excluded.
        off = ~torch.eye(size, dtype=torch.bool, device=logits.device)
        either = (false | false.T) & off
        false = either.repeat(2, 2)
    loss = contrast(logits, targets, terms.scale, terms.negatives, false, never=itself)
    return ContrastiveLoss(
        loss.mean(),
        accuracy(logits, targets, false, never=itself),
        share_masked(terms.negatives.false, logits),
        2 * size - 1 if terms.negatives.plain else None,
    )
