"""The MoCo objective: the partner's key among remembered keys."""

from __future__ import annotations

import torch
from torch import Tensor

from molclip.errors import ConfigError
from molclip.losses.negatives import accuracy, contrast
from molclip.losses.terms import ContrastiveLoss, Terms


def moco_loss(first: Tensor, second: Tensor, terms: Terms) -> ContrastiveLoss:
    r"""Cross-entropy of each query with its key against a queue.

    .. math:: L = -\frac1N \sum_i \log
              \frac{e^{s\,q_i \cdot k_i}}{e^{s\,q_i \cdot k_i} + \sum_{j=1}^{K} e^{s\,q_i \cdot n_j}}

    He et al., Momentum Contrast for Unsupervised Visual Representation Learning, CVPR 2020. The
    negatives are K keys of earlier batches, so their number does not depend on the batch; the
    momentum of the encoder that makes the keys keeps them comparable. Prefer it where memory allows
    small batches only. For two modalities call it once per direction, each with the other's queue.

    Parameters
    ----------
    first
        Queries, float ``(N, D)``, rows of unit length.
    second
        Keys of the same N things from the momentum encoder, ``(N, D)``, rows of unit length; no
        gradient flows into them.
    terms
        `scale`, `queue`, `queue_false` and, of `negatives`, all but `false` are used.

    Returns
    -------
    ContrastiveLoss
        `candidates` is K + 1, or None as for `clip`.

    Raises
    ------
    ConfigError
        Without a queue.
    """
    if terms.queue is None:
        raise ConfigError("The moco loss needs a queue of keys.", "Give Terms.queue, (K, D).")
    own = (first * second.detach()).sum(dim=1, keepdim=True)
    logits = terms.scale * torch.cat([own, first @ terms.queue.detach().T], dim=1)
    targets = torch.zeros(len(first), dtype=torch.long, device=first.device)
    false = masked = None
    if terms.queue_false is not None:
        own_key = terms.queue_false.new_zeros(len(first), 1)
        false = torch.cat([own_key, terms.queue_false], dim=1)
        masked = terms.queue_false.sum() / max(terms.queue_false.numel(), 1)
    loss = contrast(logits, targets, terms.scale, terms.negatives, false)
    return ContrastiveLoss(
        loss.mean(),
        accuracy(logits, targets, false),
        torch.zeros((), device=first.device) if masked is None else masked,
        1 + len(terms.queue) if terms.negatives.plain else None,
    )
