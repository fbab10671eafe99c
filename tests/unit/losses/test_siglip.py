"""The sigmoid loss against open_clip's."""

import math

import pytest
import torch

from molclip.errors import ConfigError
from molclip.losses import Negatives, Terms, siglip_loss


@pytest.mark.parametrize(("size", "scale", "bias"), [(2, 1.0, 0.0), (33, 10.0, -10.0)])
def test_equals_open_clip_with_its_gradients(unit_rows, size, scale, bias):
    open_clip = pytest.importorskip("open_clip")
    found = []
    for ours in (True, False):
        text = unit_rows(size, 16, 1).requires_grad_()
        molecules = unit_rows(size, 16, 2).requires_grad_()
        s = torch.tensor(scale, dtype=torch.float64, requires_grad=True)
        b = torch.tensor(bias, dtype=torch.float64, requires_grad=True)
        if ours:
            loss = siglip_loss(text, molecules, Terms(s, b)).loss
        else:
            loss = open_clip.loss.SigLipLoss()(molecules, text, s, b)
        loss.backward()
        found.append((loss.detach(), text.grad, molecules.grad, s.grad, b.grad))
    for mine, theirs in zip(*found, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-6, rtol=1e-5)


def test_a_masked_pair_costs_nothing_and_a_soft_one_its_share():
    rows = torch.eye(2, dtype=torch.float64)
    false = torch.tensor([[0, 1], [0, 0]], dtype=torch.bool)
    zero = torch.tensor(0.0, dtype=torch.float64)
    one = torch.tensor(1.0, dtype=torch.float64)
    yes = math.log(1 + math.exp(-1))
    no = math.log(2)
    masked = siglip_loss(rows, rows, Terms(one, zero, Negatives(false=false)))
    assert masked.loss.item() == pytest.approx((2 * yes + no) / 2)
    assert masked.candidates is None
    # At logit 0 the cross-entropy is log 2 whatever the target; so tilt the logits.
    soft = siglip_loss(rows, rows, Terms(one, one, Negatives(false=false, soft_share=0.25)))
    own = math.log(1 + math.exp(-2))
    shared = 0.25 * math.log(1 + math.exp(-1)) + 0.75 * math.log(1 + math.exp(1))
    assert soft.loss.item() == pytest.approx((2 * own + shared + math.log(1 + math.e)) / 2)


def test_semi_hard_leaves_out_easy_and_too_hard_pairs():
    logits = torch.tensor([[1.0, 1.2, 0.9], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    # Three unit vectors cannot give this matrix, so similarity is passed through the identity.
    terms = Terms(torch.tensor(1.0), torch.tensor(0.0), Negatives(semi_hard=0.3))
    loss = siglip_loss(torch.eye(3), logits.T, terms).loss.item()
    # Row 0 keeps 0.9 only. Rows 1 and 2 have no semi-hard pair and keep all; nor has a column,
    # but the third (0.9 and 0.0 against 1.0: 0.9 fits), whose pair [1, 2] row 1 keeps. Column 1
    # keeps [0, 1] and [2, 1], for it has none.
    kept = [0.9, 0.0, 0.0, 0.0, 0.0, 1.2]
    expected = 3 * math.log(1 + math.exp(-1)) + sum(math.log(1 + math.exp(z)) for z in kept)
    assert loss == pytest.approx(expected / 3, abs=1e-6)


def test_without_a_bias_it_says_so(unit_rows):
    with pytest.raises(ConfigError, match="bias"):
        siglip_loss(unit_rows(2, 4, 1), unit_rows(2, 4, 2), Terms(torch.tensor(1.0)))
