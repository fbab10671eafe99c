"""Hard-negative weights and the semi-hard filter against loops over their definitions."""

import math

import pytest
import torch

from molclip.losses import Negatives, Terms, clip_loss, siglip_loss
from molclip.losses.negatives import contrast, log_weights, semi_hard


def one(value):
    return torch.tensor(float(value), dtype=torch.float64)


def test_weights_have_mean_one_and_grow_with_similarity():
    logits = torch.tensor([[5.0, 1.0, 2.0, 9.0]])
    rival = torch.tensor([[False, True, True, False]])
    weights = log_weights(logits, rival, 1.0).exp()
    total = math.e + math.e**2
    expected = [1, 2 * math.e / total, 2 * math.e**2 / total, 1]
    assert weights[0].tolist() == pytest.approx(expected, abs=1e-6)


def test_hard_negative_loss_equals_the_loop(unit_rows):
    text, molecules = unit_rows(5, 4, 1), unit_rows(5, 4, 2)
    scale, beta = 3.0, 0.7
    logits = (scale * text @ molecules.T).tolist()

    def direction(rows):
        total = 0.0
        for i, row in enumerate(rows):
            others = [z for j, z in enumerate(row) if j != i]
            mean = sum(math.exp(beta * z) for z in others) / len(others)
            weighted = sum(math.exp(beta * z) / mean * math.exp(z) for z in others)
            total += -math.log(math.exp(row[i]) / (math.exp(row[i]) + weighted))
        return total / len(rows)

    expected = (direction(logits) + direction(list(zip(*logits, strict=True)))) / 2
    ours = clip_loss(text, molecules, Terms(one(scale), negatives=Negatives(beta=beta))).loss
    assert ours.item() == pytest.approx(expected, abs=1e-9)


def test_a_single_negative_has_weight_one(unit_rows):
    text, molecules = unit_rows(2, 4, 1), unit_rows(2, 4, 2)
    plain = clip_loss(text, molecules, Terms(one(3))).loss
    weighted = clip_loss(text, molecules, Terms(one(3), negatives=Negatives(beta=4.0))).loss
    assert weighted.item() == pytest.approx(plain.item())


def test_semi_hard_keeps_what_lies_just_below_the_partner():
    logits = torch.tensor([[1.0, 1.2, 0.9, 0.4], [1.0, 5.0, 0.1, 0.2]])
    targets = torch.tensor([0, 1])
    rival = torch.ones(2, 4, dtype=torch.bool)
    rival[[0, 1], [0, 1]] = False
    kept = semi_hard(logits, targets, torch.tensor(0.3), rival)
    # Row 0: 1.2 is too hard, 0.9 fits, 0.4 is too easy. Row 1 has none, so it keeps all.
    assert kept.tolist() == [[False, False, True, False], [True, False, True, True]]


def test_semi_hard_changes_the_loss_as_written_out():
    logits = torch.tensor([[1.0, 1.2, 0.9, 0.4]])
    loss = contrast(logits, torch.tensor([0]), torch.tensor(3.0), Negatives(semi_hard=0.1))
    assert loss.item() == pytest.approx(math.log(1 + math.exp(-0.1)), abs=1e-6)


def test_a_false_negative_is_no_hard_negative():
    logits = torch.tensor([[1.0, 8.0, 0.5]])
    false = torch.tensor([[False, True, False]])
    loss = contrast(logits, torch.tensor([0]), torch.tensor(1.0), Negatives(beta=2.0), false)
    assert loss.item() == pytest.approx(math.log(1 + math.exp(-0.5)), abs=1e-6)


def test_siglip_weights_equal_the_loop(unit_rows):
    text, molecules = unit_rows(4, 4, 1), unit_rows(4, 4, 2)
    scale, bias, beta = 3.0, -1.0, 0.5
    z = (scale * text @ molecules.T + bias).tolist()

    def weight(row, column):
        def normalised(values, own):
            others = [v for k, v in enumerate(values) if k != own]
            return math.exp(beta * z[row][column]) / (
                sum(math.exp(beta * v) for v in others) / len(others)
            )

        along = normalised(z[row], row)
        across = normalised([line[column] for line in z], column)
        return (along + across) / 2

    total = 0.0
    for i in range(4):
        for j in range(4):
            sign = 1 if i == j else -1
            each = math.log(1 + math.exp(-sign * z[i][j]))
            total += each if i == j else weight(i, j) * each
    terms = Terms(one(scale), one(bias), Negatives(beta=beta))
    assert siglip_loss(text, molecules, terms).loss.item() == pytest.approx(total / 4, abs=1e-9)
