"""The built-in text architecture without the transformers library, for a quick start.

Importing a model class of transformers takes longer than answering a query from the command line
may take in all. This encoder has the parameters, names and arithmetic of transformers'
`RobertaPreLayerNormModel`, so a weights file loads into either; a test holds both to each other.
Training always uses the transformers class.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

MODEL_TYPE = "roberta-prelayernorm"


class _Attention(nn.Module):
    """Normalise, attend, add."""

    def __init__(self, width: int, heads: int, eps: float) -> None:
        super().__init__()
        self.heads = heads
        self.LayerNorm = nn.LayerNorm(width, eps=eps)
        self.self = nn.ModuleDict({n: nn.Linear(width, width) for n in ("query", "key", "value")})
        self.output = nn.ModuleDict({"dense": nn.Linear(width, width)})

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Add what attention finds to ``(N, T, width)``; `mask` is bool ``(N, 1, 1, T)``."""
        size, length, width = hidden.shape
        normalised = self.LayerNorm(hidden)

        def heads(name: str) -> Tensor:
            projected: Tensor = self.self[name](normalised)
            return projected.view(size, length, self.heads, -1).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            heads("query"), heads("key"), heads("value"), attn_mask=mask
        )
        added: Tensor = self.output["dense"](mixed.transpose(1, 2).reshape(size, length, width))
        return hidden + added


class _Layer(nn.Module):
    """Attention, then a perceptron over each position."""

    def __init__(self, width: int, heads: int, inner: int, eps: float) -> None:
        super().__init__()
        self.attention = _Attention(width, heads, eps)
        self.intermediate = nn.ModuleDict(
            {"LayerNorm": nn.LayerNorm(width, eps=eps), "dense": nn.Linear(width, inner)}
        )
        self.output = nn.ModuleDict({"dense": nn.Linear(inner, width)})

    def forward(self, hidden: Tensor, mask: Tensor) -> Tensor:
        """Same shape out as in."""
        attended = self.attention(hidden, mask)
        inner = self.intermediate["dense"](self.intermediate["LayerNorm"](attended))
        added: Tensor = self.output["dense"](functional.gelu(inner))
        return attended + added  # type: ignore[no-any-return]


class PreNormEncoder(nn.Module):
    """A pre-norm transformer encoder.

    Parameters
    ----------
    arguments
        Those of transformers' `RobertaPreLayerNormConfig`; dropout is ignored, since this class
        only infers.
    """

    def __init__(self, arguments: dict[str, Any]) -> None:
        super().__init__()
        width = arguments["hidden_size"]
        eps = arguments.get("layer_norm_eps", 1e-12)
        self.config = SimpleNamespace(
            hidden_size=width, num_hidden_layers=arguments["num_hidden_layers"]
        )
        self.pad_id = arguments["pad_token_id"]
        self.embeddings = nn.ModuleDict(
            {
                "word_embeddings": nn.Embedding(arguments["vocab_size"], width),
                "position_embeddings": nn.Embedding(arguments["max_position_embeddings"], width),
                "token_type_embeddings": nn.Embedding(arguments.get("type_vocab_size", 2), width),
                "LayerNorm": nn.LayerNorm(width, eps=eps),
            }
        )
        layers = [
            _Layer(width, arguments["num_attention_heads"], arguments["intermediate_size"], eps)
            for _ in range(arguments["num_hidden_layers"])
        ]
        self.encoder = nn.ModuleDict({"layer": nn.ModuleList(layers)})
        self.LayerNorm = nn.LayerNorm(width, eps=eps)

    def forward(self, input_ids: Tensor, attention_mask: Tensor) -> SimpleNamespace:
        """`last_hidden_state` of token ids ``(N, T)`` under an attention mask ``(N, T)``."""
        known = (input_ids != self.pad_id).long()
        positions = known.cumsum(dim=1) * known + self.pad_id
        hidden = self.embeddings["word_embeddings"](input_ids)
        hidden = hidden + self.embeddings["position_embeddings"](positions)
        hidden = hidden + self.embeddings["token_type_embeddings"](torch.zeros_like(input_ids))
        hidden = self.embeddings["LayerNorm"](hidden)
        mask = attention_mask[:, None, None, :].bool()
        for layer in self.encoder["layer"]:  # type: ignore[attr-defined]
            hidden = layer(hidden, mask)
        return SimpleNamespace(last_hidden_state=self.LayerNorm(hidden))
