"""How weights lie on disk: as they are, in half the bytes, or in a quarter of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import torch
from torch import Tensor

Storage = Literal["float32", "float16", "int8"]

_SCALES = ".int8_scale"
_LARGEST = 127


def stored(state: Mapping[str, Tensor], kind: Storage) -> dict[str, Tensor]:
    """Tensors to write.

    Parameters
    ----------
    state
        Floating-point weights by name.
    kind
        `float32`; `float16`; or `int8`, by which a matrix W of shape ``(rows, columns)`` becomes
        round(127 W / max |row|) with the float32 scale max |row| / 127 of each row, and what is no
        matrix stays float32. The error of a weight is at most half a scale.

    Returns
    -------
    A new dictionary; `restored` undoes it.
    """
    if kind != "int8":
        wanted = torch.float16 if kind == "float16" else torch.float32
        return {name: _plain(tensor, wanted) for name, tensor in state.items()}
    made = {}
    for name, tensor in state.items():
        if tensor.ndim < 2:
            # Temperature and norms: few numbers that touch every vector.
            made[name] = _plain(tensor, torch.float32)
            continue
        weights = _plain(tensor, torch.float32)
        scales = weights.abs().flatten(1).amax(1) / _LARGEST
        divisors = torch.where(scales > 0, scales, torch.ones_like(scales))
        shape = (-1, *[1] * (weights.ndim - 1))
        made[name] = (weights / divisors.view(shape)).round().to(torch.int8)
        made[name + _SCALES] = scales
    return made


def restored(found: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """The float32 weights of `stored` tensors."""
    state = {}
    for name, tensor in found.items():
        if name.endswith(_SCALES):
            continue
        scales = found.get(name + _SCALES)
        weights = tensor.float()
        if scales is not None:
            weights *= scales.view(-1, *[1] * (tensor.ndim - 1))
        state[name] = weights
    return state


def _plain(tensor: Tensor, kind: torch.dtype) -> Tensor:
    return tensor.detach().to("cpu", kind).contiguous()
