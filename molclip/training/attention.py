"""Which implementation of attention trains fastest on this device."""

from __future__ import annotations

from typing import Any

from torch import nn


def quick_attention(transformer: nn.Module) -> None:
    """Let a transformers encoder use plain matrix products for attention.

    On a CPU in bfloat16, torch's fused attention takes four times as long forward and backward
    (batch 128, 4 heads of 64, 100 tokens, 2 cores: 88 against 21 ms; `benchmarks/attention.py`). In
    float32 and on a GPU the fused one is as fast or faster. Encoders without a choice stay as they
    are.
    """
    choose: Any = getattr(transformer, "set_attn_implementation", None)
    if choose is not None:
        choose("eager")
