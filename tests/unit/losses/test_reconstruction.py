"""Reconstruction: the cross-entropy of scikit-learn, over what ignorance costs."""

import numpy as np
import torch
from sklearn.metrics import log_loss

from molclip.losses.reconstruction import reconstruction_loss


def test_knowing_how_common_each_feature_is_and_nothing_else_costs_one():
    present = torch.tensor([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]])
    prior = present.mean(0)
    logits = torch.logit(prior).expand_as(present)
    assert reconstruction_loss(logits, present, prior).item() == np.float32(1).item()


def test_a_perfect_decoder_costs_nothing():
    present = torch.tensor([[True, False], [False, True]])
    loss = reconstruction_loss(100.0 * (2 * present.float() - 1), present, torch.full((2,), 0.5))
    assert loss.item() < 1e-6


def test_equals_the_ratio_of_two_log_losses():
    rng = np.random.default_rng(0)
    present = rng.random((40, 6)) < [0.1, 0.3, 0.5, 0.5, 0.7, 0.9]
    present[0], present[1] = True, False  # both classes in every column
    logits = rng.normal(size=present.shape)
    prior = present.mean(0)
    said = 1 / (1 + np.exp(-logits))
    missing = sum(log_loss(present[:, j], said[:, j]) for j in range(6))
    ignorance = sum(log_loss(present[:, j], np.full(40, prior[j])) for j in range(6))
    loss = reconstruction_loss(
        torch.tensor(logits), torch.tensor(present), torch.tensor(prior, dtype=torch.float64)
    )
    np.testing.assert_allclose(loss.item(), missing / ignorance, rtol=1e-9)
