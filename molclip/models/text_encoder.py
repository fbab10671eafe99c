"""The text tower: a transformers encoder, pooled and projected to the shared space."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import torch
from torch import Tensor, nn

from molclip.errors import ConfigError
from molclip.models.pre_norm_encoder import MODEL_TYPE, PreNormEncoder
from molclip.models.projection import projection_head

if TYPE_CHECKING:
    from molclip.models.config import TextConfig

# Names of layers and of what lies below them, in the encoders of transformers.
_LAYER = re.compile(r"(?:^|\.)(?:layers?|h|blocks?)\.(\d+)\.")
_LOWEST = re.compile(r"embed|relative_attention_bias")
# Below so many tokens a matrix product does not fill a machine.
_USEFUL_TOKENS = 1024
# Position numbers that these models leave out, besides those up to the padding token.
_OFFSET_FAMILIES = re.compile(r"roberta|camembert|mpnet|longformer")


def build_transformer(
    config: TextConfig, vocabulary: int, pad_id: int, *, inference: bool = False
) -> nn.Module:
    """A transformers encoder from its configuration (fresh weights), or a pretrained one.

    With `inference` the default architecture comes as `PreNormEncoder`, which starts faster.

    Raises
    ------
    ConfigError
        When the configuration describes no encoder.
    ModelError
        When the pretrained encoder is not there.
    """
    if config.pretrained:
        from molclip.models.pretrained_text import load_transformer

        return load_transformer(config.pretrained)
    # What a saved model states goes before what its tokenizer suggests.
    arguments = {"vocab_size": vocabulary, "pad_token_id": pad_id, **config.encoder}
    model_type = arguments.pop("model_type", None)
    if inference and model_type == MODEL_TYPE:
        return PreNormEncoder(arguments)
    try:
        return _built(model_type, arguments)
    # transformers checks its configurations as it goes, and raises all sorts.
    except Exception as error:
        said = str(error).strip().splitlines()
        raise ConfigError(
            f"No text encoder can be built from model_type {model_type!r} and these sizes: "
            f"{said[0] if said else type(error).__name__}.",
            "See the arguments of that configuration class of transformers.",
        ) from error


def _built(model_type: Any, arguments: dict[str, Any]) -> nn.Module:
    if model_type == MODEL_TYPE:
        from transformers.models.roberta_prelayernorm.configuration_roberta_prelayernorm import (
            RobertaPreLayerNormConfig,
        )
        from transformers.models.roberta_prelayernorm.modeling_roberta_prelayernorm import (
            RobertaPreLayerNormModel,
        )

        return RobertaPreLayerNormModel(
            RobertaPreLayerNormConfig(**arguments), add_pooling_layer=False
        )
    from transformers import AutoConfig, AutoModel

    from molclip.models.pretrained_text import without_pooler

    automatic: Any = AutoModel
    built: nn.Module = without_pooler(
        automatic.from_config(AutoConfig.for_model(model_type, **arguments))
    )
    return built


def layer_of(name: str, depth: int) -> int:
    """Layer of a transformer that a parameter belongs to.

    Parameters
    ----------
    name
        Of the parameter within the transformer, such as `encoder.layer.3.output.dense.weight`.
    depth
        Number of layers.

    Returns
    -------
    0 for the embeddings and what all layers share, 1 to `depth` for the layers, `depth` for what
    follows them (the final norm of a pre-norm encoder).
    """
    numbered = _LAYER.search(name)
    if numbered:
        return int(numbered.group(1)) + 1
    return 0 if _LOWEST.search(name) else depth


def freeze_layers(text: TextEncoder, layers: int | Literal["encoder"]) -> None:
    """Exclude the lowest layers of a text encoder from training, in place; dropout stays on.

    Parameters
    ----------
    text
        Its head stays trainable.
    layers
        The embeddings and so many layers above them, counted from below; 0: nothing;
        `encoder`: everything below the head.

    Raises
    ------
    ConfigError
        When the encoder has fewer layers.
    """
    if layers == 0:
        return
    if layers != "encoder" and layers > text.depth:
        raise ConfigError(
            f"{layers} layers of the text encoder cannot be frozen: it has {text.depth}.",
            f'Set freeze_text to at most {text.depth}, or to "encoder".',
        )
    for name, parameter in text.transformer.named_parameters():
        if layers == "encoder" or layer_of(name, text.depth) <= layers:
            parameter.requires_grad_(False)


class TextTower(nn.Module):
    """Token ids in, unit vectors out: what an encoder and an ensemble of them have in common."""

    width: int
    """Width of the features before the head."""
    projection: nn.Module
    """The head."""

    @property
    def transformers(self) -> list[nn.Module]:
        """The transformers within."""
        raise NotImplementedError

    def features(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Pooled hidden states ``(N, width)`` of token ids and attention mask ``(N, T)``."""
        raise NotImplementedError

    def project(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Float32 ``(N, D)`` after the head, not normalised."""
        projected: Tensor = self.projection(self.features(ids, mask))
        return projected.float()

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Float32 unit vectors ``(N, D)`` of token ids ``(N, T)`` and attention mask ``(N, T)``."""
        return nn.functional.normalize(self.project(ids, mask), dim=-1)

    def forward_sorted(self, ids: list[list[int]], pad_id: int, chunk: int = 128) -> Tensor:
        """As `forward`, for token lists of any lengths: sorted, padded chunk by chunk.

        Texts of like length share a chunk, so that little work goes into padding; the rows come
        back in the order given.
        """
        return self._sorted(self, ids, pad_id, chunk)

    def project_sorted(self, ids: list[list[int]], pad_id: int, chunk: int = 128) -> Tensor:
        """As `project`, for token lists as in `forward_sorted`."""
        return self._sorted(self.project, ids, pad_id, chunk)

    def features_sorted(self, ids: list[list[int]], pad_id: int, chunk: int = 128) -> Tensor:
        """As `features`, for token lists as in `forward_sorted`."""
        return self._sorted(self.features, ids, pad_id, chunk)

    def _sorted(
        self,
        encode: Callable[[Tensor, Tensor], Tensor],
        ids: list[list[int]],
        pad_id: int,
        chunk: int,
    ) -> Tensor:
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
        device = next(self.parameters()).device
        parts = []
        for places in _alike(order, [len(row) for row in ids], chunk):
            rows = [ids[row] for row in places]
            width = max(1, *(len(row) for row in rows))
            tokens = torch.full((len(rows), width), pad_id, dtype=torch.long)
            mask = torch.zeros((len(rows), width), dtype=torch.long)
            for index, row in enumerate(rows):
                tokens[index, : len(row)] = torch.tensor(row, dtype=torch.long)
                mask[index, : len(row)] = 1
            parts.append(encode(tokens.to(device), mask.to(device)))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order, dtype=torch.long)] = torch.arange(len(order))
        return torch.cat(parts)[back.to(device)]


