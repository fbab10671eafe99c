"""What every molecule encoder can do, and the choice of one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from torch import Tensor, nn

from molclip.models.config import MoleculeConfig


class MoleculeEncoder(nn.Module):
    """Base of the molecule towers: inputs of one kind to unit vectors.

    A subclass sets `kind`, `width` and `projection` and writes `collate` and `features`.
    """

    kind: ClassVar[str]
    """What one molecule is to this encoder; see `chem.inputs`."""
    width: int
    """Width of the features before the head."""
    projection: nn.Module

    @staticmethod
    def collate(inputs: Sequence[Any]) -> Any:
        """Batch of N inputs (`chem.inputs.input_of`); it has `.to(device)`."""
        raise NotImplementedError

    def features(self, batch: Any) -> Tensor:
        """Features ``(N, width)`` of a batch, before the head."""
        raise NotImplementedError

    def project(self, batch: Any) -> Tensor:
        """Float32 ``(N, D)`` after the head, not normalised."""
        projected: Tensor = self.projection(self.features(batch))
        return projected.float()

    def forward(self, batch: Any) -> Tensor:
        """Float32 unit vectors ``(N, D)``."""
        return nn.functional.normalize(self.project(batch), dim=-1)


def molecule_encoder(config: MoleculeConfig, dimension: int) -> MoleculeEncoder:
    """The encoder that `config.encoder` names, with fresh weights.

    Raises
    ------
    ModelError
        For a graph encoder where torch_geometric is not installed.
    """
    # Imported by need: graphs ask for torch_geometric, which the built-in model does without.
    if config.encoder == "graph":
        from molclip.models.graph_encoder import GraphEncoder

        return GraphEncoder(config, dimension)
    if config.encoder == "hybrid":
        from molclip.models.hybrid_encoder import HybridEncoder

        return HybridEncoder(config, dimension)
    from molclip.models.fingerprint_encoder import FingerprintEncoder

    return FingerprintEncoder(config, dimension)
