"""VICReg: no negatives; each dimension must vary, and no two of them together."""

from __future__ import annotations

from torch import Tensor
from torch.nn import functional

from molclip.errors import ConfigError
from molclip.losses.terms import ContrastiveLoss, Terms
from molclip.losses.wmse import cosine_accuracy

#: Weights of the paper: invariance, variance, covariance.
INVARIANCE, VARIANCE, COVARIANCE = 25.0, 25.0, 1.0
_EPSILON = 1e-4


def vicreg_loss(first: Tensor, second: Tensor, terms: Terms) -> ContrastiveLoss:
    r"""Variance, invariance and covariance.

    .. math:: L = 25\,\mathrm{MSE}(A, B)
              + \tfrac{25}2\,[v(A) + v(B)] + c(A) + c(B), \quad
              v(Z) = \tfrac1D \sum_d \max(0, 1 - \sqrt{\mathrm{Var}(Z_d) + 10^{-4}}), \quad
              c(Z) = \tfrac1D \sum_{d \ne e} \mathrm{Cov}(Z)_{de}^2

    Bardes, Ponce and LeCun, VICReg, ICLR 2022, with the scaling of the authors' released code (mean
    over dimensions in the first term, half of each variance term). It prevents collapse of whole
    dimensions without any negative: prefer it as a small addition to `clip` where the effective
    rank falls, or alone where false negatives abound. It says nothing about which neighbour is
    nearest, so retrieval alone is poor.

    Parameters
    ----------
    first, second
        Float ``(N, D)``, projections *before* normalisation; N > 1.
    terms
        Not used, but for the contract.

    Raises
    ------
    ConfigError
        For a single row.
    """
    del terms
    if len(first) < 2:
        raise ConfigError("The vicreg loss needs at least 2 rows.", "Use a larger batch.")
    invariance = functional.mse_loss(first, second)
    variance = (_variance(first) + _variance(second)) / 2
    covariance = _covariance(first) + _covariance(second)
    loss = INVARIANCE * invariance + VARIANCE * variance + COVARIANCE * covariance
    return ContrastiveLoss(loss, cosine_accuracy(first, second), loss.new_zeros(()), None)


def _variance(rows: Tensor) -> Tensor:
    return functional.relu(1 - (rows.var(dim=0) + _EPSILON).sqrt()).mean()


def _covariance(rows: Tensor) -> Tensor:
    centred = rows - rows.mean(dim=0)
    covariance = centred.T @ centred / (len(rows) - 1)
    squares = covariance.square()
    return (squares.sum() - squares.diagonal().sum()) / rows.shape[1]
