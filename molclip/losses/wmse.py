"""W-MSE: views must agree after whitening, which leaves no room to collapse."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from molclip.errors import ConfigError
from molclip.losses.negatives import accuracy
from molclip.losses.terms import ContrastiveLoss, Terms

#: Share of the identity mixed into the covariance, against directions without variance.
SHRINKAGE = 1e-3


def wmse_loss(first: Tensor, second: Tensor, terms: Terms) -> ContrastiveLoss:
    r"""Mean squared distance between whitened, normalised views.

    .. math:: L = \frac1N \sum_i \lVert \hat w(a_i) - \hat w(b_i) \rVert^2
                = \frac1N \sum_i \bigl(2 - 2 \cos(w(a_i), w(b_i))\bigr)

    where w whitens each set over the batch. Ermolov et al., Whitening for Self-Supervised
    Representation Learning, ICML 2021 (one whitening of the whole batch, no sub-batches). Prefer
    it over `vicreg` where all dimensions shall carry the same variance; it needs batches well
    larger than the dimension, since the covariance is estimated from them.

    Parameters
    ----------
    first, second
        Float ``(N, D)``, projections *before* normalisation; N > D.
    terms
        Not used, but for the contract.

    Raises
    ------
    ConfigError
        When N is not larger than D: the covariance has no inverse then.
    """
    del terms
    if len(first) <= first.shape[1]:
        raise ConfigError(
            f"The wmse loss cannot whiten {first.shape[1]} dimensions with {len(first)} rows.",
            "Use a batch of at least twice the dimension, or a smaller model.dimension.",
        )
    left, right = whiten(first), whiten(second)
    cosines = functional.cosine_similarity(left, right, dim=1)
    loss = (2 - 2 * cosines).mean()
    return ContrastiveLoss(loss, cosine_accuracy(first, second), loss.new_zeros(()), None)


def whiten(rows: Tensor, shrinkage: float = SHRINKAGE) -> Tensor:
    """Rows with mean 0 and, up to `shrinkage`, the identity as covariance.

    Parameters
    ----------
    rows
        Float ``(N, D)``, N > D.
    shrinkage
        Weight of the identity in the covariance that is inverted (by Cholesky).
    """
    centred = rows.float() - rows.float().mean(dim=0)
    covariance = centred.T @ centred / (len(rows) - 1)
    identity = torch.eye(rows.shape[1], device=rows.device)
    factor, failed = torch.linalg.cholesky_ex((1 - shrinkage) * covariance + shrinkage * identity)
    # Rows that are no numbers must become a loss that is none, which the trainer explains.
    factor = torch.where(failed == 0, factor, float("nan"))
    white: Tensor = torch.linalg.solve_triangular(factor, centred.T, upper=False).T
    return white


def cosine_accuracy(first: Tensor, second: Tensor) -> Tensor:
    """Share of rows of the first set whose partner is nearest by cosine; scalar."""
    with torch.no_grad():
        cosines = functional.normalize(first, dim=1) @ functional.normalize(second, dim=1).T
        return accuracy(cosines, torch.arange(len(first), device=first.device))
