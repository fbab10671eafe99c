"""The trainable network: two towers and a temperature."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from molclip.models.config import MolCLIPConfig
from molclip.models.molecule_encoder import molecule_encoder
from molclip.models.text_encoder import TextEncoder


class DualEncoder(nn.Module):
    """Text tower, molecule tower and the logarithm of the inverse temperature.

    `text` is a `TextEncoder`, `molecule` a `MoleculeEncoder`; `bias` is the additive parameter of
    a sigmoid objective, or None where the configuration has no `init_bias`.

    Parameters
    ----------
    config
        Sizes.
    vocabulary, pad_id
        Of the tokenizer.
    inference
        Build what only answers, not what trains; see `text_encoder.build_transformer`.
    """

    def __init__(
        self, config: MolCLIPConfig, vocabulary: int, pad_id: int, *, inference: bool = False
    ) -> None:
        super().__init__()
        self.pad_id = pad_id
        self.max_scale = config.max_scale
        self.text = TextEncoder(
            config.text, config.dimension, vocabulary, pad_id, inference=inference
        )
        self.molecule = molecule_encoder(config.molecule, config.dimension)
        self.log_scale = nn.Parameter(torch.tensor(math.log(1 / config.init_temperature)))
        self.bias: nn.Parameter | None = None
        if config.init_bias is not None:
            self.bias = nn.Parameter(torch.tensor(float(config.init_bias)))

    @property
    def scale(self) -> Tensor:
        """Inverse temperature, clamped at `max_scale` as CLIP does."""
        # Compared as logarithms of one precision: the exponential of a parameter at the limit may
        # lie a hair above `max_scale`, where a clamp has no gradient and would hold it for good.
        limit = torch.full_like(self.log_scale, math.log(self.max_scale))
        return self.log_scale.exp().where(self.log_scale <= limit, self.max_scale)
