"""Several models as one: their vectors joined, turned and cut to the few dimensions they fill.

With unit vectors t_i of a text and m_i of a molecule, and weights a_i that add up to 1, the joined
vectors (√a_1 v_1, …, √a_n v_n) have the weighted mean of the members' cosines as their product. The
vectors of molecules lie close to a space of far fewer dimensions, so both sides are projected on
an orthonormal basis of that space (`models.joining` finds it) and scaled to unit length: an
ensemble of three needs no more room in an index than one model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor, nn

from molclip.models.fingerprint_encoder import FingerprintEncoder, LogCounts
from molclip.models.molecule_encoder import MoleculeTower
from molclip.models.network import TwoTowers
from molclip.models.text_encoder import TextEncoder, TextTower

if TYPE_CHECKING:
    from molclip.models.config import MolCLIPConfig


class EnsembleHead(nn.Module):
    """From the members' features to the common space.

    Parameters
    ----------
    members
        Towers, whose heads lead from ``(N, width_i)`` to ``(N, member_dimension)``.
    member_dimension
        Width of each member's space.
    dimension
        Width D of the common space.
    """

    def __init__(
        self,
        members: Sequence[TextTower] | Sequence[MoleculeTower],
        member_dimension: int,
        dimension: int,
    ) -> None:
        super().__init__()
        # In a list, so that they are not registered again: they belong to the members.
        self._heads = [member.projection for member in members]
        self.widths = [member.width for member in members]
        self.basis = nn.Linear(len(self.widths) * member_dimension, dimension, bias=False)
        """Orthonormal rows, each member's columns times the root of its weight."""

    def forward(self, features: Tensor) -> Tensor:
        """``(N, D)``, not normalised, of the members' features side by side."""
        parts = torch.split(features, self.widths, dim=-1)
        units = [
            nn.functional.normalize(head(part).float(), dim=-1)
            for head, part in zip(self._heads, parts, strict=True)
        ]
        projected: Tensor = self.basis(torch.cat(units, dim=-1))
        return projected


class EnsembleText(TextTower):
    """Text towers that read the same tokens."""

    projection: EnsembleHead

    def __init__(
        self, members: Sequence[TextEncoder], member_dimension: int, dimension: int
    ) -> None:
        super().__init__()
        self.towers = nn.ModuleList(members)
        self.projection = EnsembleHead(members, member_dimension, dimension)
        self.width = sum(self.projection.widths)

    @property
    def members(self) -> list[TextEncoder]:
        """The towers, in order."""
        return list(self.towers)  # type: ignore[arg-type]

    @property
    def transformers(self) -> list[nn.Module]:
        """One of each member."""
        return [found for member in self.members for found in member.transformers]

    def features(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Those of the members side by side."""
        return torch.cat([member.features(ids, mask) for member in self.members], dim=-1)


class EnsembleMolecule(MoleculeTower):
    """Molecule towers that read the same fingerprints."""

    projection: EnsembleHead
    kind = "fingerprint"
    collate = staticmethod(FingerprintEncoder.collate)

    def __init__(
        self, members: Sequence[FingerprintEncoder], member_dimension: int, dimension: int
    ) -> None:
        super().__init__()
        self.logs = LogCounts()
        self.towers = nn.ModuleList(members)
        self.projection = EnsembleHead(members, member_dimension, dimension)
        self.width = sum(self.projection.widths)

    @property
    def members(self) -> list[FingerprintEncoder]:
        """The towers, in order."""
        return list(self.towers)  # type: ignore[arg-type]

    def features(self, batch: Any) -> Tensor:
        """Those of the members side by side."""
        logs = self.logs(batch)
        return torch.cat([member.features(logs) for member in self.members], dim=-1)


class Ensemble(TwoTowers):
    """The network of a configuration with `members`.

    Parameters
    ----------
    config
        With `members` and `member_dimension`.
    vocabulary, pad_id
        Of the tokenizer, which is the same for all members.
    """

    text: EnsembleText
    molecule: EnsembleMolecule

    def __init__(self, config: MolCLIPConfig, vocabulary: int, pad_id: int) -> None:
        super().__init__(pad_id, config.init_temperature, config.init_bias, config.max_scale)
        inner = config.member_dimension or config.dimension
        towers = [(config.text, config.molecule)]
        towers += [(member.text, member.molecule) for member in config.members]
        self.text = EnsembleText(
            [TextEncoder(text, inner, vocabulary, pad_id, inference=True) for text, _ in towers],
            inner,
            config.dimension,
        )
        self.molecule = EnsembleMolecule(
            [FingerprintEncoder(molecule, inner) for _, molecule in towers],
            inner,
            config.dimension,
        )


def member_of(
    config: MolCLIPConfig, network: TwoTowers, number: int
) -> tuple[MolCLIPConfig, TwoTowers]:
    """Configuration and network of one member, which shares the ensemble's weights and temperature."""
    assert isinstance(network, Ensemble)
    towers = config if number == 0 else config.members[number - 1]
    alone = config.model_copy(
        update={
            "text": towers.text,
            "molecule": towers.molecule,
            "members": [],
            "member_dimension": None,
            "dimension": config.member_dimension or config.dimension,
            "weights_sha256": "",
        }
    )
    made = TwoTowers(network.pad_id, config.init_temperature, None, config.max_scale)
    made.text = network.text.members[number]
    made.molecule = network.molecule.members[number]
    made.log_scale = network.log_scale
    return alone, made
