"""bfloat16 where the processor has it, float32 where it would be slow."""

import warnings

import pytest
import torch

from molclip.training.precision import computes_in_bf16

CPU = torch.device("cpu")


@pytest.mark.parametrize(
    ("capability", "expected"), [("AVX2", False), ("DEFAULT", False), ("AVX512", True)]
)
def test_auto_follows_the_processor(monkeypatch, capability, expected):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: capability)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert computes_in_bf16("auto", CPU) is expected
        assert computes_in_bf16("float32", CPU) is False


def test_slow_bf16_is_done_as_told_with_a_warning(monkeypatch):
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: "AVX2")
    with pytest.warns(UserWarning, match="no fast bfloat16"):
        assert computes_in_bf16("bf16", CPU) is True
