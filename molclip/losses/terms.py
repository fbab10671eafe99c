"""What every objective takes beside its two sets of vectors, and what it gives back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from torch import Tensor


@dataclass(frozen=True, slots=True)
class Negatives:
    """How the negatives of a batch count.

    The treatment of one row: false negatives are left out or get a share of the target; of the
    others only the semi-hard ones stay, if that is asked; those that stay are weighted by hardness.
    """

    false: Tensor | None = None
    """Bool ``(N, N)``; true at ``[i, j]`` where row i of the first set also fits row j of the
    second. The diagonal is ignored."""
    soft_share: float | None = None
    """None: false negatives are no candidates. Else the share of the target, in (0, 1), that the
    false negatives of a row get together, evenly; rows without any keep the whole target."""
    beta: float = 0.0
    """Concentration on hard negatives; see `losses.negatives.log_weights`."""
    semi_hard: float | None = None
    """Cosine margin; see `losses.negatives.semi_hard`."""

    @property
    def plain(self) -> bool:
        """Whether all negatives that stay count alike, as the bound of InfoNCE presumes."""
        return self.soft_share is None and not self.beta and self.semi_hard is None


@dataclass(frozen=True, slots=True)
class Terms:
    """Everything but the vectors."""

    scale: Tensor
    """Inverse temperature, a scalar; learned or fixed, the loss does not care."""
    bias: Tensor | None = None
    """Scalar added to every logit; `siglip` needs it."""
    negatives: Negatives = field(default_factory=Negatives)
    queue: Tensor | None = None
    """Float ``(K, D)``, unit rows without gradient: the remembered keys of `moco`."""
    queue_false: Tensor | None = None
    """Bool ``(N, K)``; true where row i also fits key k."""


class ContrastiveLoss(NamedTuple):
    """A loss and what the training log shows beside it."""

    loss: Tensor
    """Scalar, differentiable; in nats for the objectives that are a cross-entropy."""
    accuracy: Tensor
    """Share of rows of the first set whose own partner scores highest; scalar."""
    masked: Tensor
    """Share of negatives that count as false, scalar."""
    candidates: int | None
    """Candidates each positive is told from, itself included: the loss bounds the mutual
    information from below by log(candidates) - loss nats, never above log(candidates) (van den
    Oord et al., Representation Learning with Contrastive Predictive Coding, 2018). None where the
    loss is no such bound."""


Loss = Callable[[Tensor, Tensor, Terms], ContrastiveLoss]
"""The contract of every objective: two row-aligned sets ``(N, D)`` and the terms."""
