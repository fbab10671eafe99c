"""InfoNCE bound and hardness of negatives, against hand-made cases, torch and scipy."""

import math

import numpy as np
import pytest
import torch
from scipy.special import softmax
from scipy.stats import entropy

from molclip.evaluation import negatives as neg


def test_candidates_of_each_objective():
    assert neg.candidate_count("clip", 8) == 8
    assert neg.candidate_count("nt_xent", 8) == 15
    assert neg.candidate_count("moco", 8, queue=100) == 101
    for name in ("siglip", "vicreg", "wmse"):
        assert neg.candidate_count(name, 8, queue=100) is None


def test_the_bound_is_nought_for_a_guess_and_saturates():
    assert neg.information_bound(math.log(8), 8) == pytest.approx(0)
    assert neg.information_bound(0.0, 15) == pytest.approx(math.log(15))
    assert neg.information_bound(1.0, 101) == pytest.approx(math.log(101) - 1)
    assert neg.information_bound(1.0, None) is None


def test_the_bound_counts_only_candidates_that_are_left():
    # A quarter of eight negatives is masked: six stay, and the partner.
    assert neg.information_bound(0.5, 9, masked=0.25) == pytest.approx(math.log(7) - 0.5)


def test_the_bound_is_under_the_information_of_correlated_gaussians():
    # log N − loss of the optimal critic of a bivariate Gaussian bounds −½ log(1 − r²).
    r, n = 0.9, 256
    rng = np.random.default_rng(0)
    x = rng.normal(size=(40, n))
    y = r * x + math.sqrt(1 - r * r) * rng.normal(size=(40, n))
    ratio = -((y[:, None, :] - r * x[:, :, None]) ** 2) / (2 * (1 - r * r)) + y[:, None, :] ** 2 / 2
    loss = float(
        torch.nn.functional.cross_entropy(
            torch.from_numpy(ratio.reshape(-1, n)), torch.arange(n).repeat(40)
        )
    )
    true = -0.5 * math.log(1 - r * r)
    bound = neg.information_bound(loss, n)
    assert true - 0.1 < bound < true + 0.02


def test_equal_negatives_weigh_the_same():
    found = neg.hardness(np.eye(5), scale=10.0)
    assert found.hardest == pytest.approx(1 / 4)
    assert found.effective == pytest.approx(4)
    assert found.negatives == 4


def test_hardness_of_a_row_worked_out_with_scipy():
    scores = np.array([[0.9, 0.5, 0.1], [0.2, 0.8, 0.2], [0.0, 0.3, 0.7]])
    rows = [softmax(4 * np.array(row)) for row in ([0.5, 0.1], [0.2, 0.2], [0.0, 0.3])]
    found = neg.hardness(scores, scale=4.0)
    assert found.hardest == pytest.approx(np.mean([row.max() for row in rows]))
    assert found.effective == pytest.approx(np.mean([np.exp(entropy(row)) for row in rows]))


def test_masked_negatives_are_left_out():
    scores = np.zeros((3, 3))
    scores[0, 1] = 1.0
    mask = np.zeros((3, 3), dtype=bool)
    mask[0, 1] = True
    mask[2, :2] = True
    found = neg.hardness(scores, 50.0, mask)
    # Row 0 keeps one negative, row 1 two equal ones, row 2 none and does not count.
    assert found.hardest == pytest.approx((1 + 0.5) / 2)
    assert found.effective == pytest.approx((1 + 2) / 2)
    assert found.negatives == 1.5


def test_a_low_temperature_leaves_one_negative_and_a_high_one_all():
    scores = np.random.default_rng(0).uniform(-1, 1, (40, 40))
    assert neg.hardness(scores, 1e5).effective == pytest.approx(1, abs=0.02)
    assert neg.hardness(scores, 1e-6).effective == pytest.approx(39)


def test_the_weights_are_the_gradient_of_the_loss():
    # d loss_i / d c_ij is the share w_ij of all that repels, for the hardest negative the most.
    cosines = torch.rand(6, 6, dtype=torch.float64, generator=torch.manual_seed(0))
    cosines.requires_grad_()
    torch.nn.functional.cross_entropy(7.0 * cosines, torch.arange(6)).backward()
    repelling = cosines.grad.numpy().copy()
    np.fill_diagonal(repelling, 0)
    shares = repelling / repelling.sum(axis=1, keepdims=True)
    found = neg.hardness(cosines.detach().numpy(), 7.0)
    assert found.hardest == pytest.approx(shares.max(axis=1).mean())


def test_no_negatives_and_wrong_shapes():
    assert math.isnan(neg.hardness(np.eye(1), 1.0).hardest)
    with pytest.raises(ValueError, match="a square is needed"):
        neg.hardness(np.zeros((2, 3)), 1.0)
