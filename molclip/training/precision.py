"""In which numbers the encoders compute: bfloat16 where the processor multiplies in it."""

from __future__ import annotations

import warnings

import torch

from molclip.training.config import Precision


def computes_in_bf16(precision: Precision, device: torch.device) -> bool:
    """Whether the encoders run under bfloat16 autocast.

    Parameters
    ----------
    precision
        `auto` takes bfloat16 where the device has it, else float32.
    device
        Of the run.

    Warns
    -----
    UserWarning
        When `bf16` is asked for on a processor without: products of matrices are then computed
        in plain loops, measured at 1 to 20 instead of 106 to 148 billion operations a second on
        two cores with AVX2.
    """
    if precision == "float32":
        return False
    there = has_bf16(device)
    if precision == "bf16" and not there:
        warnings.warn(
            "This processor has no fast bfloat16, so training may take many times as long; set "
            'run.precision = "float32" or "auto".',
            stacklevel=3,
        )
    return there or precision == "bf16"


def has_bf16(device: torch.device) -> bool:
    """Whether a device multiplies bfloat16 matrices at least as fast as float32 ones."""
    if device.type == "cuda":
        return bool(torch.cuda.is_bf16_supported())
    if device.type != "cpu":
        return True
    # What oneDNN, torch's library for such products, asks of an x86 processor.
    return torch.backends.cpu.get_cpu_capability().startswith(("AVX512", "SVE"))
