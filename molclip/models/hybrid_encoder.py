"""The molecule tower that sees the fingerprint and the graph of a molecule."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from molclip.chem.graphs import HybridInput
from molclip.models.fingerprint_encoder import FingerprintEncoder, LogCounts
from molclip.models.graph_encoder import GraphBatch, GraphTrunk, collate_graphs
from molclip.models.molecule_encoder import MoleculeEncoder

if TYPE_CHECKING:
    from molclip.models.config import MoleculeConfig


@dataclass(frozen=True)
class HybridBatch:
    """Feature rows and graphs of N molecules."""

    counts: Tensor
    """Uint8 ``(N, inputs)``."""
    graphs: GraphBatch

    def __len__(self) -> int:
        return len(self.graphs)

    def to(self, device: torch.device | str) -> HybridBatch:
        """The batch on another device."""
        return HybridBatch(self.counts.to(device), self.graphs.to(device))


class HybridEncoder(MoleculeEncoder):
    """Fingerprints and graphs in, unit vectors out.

    Both enter the first hidden layer, so the residual blocks can weigh the one against the other.
    A batch is a `HybridBatch`.

    Parameters
    ----------
    config
        As of `FingerprintEncoder` and `GraphEncoder`.
    dimension
        Width of the shared space.

    Raises
    ------
    ModelError
        Where torch_geometric is not installed.
    """

    kind = "hybrid"

    def __init__(self, config: MoleculeConfig, dimension: int) -> None:
        super().__init__(config, dimension)
        self.logs = LogCounts()
        self.input_dropout = nn.Dropout(config.input_dropout)
        self.first = nn.Linear(config.inputs, config.hidden)
        self.trunk = GraphTrunk(config)
        self.joined = nn.Linear(self.trunk.width, config.hidden)

    @staticmethod
    def collate(inputs: Sequence[HybridInput]) -> HybridBatch:
        """Batch of N molecules."""
        counts = FingerprintEncoder.collate([both.counts for both in inputs])
        return HybridBatch(counts, collate_graphs([both.graph for both in inputs]))

    def features(self, batch: Any) -> Tensor:
        """Hidden features ``(N, hidden)`` before the head."""
        bits = self.first(self.input_dropout(self.logs(batch.counts)))
        return self._refined(bits + self.joined(self.trunk(batch.graphs)))
