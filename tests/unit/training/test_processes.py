"""The processes of a run: devices that are not there, and how long one waits for another."""

from datetime import timedelta

import pytest
import torch

from molclip.errors import ConfigError
from molclip.training.distributed import Processes


def test_the_others_wait_for_hours_for_the_first():
    # Features of ten million molecules, an evaluation: torch would give up after 10 or 30 minutes.
    assert Processes("cpu").accelerator.init_handler.timeout > timedelta(hours=3)


@pytest.mark.parametrize(("device", "words"), [("gpu", "no device 'gpu'"), ("cuda", "usable GPU")])
def test_a_device_that_is_not_there_is_named(monkeypatch, device, words):
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(ConfigError, match=words):
        Processes(device)
