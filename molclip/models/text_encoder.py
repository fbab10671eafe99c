"""The text tower: a transformers encoder, pooled and projected to the shared space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from molclip.models.config import TextConfig
from molclip.models.pre_norm_encoder import MODEL_TYPE, PreNormEncoder
from molclip.models.projection import projection_head


def build_transformer(
    config: TextConfig, vocabulary: int, pad_id: int, *, inference: bool = False
) -> nn.Module:
    """A transformers encoder from its configuration (fresh weights), or a pretrained one.

    With `inference` the default architecture comes as `PreNormEncoder`, which starts faster.
    """
    if config.pretrained:
        from transformers import AutoModel

        loaded: nn.Module = AutoModel.from_pretrained(config.pretrained)
        return loaded
    arguments = dict(config.encoder)
    model_type = arguments.pop("model_type")
    arguments |= {"vocab_size": vocabulary, "pad_token_id": pad_id}
    if inference and model_type == MODEL_TYPE:
        return PreNormEncoder(arguments)
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

    automatic: Any = AutoModel
    built: nn.Module = automatic.from_config(AutoConfig.for_model(model_type, **arguments))
    return built


class TextEncoder(nn.Module):
    """Token ids in, unit vectors out.

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
        self.pooling = config.pooling
        self.transformer = build_transformer(config, vocabulary, pad_id, inference=inference)
        described: Any = self.transformer.config
        self.width = int(described.hidden_size)
        """Width of the features before the head."""
        self.projection = projection_head(config.head, self.width, dimension)

    def features(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Pooled hidden states ``(N, width)`` of token ids and attention mask ``(N, T)``."""
        hidden: Tensor = self.transformer(input_ids=ids, attention_mask=mask).last_hidden_state
        if self.pooling == "cls":
            return hidden[:, 0]
        weights = mask.to(hidden.dtype).unsqueeze(-1)
        return (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)

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
        for start in range(0, len(order), chunk):
            rows = [ids[row] for row in order[start : start + chunk]]
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
