"""Integrals with known answers."""

import numpy as np
import pytest
import torch
from torch import nn

from molclip.explain.integrated_gradients import Tap, integrate, private_copy


class Table(nn.Module):
    """Gives one row of numbers per copy, through a module that can be tapped."""

    def __init__(self, values, score):
        super().__init__()
        self.tapped = nn.Identity()
        self.values = torch.tensor(values, dtype=torch.float32)
        self.score = score

    def run(self, copies):
        return self.score(self.tapped(self.values.expand(copies, -1)))


def attributed(values, score, baseline=None):
    table = Table(values, score)
    tap = Tap(table.tapped, baseline, columns=True)
    return integrate(table.run, [tap])


def test_a_product_is_shared_equally():
    """Of x·y along the line from 0, each gets half: ∫ αy·x dα."""
    found = attributed([2.0, 3.0], lambda rows: rows[:, 0] * rows[:, 1])
    assert np.allclose(found.parts[0], [[3.0, 3.0]])
    assert (found.baseline, found.score) == (0.0, 6.0)


def test_unequal_powers_are_shared_by_their_exponents():
    """Of x²·y⁴, x gets 2/6 and y 4/6 of the value."""
    found = attributed([1.0, 1.5], lambda rows: rows[:, 0] ** 2 * rows[:, 1] ** 4)
    assert np.allclose(found.parts[0], np.array([[1 / 3, 2 / 3]]) * 1.5**4, rtol=1e-5)


def test_the_baseline_may_be_anything():
    """Of x² from 1 to 3, x gets 8; y does not move and gets nothing."""
    base = torch.tensor([1.0, 5.0])
    found = attributed([3.0, 5.0], lambda rows: rows[:, 0] ** 2 + rows[:, 1], base)
    assert np.allclose(found.parts[0], [[8.0, 0.0]])
    assert (found.baseline, found.score) == (6.0, 14.0)


def test_an_edge_is_found():
    """All change lies within a thousandth of the line: x / (x + y + 0.001) from 0."""
    found = attributed([1.0, 1.0], lambda rows: rows[:, 0] / (rows.sum(1) + 1e-3))
    assert found.steps > 16
    difference = found.score - found.baseline
    assert found.parts[0].sum() == pytest.approx(difference, rel=0.002)
    # By hand, with u = α: x gets ∫ (u + c) / (2u + c)² du, c = 0.001, from 0 to 1.
    c = 1e-3
    expected = (np.log((2 + c) / c) - c / (2 + c) + 1) / 4
    assert found.parts[0][0, 0] == pytest.approx(expected, rel=0.01)


def test_kinks_do_not_matter():
    def score(rows):
        return torch.relu(rows[:, 0] - 0.3) + torch.relu(0.7 - rows[:, 1])

    found = attributed([1.0, 1.0], score)
    assert np.allclose(found.parts[0], [[0.7, -0.7]], atol=0.01)


def test_rows_are_added_up_and_hooks_are_gone():
    table = Table([1.0, 2.0, 3.0, 4.0], lambda rows: rows.sum(1))
    tapped = table.tapped
    found = integrate(table.run, [Tap(tapped)])
    assert np.allclose(found.parts[0], [[10.0]])
    assert not tapped._forward_hooks


def test_a_private_copy_shares_tensors_and_not_hooks():
    original = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3))
    copied = private_copy(original)
    assert [id(tensor) for tensor in copied.parameters()] == [
        id(tensor) for tensor in original.parameters()
    ]
    copied[0].register_forward_hook(lambda *_: torch.zeros(1, 3))
    assert not original[0]._forward_hooks