class TextEncoder(TextTower):
    """One transformer, pooled, with its head.

    Parameters
    ----------
    config
        Size, pooling and head.
    dimension
        Width of the shared space.
    vocabulary, pad_id
        Of the tokenizer.
    inference
        See `build_transformer`.
    """

    def __init__(
        self,
        config: TextConfig,
        dimension: int,
        vocabulary: int,
        pad_id: int,
        *,
        inference: bool = False,
    ) -> None:
        super().__init__()
        self.pooling = _resolved_pooling(config)
        """How hidden states become one vector: `mean` or `cls`."""
        self.transformer = build_transformer(config, vocabulary, pad_id, inference=inference)
        described: Any = self.transformer.config
        self.width = int(described.hidden_size)
        """Width of the features before the head."""
        self.depth = int(getattr(described, "num_hidden_layers", 0))
        """Layers of the transformer."""
        _check_length(described, config.max_tokens)
        self.projection = projection_head(config.head, self.width, dimension)

    @property
    def transformers(self) -> list[nn.Module]:
        """The one transformer."""
        return [self.transformer]

    def features(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Pooled hidden states ``(N, width)`` of token ids and attention mask ``(N, T)``."""
        hidden: Tensor = self.transformer(input_ids=ids, attention_mask=mask).last_hidden_state
        if self.pooling == "cls":
            return hidden[:, 0]
        weights = mask.to(hidden.dtype).unsqueeze(-1)
        return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)


def _alike(order: list[int], lengths: list[int], most: int) -> Iterator[list[int]]:
    """Consecutive pieces of `order`, which rises by length, of texts that need little padding.

    A piece ends at `most` texts, and where the next text would pad a piece of a useful size by more
    than an eighth: the longest of a batch are several times as long as the rest.
    """
    piece: list[int] = []
    filled = 0
    for place in order:
        length = lengths[place]
        padded = length * (len(piece) + 1)
        wasteful = filled >= _USEFUL_TOKENS and padded > 1.125 * (filled + length)
        if piece and (len(piece) == most or wasteful):
            yield piece
            piece, filled = [], 0
        piece.append(place)
        filled += length
    if piece:
        yield piece


def _resolved_pooling(config: TextConfig) -> Literal["mean", "cls"]:
    if config.pooling != "auto":
        return config.pooling
    if config.pretrained is None:
        return "mean"
    from molclip.models.pretrained_text import pooling_of

    return pooling_of(config.pretrained)


def _check_length(described: Any, max_tokens: int) -> None:
    """Refuse a text length for which the encoder has no positions."""
    positions = getattr(described, "max_position_embeddings", None) or 0
    if positions > 0 and _OFFSET_FAMILIES.search(getattr(described, "model_type", "")):
        positions -= (described.pad_token_id or 0) + 1
    if 0 < positions < max_tokens:
        raise ConfigError(
            f"Texts of {max_tokens} pieces do not fit this text encoder, which has "
            f"{positions} positions.",
            f"Set max_tokens to {positions} or less, or give a new encoder more "
            "max_position_embeddings.",
        )
