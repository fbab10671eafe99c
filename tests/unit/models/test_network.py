"""The temperature at its clamp."""

import math

import pytest
import torch
from model_fakes import tiny_model


def test_the_temperature_is_clamped_and_can_leave_the_clamp_again():
    network = tiny_model().network
    with torch.no_grad():
        network.log_scale.fill_(7.0)
    assert network.scale.item() == pytest.approx(network.max_scale)
    # As the trainer leaves the parameter after a step.
    with torch.no_grad():
        network.log_scale.clamp_(max=math.log(network.max_scale))
    network.scale.backward()
    assert network.log_scale.grad.item() == pytest.approx(network.max_scale)
