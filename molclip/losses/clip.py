"""The CLIP objective: symmetric cross-entropy over in-batch pairs."""

from __future__ import annotations

import torch
from torch import Tensor

from molclip.losses.negatives import accuracy, contrast, share_masked
from molclip.losses.terms import ContrastiveLoss, Terms


def clip_loss(first: Tensor, second: Tensor, terms: Terms) -> ContrastiveLoss:
    r"""Symmetric cross-entropy with in-batch negatives.

    .. math:: L = \tfrac12\,[\mathrm{CE}(s\,AB^\top) + \mathrm{CE}(s\,BA^\top)],
              \quad \mathrm{CE}(Z) = -\tfrac1N \sum_i \log \mathrm{softmax}(Z_i)_i

    Radford et al., Learning Transferable Visual Models From Natural Language Supervision, ICML
    2021. The default choice here: it needs nothing but pairs, and its temperature finds itself.
    Prefer `siglip` for batches too large for a softmax over all of them, `moco` where large
    batches do not fit at all.

    Parameters
    ----------
    first, second
        Float ``(N, D)``, rows of unit length; row i of both is one pair.
    terms
        `scale` and `negatives` are used.

    Returns
    -------
    ContrastiveLoss
        `candidates` is N; None where `negatives` weighs, filters or softens, because the loss is no
        InfoNCE then.
    """
    logits = terms.scale * first @ second.T
    targets = torch.arange(len(logits), device=logits.device)
    false = terms.negatives.false
    there = contrast(logits, targets, terms.scale, terms.negatives, false)
    back = contrast(
        logits.T, targets, terms.scale, terms.negatives, None if false is None else false.T
    )
    return ContrastiveLoss(
        (there.mean() + back.mean()) / 2,
        accuracy(logits, targets, false),
        share_masked(false, logits),
        len(logits) if terms.negatives.plain else None,
    )
