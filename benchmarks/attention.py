"""Plain and fused attention, forward and backward, in bfloat16 and float32 on this device.

`python benchmarks/attention.py`; the choice in `molclip/training/attention.py` rests on it.
"""

from __future__ import annotations

import time

import torch
from rich.console import Console
from rich.table import Table
from torch.nn import functional

SHAPES = ((128, 4, 100, 64), (128, 4, 60, 64), (128, 2, 100, 64))
REPEATS = 8


def plain(query, key, value, mask):
    """Softmax of scaled products, written out."""
    scores = (query @ key.transpose(-1, -2)) * query.shape[-1] ** -0.5
    weights = scores.masked_fill(~mask, torch.finfo(scores.dtype).min).softmax(dim=-1)
    return weights.to(value.dtype) @ value


def fused(query, key, value, mask):
    """Torch's own."""
    return functional.scaled_dot_product_attention(query, key, value, attn_mask=mask)


def milliseconds(attend, shape, dtype) -> float:
    """Of one forward and backward pass."""
    batch, _, length, _ = shape
    tensors = [torch.randn(shape, dtype=dtype, requires_grad=True) for _ in range(3)]
    mask = torch.ones(batch, 1, 1, length, dtype=torch.bool)
    for _ in range(2):
        attend(*tensors, mask).float().sum().backward()
    started = time.perf_counter()
    for _ in range(REPEATS):
        attend(*tensors, mask).float().sum().backward()
    return (time.perf_counter() - started) / REPEATS * 1000


def main() -> None:
    """Print milliseconds and the ratio."""
    table = Table("batch, heads, tokens, width", "type", "fused", "plain", "fused / plain")
    for shape in SHAPES:
        for dtype in (torch.bfloat16, torch.float32):
            slow, quick = (milliseconds(attend, shape, dtype) for attend in (fused, plain))
            kind = str(dtype).removeprefix("torch.")
            table.add_row(
                str(shape), kind, f"{slow:.0f} ms", f"{quick:.0f} ms", f"{slow / quick:.1f}"
            )
    Console().print(table)


if __name__ == "__main__":
    main()
