"""What every molecule encoder can do, and the choice of one by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from torch import Tensor, nn

from molclip.models.projection import projection_head

if TYPE_CHECKING:
    from molclip.chem.inputs import Kind
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


class MoleculeTower(nn.Module):
    """Inputs of one kind to unit vectors: what an encoder and an ensemble have in common."""

    kind: ClassVar[Kind]
    """What one molecule is to this encoder; see `chem.inputs`."""
    width: int
    """Width of the features before the head."""
    projection: nn.Module
    """The head."""

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


class MoleculeEncoder(MoleculeTower):
    """Base of the molecule encoders.

    Holds what all encoders end in: `config.blocks` residual blocks of `config.hidden` numbers,
    normalisation, and the head `projection`. A subclass sets `kind` and writes `collate` and
    `features`.

    Parameters
    ----------
    config
        Widths, dropout and head.
    dimension
        Width D of the shared space.
    """

    def __init__(self, config: MoleculeConfig, dimension: int) -> None:
        super().__init__()
        self.blocks = nn.Sequential(
            *(ResidualBlock(config.hidden, config.dropout) for _ in range(config.blocks))
        )
        self.norm = nn.LayerNorm(config.hidden)
        self.width = config.hidden
        self.projection = projection_head(config.head, config.hidden, dimension)

    def _refined(self, first: Tensor) -> Tensor:
        """Features from what the first layer gave, both ``(N, width)``."""
        normalised: Tensor = self.norm(self.blocks(nn.functional.gelu(first)))
        return normalised


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
