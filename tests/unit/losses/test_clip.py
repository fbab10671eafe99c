"""The CLIP loss against open_clip's and against sums written out."""

import math

import pytest
import torch

from molclip.losses import Negatives, Terms, clip_loss


def plain(scale, **negatives):
    return Terms(torch.as_tensor(scale, dtype=torch.float64), negatives=Negatives(**negatives))


@pytest.mark.parametrize(("size", "scale"), [(2, 1.0), (17, 14.3), (64, 100.0)])
def test_equals_open_clip(unit_rows, size, scale):
    open_clip = pytest.importorskip("open_clip")
    text, molecules = unit_rows(size, 32, 1), unit_rows(size, 32, 2)
    expected = open_clip.loss.ClipLoss()(molecules, text, torch.tensor(scale))
    ours = clip_loss(text, molecules, plain(scale))
    assert ours.loss.item() == pytest.approx(expected.item(), abs=1e-6)
    assert ours.candidates == size


def test_gradients_equal_open_clip(unit_rows):
    open_clip = pytest.importorskip("open_clip")
    gradients = []
    for ours in (True, False):
        text = unit_rows(8, 16, 1).requires_grad_()
        molecules = unit_rows(8, 16, 2).requires_grad_()
        scale = torch.tensor(10.0, dtype=torch.float64, requires_grad=True)
        if ours:
            clip_loss(text, molecules, Terms(scale)).loss.backward()
        else:
            open_clip.loss.ClipLoss()(molecules, text, scale).backward()
        gradients.append((text.grad, molecules.grad, scale.grad))
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-6, rtol=1e-5)


def test_orthogonal_pairs_have_the_closed_form():
    size, scale = 5, 3.0
    rows = torch.eye(size)
    expected = math.log(math.exp(scale) + size - 1) - scale
    assert clip_loss(rows, rows, plain(scale)).loss.item() == pytest.approx(expected)


def test_a_masked_false_negative_is_no_candidate():
    # Rows 0 and 1 are one molecule twice. Unmasked, each text is torn between two equal answers.
    rows = torch.eye(3)[[0, 0, 2]]
    mask = torch.tensor([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=torch.bool)
    result = clip_loss(rows, rows, plain(2.0, false=mask))
    one_other = math.log(math.exp(2) + 1) - 2
    two_others = math.log(math.exp(2) + 2) - 2
    assert result.loss.item() == pytest.approx((2 * one_other + two_others) / 3)
    assert result.masked.item() == pytest.approx(2 / 6)


def test_a_one_sided_false_negative_is_masked_both_ways_round():
    # Text 0 also fits molecule 1, but text 1 does not fit molecule 0. So molecule 1 is no candidate
    # for text 0, and text 0 none for molecule 1; text 1 and molecule 0 see everything.
    rows = torch.eye(2)
    mask = torch.tensor([[0, 1], [0, 0]], dtype=torch.bool)
    loss = clip_loss(rows, rows, plain(1.0, false=mask)).loss.item()
    assert loss == pytest.approx((math.log(math.e + 1) - 1) / 2)


def test_the_own_pair_is_never_masked():
    rows = torch.eye(4)
    everything = torch.ones(4, 4, dtype=torch.bool)
    assert clip_loss(rows, rows, plain(5.0, false=everything)).loss.item() == 0


def test_a_soft_false_negative_shares_the_target():
    rows = torch.eye(3)
    mask = torch.tensor([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=torch.bool)
    result = clip_loss(rows, rows, plain(1.0, false=mask, soft_share=0.4))
    total = math.log(math.e + 2)
    # -log softmax is total - 1 at the own place and total at each other.
    mixed = 0.6 * (total - 1) + 0.4 * total
    assert result.loss.item() == pytest.approx((2 * mixed + total - 1) / 3)


def test_soft_targets_equal_torch(unit_rows):
    text, molecules = unit_rows(6, 8, 1), unit_rows(6, 8, 2)
    false = torch.zeros(6, 6, dtype=torch.bool)
    false[0, 3] = false[0, 4] = false[2, 5] = True
    target = torch.eye(6, dtype=torch.float64)
    target[0, [0, 3, 4]] = torch.tensor([0.8, 0.1, 0.1], dtype=torch.float64)
    target[2, [2, 5]] = torch.tensor([0.8, 0.2], dtype=torch.float64)
    back = torch.eye(6, dtype=torch.float64)
    for row, other in ((3, 0), (4, 0), (5, 2)):
        back[row, [row, other]] = torch.tensor([0.8, 0.2], dtype=torch.float64)
    logits = 7 * text @ molecules.T
    expected = (
        torch.nn.functional.cross_entropy(logits, target)
        + torch.nn.functional.cross_entropy(logits.T, back)
    ) / 2
    ours = clip_loss(text, molecules, plain(7.0, false=false, soft_share=0.2)).loss
    assert ours.item() == pytest.approx(expected.item(), abs=1e-9)


def test_accuracy_counts_texts_that_find_their_molecule():
    text = torch.eye(4)[[0, 1, 3, 2]]
    assert clip_loss(text, torch.eye(4), plain(1.0)).accuracy == 0.5


def test_a_false_negative_on_top_is_no_mistake():
    text = torch.eye(4)[[0, 1, 3, 2]] + 0.1 * torch.eye(4)
    false = torch.zeros(4, 4, dtype=torch.bool)
    false[2, 3] = True
    assert clip_loss(text, torch.eye(4), plain(1.0, false=false)).accuracy == 0.75


def test_collapsed_vectors_find_nothing():
    rows = torch.ones(4, 2) / math.sqrt(2)
    nothing = torch.zeros(4, 4, dtype=torch.bool)
    assert clip_loss(rows, rows, plain(1.0)).accuracy == 0
    assert clip_loss(rows, rows, plain(1.0, false=nothing)).accuracy == 0


@pytest.mark.parametrize("negatives", [{"beta": 0.5}, {"semi_hard": 0.2}, {"soft_share": 0.3}])
def test_a_loss_that_is_no_info_nce_names_no_candidates(unit_rows, negatives):
    text, molecules = unit_rows(5, 4, 1), unit_rows(5, 4, 2)
    assert clip_loss(text, molecules, plain(3.0, **negatives)).candidates is None
