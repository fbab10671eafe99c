"""The CLIP loss against open_clip's and against sums written out."""

import math

import pytest
import torch

from molclip.losses.clip import clip_loss


def unit_rows(rows, width, seed):
    generator = torch.Generator().manual_seed(seed)
    rows = torch.randn(rows, width, generator=generator, dtype=torch.float64)
    return torch.nn.functional.normalize(rows, dim=-1)


@pytest.mark.parametrize(("size", "scale"), [(2, 1.0), (17, 14.3), (64, 100.0)])
def test_equals_open_clip(size, scale):
    open_clip = pytest.importorskip("open_clip")
    text, molecules = unit_rows(size, 32, 1), unit_rows(size, 32, 2)
    expected = open_clip.loss.ClipLoss()(molecules, text, torch.tensor(scale))
    ours = clip_loss(text, molecules, torch.tensor(scale)).loss
    assert ours.item() == pytest.approx(expected.item(), abs=1e-6)


def test_gradients_equal_open_clip():
    open_clip = pytest.importorskip("open_clip")
    gradients = []
    for ours in (True, False):
        text = unit_rows(8, 16, 1).requires_grad_()
        molecules = unit_rows(8, 16, 2).requires_grad_()
        scale = torch.tensor(10.0, dtype=torch.float64, requires_grad=True)
        if ours:
            clip_loss(text, molecules, scale).loss.backward()
        else:
            open_clip.loss.ClipLoss()(molecules, text, scale).backward()
        gradients.append((text.grad, molecules.grad, scale.grad))
    for mine, theirs in zip(*gradients, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-6, rtol=1e-5)


def test_orthogonal_pairs_have_the_closed_form():
    size, scale = 5, 3.0
    rows = torch.eye(size)
    expected = math.log(math.exp(scale) + size - 1) - scale
    assert clip_loss(rows, rows, torch.tensor(scale)).loss.item() == pytest.approx(expected)


def test_a_masked_false_negative_is_no_candidate():
    # Rows 0 and 1 are one molecule twice. Unmasked, each text is torn between two equal answers.
    rows = torch.eye(3)[[0, 0, 2]]
    mask = torch.tensor([[0, 1, 0], [1, 0, 0], [0, 0, 0]], dtype=torch.bool)
    result = clip_loss(rows, rows, torch.tensor(2.0), mask)
    one_other = math.log(math.exp(2) + 1) - 2
    two_others = math.log(math.exp(2) + 2) - 2
    assert result.loss.item() == pytest.approx((2 * one_other + two_others) / 3)
    assert result.masked.item() == pytest.approx(2 / 6)


def test_the_own_pair_is_never_masked():
    rows = torch.eye(4)
    everything = torch.ones(4, 4, dtype=torch.bool)
    assert clip_loss(rows, rows, torch.tensor(5.0), everything).loss.item() == 0


def test_accuracy_counts_texts_that_find_their_molecule():
    text = torch.eye(4)[[0, 1, 3, 2]]
    assert clip_loss(text, torch.eye(4), torch.tensor(1.0)).text_to_molecule_accuracy == 0.5
