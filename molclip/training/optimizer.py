"""AdamW, whose parameters are grouped by decay and by rate, and its schedule."""

from __future__ import annotations

import math
from itertools import chain
from typing import Any

import torch
from torch import nn

from molclip.models.network import DualEncoder
from molclip.models.text_encoder import layer_of
from molclip.training.config import OptimizerSection


def build_optimizer(
    network: DualEncoder, settings: OptimizerSection, decoder: nn.Module | None = None
) -> torch.optim.Optimizer:
    """AdamW over all trainable parameters of the network, and of a decoder beside it.

    The temperature, the bias, norms and biases are not decayed. Every group carries `share`, its
    part of the learning rate: the text encoder below its head may have a rate of its own
    (`text_learning_rate`), and each of its layers `text_layer_decay` times that of the layer
    above, so that the general lower layers of a pretrained encoder move least.
    """
    depth = network.text.depth
    groups: dict[tuple[float, float], list[nn.Parameter]] = {}
    beside = decoder.named_parameters(prefix="decoder") if decoder is not None else ()
    for name, parameter in chain(network.named_parameters(), beside):
        if not parameter.requires_grad:
            continue
        share = 1.0
        if name.startswith("text.transformer."):
            if settings.text_learning_rate is not None:
                share = settings.text_learning_rate / settings.learning_rate
            layer = layer_of(name.removeprefix("text.transformer."), depth)
            share *= settings.text_layer_decay ** max(depth - layer, 0)
        decay = settings.weight_decay if parameter.ndim >= 2 else 0.0
        groups.setdefault((decay, share), []).append(parameter)
    described: list[dict[str, Any]] = [
        {"params": parameters, "weight_decay": decay, "share": share}
        for (decay, share), parameters in groups.items()
    ]
    return torch.optim.AdamW(described, lr=settings.learning_rate, betas=settings.betas, fused=True)


def rate_at(settings: OptimizerSection, step: int, total: int) -> float:
    """Learning rate of step `step` of `total`: a linear warm-up, then constant or a cosine to 0."""
    warm = round(total * settings.warmup)
    if step < warm:
        return settings.learning_rate * (step + 1) / warm
    if settings.schedule == "constant":
        return settings.learning_rate
    done = min(1.0, (step - warm) / max(total - warm, 1))
    return settings.learning_rate * 0.5 * (1 + math.cos(math.pi * done))


def set_rate(optimizer: torch.optim.Optimizer, rate: float) -> None:
    """Give every group its share of `rate`."""
    for group in optimizer.param_groups:
        group["lr"] = rate * group["share"]
