"""How much of a molecule's features its vector, or that of its text, still tells."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def reconstruction_loss(logits: Tensor, present: Tensor, prior: Tensor) -> Tensor:
    r"""Share of the information about the features that is missing.

    .. math:: L = \frac{\sum_{ij} H(x_{ij}, \hat x_{ij})}{N \sum_j H(p_j, p_j)}

    with the binary cross-entropy H of presence x and prediction, over what it takes to know
    nothing but how common each feature is. 1 for a decoder that knows only that, 0 for a perfect
    one. A contrastive loss teaches what tells a molecule from the others of its batch; this teaches
    each text a few thousand facts about its own molecule.

    Parameters
    ----------
    logits
        Float ``(N, F)``, predicted log-odds of presence.
    present
        Bool or float ``(N, F)``.
    prior
        Float ``(F,)``, share of molecules that have the feature, within (0, 1).

    Returns
    -------
    Scalar, differentiable in `logits`.
    """
    ignorance = -(torch.xlogy(prior, prior) + torch.xlogy(1 - prior, 1 - prior)).sum()
    missing = functional.binary_cross_entropy_with_logits(
        logits, present.to(logits.dtype), reduction="sum"
    )
    return missing / (len(logits) * ignorance)
