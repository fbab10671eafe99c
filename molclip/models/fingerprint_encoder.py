"""The molecule tower: a residual perceptron over count fingerprints."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from molclip.models.config import MoleculeConfig


class ResidualBlock(nn.Module):
    """Normalise, widen, activate, drop, add."""

    def __init__(self, width: int, dropout: float) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.inner = nn.Linear(width, width)
        self.outer = nn.Linear(width, width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, inputs: Tensor) -> Tensor:
        """Same shape out as in, ``(N, width)``."""
        hidden = nn.functional.gelu(self.inner(self.norm(inputs)))
        added: Tensor = self.outer(self.dropout(hidden))
        return inputs + added


class FingerprintEncoder(nn.Module):
    """Feature rows in, unit vectors out.

    Counts enter as log(1 + count), so that the hundredth CH2 of a lipid does not drown a ring.

    Parameters
    ----------
    config
        Widths and dropout.
    dimension
        Width of the shared space.
    """

    def __init__(self, config: MoleculeConfig, dimension: int) -> None:
        super().__init__()
        self.input_dropout = nn.Dropout(config.input_dropout)
        self.first = nn.Linear(config.inputs, config.hidden)
        self.blocks = nn.Sequential(
            *(ResidualBlock(config.hidden, config.dropout) for _ in range(config.blocks))
        )
        self.norm = nn.LayerNorm(config.hidden)
        self.projection = nn.Linear(config.hidden, dimension, bias=False)
        self.log_counts: Tensor
        self.register_buffer("log_counts", torch.log1p(torch.arange(256.0)), persistent=False)

    def features(self, counts: Tensor) -> Tensor:
        """Hidden features ``(N, hidden)`` before the projection."""
        logs = self.log_counts[counts.long()] if counts.dtype == torch.uint8 else counts
        hidden: Tensor = nn.functional.gelu(self.first(self.input_dropout(logs)))
        normalised: Tensor = self.norm(self.blocks(hidden))
        return normalised

    def forward(self, counts: Tensor) -> Tensor:
        """Unit vectors ``(N, D)`` of feature rows: uint8 counts ``(N, inputs)``, or their logs."""
        return nn.functional.normalize(self.projection(self.features(counts)).float(), dim=-1)
