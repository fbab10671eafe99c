"""Projection heads: from the features of an encoder to the shared space."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import nn

from molclip.errors import ConfigError

if TYPE_CHECKING:
    from molclip.models.config import HeadConfig


def projection_head(config: HeadConfig, width: int, dimension: int) -> nn.Module:
    """The head of one tower, ``(N, width)`` to ``(N, dimension)``, not normalised.

    Parameters
    ----------
    config
        `kind` is one of

        - `none`: the features themselves are contrasted, so `width` must equal `dimension`;
        - `linear`: one matrix without bias, as in CLIP [1]_;
        - `mlp`: `depth` linear layers, with normalisation and GELU between them, as in
          SimCLR [2]_. The last layer has no bias, so `depth` 1 is the linear head.
    width
        Width of the encoder's features.
    dimension
        Width of the shared space.

    Raises
    ------
    ConfigError
        For `none` where the two widths differ.

    References
    ----------
    .. [1] Radford et al., Learning Transferable Visual Models From Natural Language
       Supervision, ICML 2021.
    .. [2] Chen et al., A Simple Framework for Contrastive Learning of Visual Representations,
       ICML 2020.
    """
    if config.kind == "none":
        if width != dimension:
            raise ConfigError(
                f"A tower of {width} features without a head cannot fill a shared space of "
                f"{dimension} dimensions.",
                f'Set the dimension to {width}, or use kind = "linear" for this head.',
            )
        return nn.Identity()
    if config.kind == "linear":
        return nn.Linear(width, dimension, bias=False)
    layers: list[nn.Module] = []
    for _ in range(config.depth - 1):
        layers.append(nn.Linear(width, config.hidden))
        if config.norm == "layer":
            layers.append(nn.LayerNorm(config.hidden))
        layers.append(nn.GELU())
        width = config.hidden
    layers.append(nn.Linear(width, dimension, bias=False))
    return nn.Sequential(*layers)
