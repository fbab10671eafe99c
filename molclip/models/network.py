"""The network: two towers and a temperature."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from molclip.models.config import MolCLIPConfig
from molclip.models.molecule_encoder import MoleculeTower, molecule_encoder
from molclip.models.text_encoder import TextEncoder, TextTower


class TwoTowers(nn.Module):
    """Text tower, molecule tower and the logarithm of the inverse temperature.

    Parameters
    ----------
    pad_id
        Of the tokenizer.
    init_temperature, init_bias, max_scale
        As in `MolCLIPConfig`.
    """

    text: TextTower
    molecule: MoleculeTower

    def __init__(
        self, pad_id: int, init_temperature: float, init_bias: float | None, max_scale: float
    ) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.max_scale = max_scale
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / init_temperature)))
        self.bias: nn.Parameter | None = None
        """The additive parameter of a sigmoid objective; None for other objectives."""
        if init_bias is not None:
            self.bias = nn.Parameter(torch.tensor(float(init_bias)))

    @property
    def scale(self) -> Tensor:
        """Inverse temperature, clamped at `max_scale` as CLIP does."""
        # Compared as logarithms of one precision: the exponential of a parameter at the limit may
        # lie a hair above `max_scale`, where a clamp has no gradient and would hold it for good.
        limit = torch.full_like(self.log_scale, math.log(self.max_scale))
        return self.log_scale.exp().where(self.log_scale <= limit, self.max_scale)


class DualEncoder(TwoTowers):
    """One text encoder and one molecule encoder; what is trained.

    Parameters
    ----------
    config
        Sizes.
    vocabulary, pad_id
        Of the tokenizer.
    inference
        Build what only answers, not what trains; see `text_encoder.build_transformer`.
    """

    text: TextEncoder

    def __init__(
        self, config: MolCLIPConfig, vocabulary: int, pad_id: int, *, inference: bool = False
    ) -> None:
        super().__init__(pad_id, config.init_temperature, config.init_bias, config.max_scale)
        self.text = TextEncoder(
            config.text, config.dimension, vocabulary, pad_id, inference=inference
        )
        self.molecule = molecule_encoder(config.molecule, config.dimension)
