"""The molecule tower: a residual perceptron over count fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from molclip.models.config import MoleculeConfig
from molclip.models.molecule_encoder import MoleculeEncoder
from molclip.models.projection import projection_head


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


class FingerprintEncoder(MoleculeEncoder):
    """Feature rows in, unit vectors out.

    Counts enter as log(1 + count), so that the hundredth CH2 of a lipid does not drown a ring.
    A batch is a tensor ``(N, inputs)``: uint8 counts, or their logs.

    Parameters
    ----------
    config
        Widths, dropout and head.
    dimension
        Width of the shared space.
    """

    kind = "fingerprint"

    def __init__(self, config: MoleculeConfig, dimension: int) -> None:
        super().__init__()
        self.input_dropout = nn.Dropout(config.input_dropout)
        self.first = nn.Linear(config.inputs, config.hidden)
        self.blocks = nn.Sequential(
            *(ResidualBlock(config.hidden, config.dropout) for _ in range(config.blocks))
        )
        self.norm = nn.LayerNorm(config.hidden)
        self.width = config.hidden
        self.projection = projection_head(config.head, config.hidden, dimension)
        self.log_counts: Tensor
        self.register_buffer("log_counts", torch.log1p(torch.arange(256.0)), persistent=False)

    @staticmethod
    def collate(inputs: npt.NDArray[np.uint8] | Sequence[npt.NDArray[np.uint8]]) -> Tensor:
        """Tensor ``(N, inputs)`` uint8 of an array of that shape, or of N rows."""
        rows = inputs if isinstance(inputs, np.ndarray) else np.stack(list(inputs))
        return torch.from_numpy(np.ascontiguousarray(rows))

    def features(self, batch: Any) -> Tensor:
        """Hidden features ``(N, hidden)`` before the head."""
        logs = self.log_counts[batch.long()] if batch.dtype == torch.uint8 else batch
        hidden: Tensor = nn.functional.gelu(self.first(self.input_dropout(logs)))
        normalised: Tensor = self.norm(self.blocks(hidden))
        return normalised
