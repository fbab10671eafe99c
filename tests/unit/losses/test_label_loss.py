"""Labels with several holders: `clip` where each has one, and a loop where they have more."""

import math

import numpy as np
import pytest
import torch
from torch.nn.functional import normalize

from molclip.losses import Terms, clip_loss
from molclip.losses.labels import label_loss


def _unit(rows: int, seed: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return normalize(torch.randn(rows, 8, generator=generator, dtype=torch.float64), dim=-1)


def test_one_holder_each_is_the_loss_of_clip():
    labels, molecules, scale = _unit(6, 0), _unit(6, 1), torch.tensor(7.0, dtype=torch.float64)
    found = label_loss(labels, molecules, torch.eye(6, dtype=torch.bool), scale)
    expected = clip_loss(labels, molecules, Terms(scale)).loss
    torch.testing.assert_close(found, expected)


def test_other_holders_are_no_candidates():
    labels, molecules, scale = _unit(3, 2), _unit(5, 3), torch.tensor(4.0, dtype=torch.float64)
    holds = np.array([[1, 1, 0, 0, 0], [0, 0, 1, 0, 1], [0, 1, 0, 0, 1]], dtype=bool)
    logits = (scale * labels @ molecules.T).numpy()

    def one_way(table: np.ndarray, held: np.ndarray) -> float:
        means = []
        for row, mine in zip(table, held, strict=True):
            others = sum(math.exp(x) for x, m in zip(row, mine, strict=True) if not m)
            each = [-math.log(math.exp(x) / (math.exp(x) + others)) for x in row[mine]]
            if each:
                means.append(sum(each) / len(each))
        return sum(means) / len(means)

    expected = (one_way(logits, holds) + one_way(logits.T, holds.T)) / 2
    found = label_loss(labels, molecules, torch.from_numpy(holds), scale)
    assert found.item() == pytest.approx(expected, rel=1e-9)


def test_a_label_that_all_hold_teaches_nothing_and_breaks_nothing():
    labels = _unit(1, 4).requires_grad_()
    molecules = _unit(3, 5)
    loss = label_loss(
        labels, molecules, torch.ones(1, 3, dtype=torch.bool), torch.tensor(9.0).double()
    )
    loss.backward()
    assert loss.item() == 0
    assert labels.grad is not None
    assert torch.isfinite(labels.grad).all()


def test_gradients_are_finite_where_some_labels_are_held_by_all():
    labels, molecules = _unit(2, 6).requires_grad_(), _unit(3, 7).requires_grad_()
    holds = torch.tensor([[True, True, True], [True, False, False]])
    label_loss(labels, molecules, holds, torch.tensor(20.0).double()).backward()
    assert labels.grad is not None
    assert torch.isfinite(labels.grad).all()
    assert labels.grad[1].abs().sum() > 0
