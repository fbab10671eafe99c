"""The molecule tower that passes messages along bonds.

Needs the extra `graph` (torch_geometric), which is imported when such an encoder is built.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from molclip.chem.graphs import ATOM_SIZES, BOND_SIZES, MoleculeGraph
from molclip.errors import ConfigError, ModelError, install_hint
from molclip.models.molecule_encoder import MoleculeEncoder

if TYPE_CHECKING:
    from molclip.models.config import MoleculeConfig

_HEADS = 4


@dataclass(frozen=True)
class GraphBatch:
    """N graphs with A atoms and E directed edges in all."""

    atoms: Tensor
    """Codes, int64 ``(A, ATOM_FIELDS)``."""
    bonds: Tensor
    """Source and target of each edge, int64 ``(2, E)``."""
    bond_fields: Tensor
    """Codes, int64 ``(E, BOND_FIELDS)``."""
    owner: Tensor
    """Graph of each atom, int64 ``(A,)``."""
    size: int
    """N."""

    def __len__(self) -> int:
        return self.size

    def to(self, device: torch.device | str) -> GraphBatch:
        """The batch on another device."""
        return GraphBatch(
            self.atoms.to(device),
            self.bonds.to(device),
            self.bond_fields.to(device),
            self.owner.to(device),
            self.size,
        )


def collate_graphs(graphs: Sequence[MoleculeGraph]) -> GraphBatch:
    """One batch of N graphs, N at least 1."""
    counts = np.array([len(graph.atoms) for graph in graphs])
    starts = np.cumsum(counts) - counts
    edges = [graph.bonds + start for graph, start in zip(graphs, starts, strict=True)]

    def joined(arrays: list[Any], axis: int = 0) -> Tensor:
        return torch.from_numpy(np.concatenate(arrays, axis=axis).astype(np.int64))

    return GraphBatch(
        joined([graph.atoms for graph in graphs]),
        joined(edges, axis=1),
        joined([graph.bond_fields for graph in graphs]),
        torch.from_numpy(np.repeat(np.arange(len(graphs)), counts)),
        len(graphs),
    )


class CodeEmbedding(nn.Module):
    """Sum of one learnt vector per field, ``(R, F)`` codes to ``(R, width)``."""

    def __init__(self, sizes: dict[str, int], width: int) -> None:
        super().__init__()
        # One table for all fields: a field's codes start where those of the one before end.
        self.table = nn.EmbeddingBag(sum(sizes.values()), width, mode="sum")
        nn.init.normal_(self.table.weight, std=len(sizes) ** -0.5)
        starts = np.cumsum([0, *sizes.values()])[:-1]
        self.starts: Tensor
        self.register_buffer("starts", torch.from_numpy(starts), persistent=False)

    def forward(self, codes: Tensor) -> Tensor:
        """Vectors of rows of codes."""
        embedded: Tensor = self.table(codes + self.starts)
        return embedded


class GraphLayer(nn.Module):
    """Normalise, gather from the neighbours, add.

    Parameters
    ----------
    kind
        `gine`: sum of the neighbours' states, each with that of its bond added, then a
        perceptron [1]_. `attention`: mean weighted by a learnt, bond-aware attention of four
        heads [2]_, then a perceptron.
    width
        Of the states.
    dropout
        On what is added.

    References
    ----------
    .. [1] Hu et al., Strategies for Pre-training Graph Neural Networks, ICLR 2020.
    .. [2] Brody et al., How Attentive are Graph Attention Networks?, ICLR 2022.
    """

    def __init__(self, kind: str, width: int, dropout: float) -> None:
        super().__init__()
        layers = _message_passing()
        self.norm = nn.LayerNorm(width)
        # Each layer its own table: cheaper than a matrix product over all edges.
        self.bonds = CodeEmbedding(BOND_SIZES, width)
        perceptron = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )
        self.conv: nn.Module
        if kind == "gine":
            self.conv = layers.GINEConv(perceptron, train_eps=True)
            self.after: nn.Module = nn.Identity()
        else:
            if width % _HEADS:
                raise ConfigError(
                    f"An attention of {_HEADS} heads cannot share {width} numbers per atom.",
                    f"Make graph_width a multiple of {_HEADS}.",
                )
            self.conv = layers.GATv2Conv(
                width, width // _HEADS, heads=_HEADS, edge_dim=width, add_self_loops=False
            )
            # Without self loops the atom's own state must reach the perceptron another way.
            self.own = nn.Linear(width, width)
            self.after = nn.Sequential(nn.GELU(), perceptron)
        self.kind = kind
        self.dropout = nn.Dropout(dropout)

    def forward(self, states: Tensor, batch: GraphBatch) -> Tensor:
        """States ``(A, width)`` after one round."""
        normalised = self.norm(states)
        gathered = self.conv(normalised, batch.bonds, self.bonds(batch.bond_fields))
        if self.kind != "gine":
            gathered = gathered + self.own(normalised)
        added: Tensor = self.dropout(self.after(gathered))
        return states + added


class GraphTrunk(nn.Module):
    """Rounds of message passing and a readout, batch to ``(N, 2 · graph_width + 1)``.

    The readout joins the mean over the atoms, which tells what they are like; log(1 + sum of
    softplus), the learnt analogue of the logarithmic counts of a fingerprint, which tells how many
    there are of each kind; and log(1 + number of atoms).
    """

    def __init__(self, config: MoleculeConfig) -> None:
        super().__init__()
        width = config.graph_width
        self.atoms = CodeEmbedding(ATOM_SIZES, width)
        self.layers = nn.ModuleList(
            GraphLayer(config.layer, width, config.dropout) for _ in range(config.layers)
        )
        self.norm = nn.LayerNorm(width)
        self.counted = nn.Linear(width, width)
        # Few atoms count for a kind at first. Were all to count a little for every kind, fresh
        # vectors of different molecules would be almost the same, and training slow to start.
        nn.init.normal_(self.counted.weight, std=3 * width**-0.5)
        nn.init.constant_(self.counted.bias, -2.0)
        self.mean_norm = nn.LayerNorm(width)
        self.count_norm = nn.LayerNorm(width)
        self.width = 2 * width + 1

    def forward(self, batch: GraphBatch) -> Tensor:
        """Readout of each graph."""
        states = self.atoms(batch.atoms)
        for layer in self.layers:
            states = layer(states, batch)
        states = self.norm(states)
        # In float32: half precision cannot add hundreds of atoms.
        amounts = nn.functional.softplus(self.counted(states)).float()
        counts = self.count_norm(torch.log1p(_summed(amounts, batch)))
        sizes = torch.bincount(batch.owner, minlength=batch.size).unsqueeze(1)
        means = self.mean_norm(_summed(states.float(), batch) / sizes)
        return torch.cat([means, counts, torch.log1p(sizes.float())], dim=1)


class GraphEncoder(MoleculeEncoder):
    """Molecule graphs in, unit vectors out.

    A batch is a `GraphBatch`. The order of the atoms does not matter.

    Parameters
    ----------
    config
        `layer`, `layers` and `graph_width` of the message passing; `hidden` and `blocks` of the
        perceptron behind the readout; dropout and head.
    dimension
        Width of the shared space.

    Raises
    ------
    ModelError
        Where torch_geometric is not installed.
    """

    kind = "graph"

    def __init__(self, config: MoleculeConfig, dimension: int) -> None:
        super().__init__(config, dimension)
        self.trunk = GraphTrunk(config)
        self.first = nn.Linear(self.trunk.width, config.hidden)

    @staticmethod
    def collate(inputs: Sequence[MoleculeGraph]) -> GraphBatch:
        """Batch of N graphs."""
        return collate_graphs(inputs)

    def features(self, batch: Any) -> Tensor:
        """Features ``(N, hidden)`` before the head."""
        return self._refined(self.first(self.trunk(batch)))


def _summed(states: Tensor, batch: GraphBatch) -> Tensor:
    zeros = states.new_zeros(batch.size, states.shape[1])
    return zeros.index_add(0, batch.owner, states)


def _message_passing() -> Any:
    try:
        with warnings.catch_warnings():
            # Its import compiles a few functions in a way that torch has given up.
            warnings.simplefilter("ignore", category=FutureWarning)
            warnings.simplefilter("ignore", category=DeprecationWarning)
            import torch_geometric.nn as layers
    except ImportError as error:
        raise ModelError(
            "A graph encoder needs torch_geometric, which is not installed.",
            install_hint("graph"),
        ) from error
    return layers
