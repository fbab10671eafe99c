"""The text tower: a transformers encoder, pooled and projected to the shared space."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from molclip.models.config import TextConfig
from molclip.models.pre_norm_encoder import MODEL_TYPE, PreNormEncoder


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
        Size and pooling.
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
        self.projection = nn.Linear(int(described.hidden_size), dimension, bias=False)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Unit vectors ``(N, D)`` of token ids ``(N, T)`` with attention mask ``(N, T)``."""
        hidden = self.transformer(input_ids=ids, attention_mask=mask).last_hidden_state
        if self.pooling == "cls":
            pooled = hidden[:, 0]
        else:
            weights = mask.to(hidden.dtype).unsqueeze(-1)
            pooled = (hidden * weights).sum(1) / weights.sum(1).clamp(min=1)
        return nn.functional.normalize(self.projection(pooled).float(), dim=-1)

    def forward_sorted(self, ids: list[list[int]], pad_id: int, chunk: int = 128) -> Tensor:
        """As `forward`, for token lists of any lengths: sorted, padded chunk by chunk.

        Texts of like length share a chunk, so that little work goes into padding; the rows come
        back in the order given.
        """
        order = sorted(range(len(ids)), key=lambda row: len(ids[row]))
        device = self.projection.weight.device
        parts = []
        for start in range(0, len(order), chunk):
            rows = [ids[row] for row in order[start : start + chunk]]
            width = max(1, *(len(row) for row in rows))
            tokens = torch.full((len(rows), width), pad_id, dtype=torch.long)
            mask = torch.zeros((len(rows), width), dtype=torch.long)
            for index, row in enumerate(rows):
                tokens[index, : len(row)] = torch.tensor(row, dtype=torch.long)
                mask[index, : len(row)] = 1
            parts.append(self(tokens.to(device), mask.to(device)))
        back = torch.empty(len(order), dtype=torch.long)
        back[torch.tensor(order, dtype=torch.long)] = torch.arange(len(order))
        return torch.cat(parts)[back.to(device)]
