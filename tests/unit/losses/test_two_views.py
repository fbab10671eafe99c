"""NT-Xent, MoCo, VICReg and W-MSE against loops and numpy."""

import math

import numpy as np
import pytest
import torch

from molclip.errors import ConfigError
from molclip.losses import Negatives, Terms, moco_loss, nt_xent_loss, vicreg_loss, wmse_loss
from molclip.losses.wmse import whiten


def scaled(value, **rest):
    return Terms(torch.tensor(float(value), dtype=torch.float64), **rest)


def nt_xent_loop(first, second, scale, skip=()):
    views = torch.cat([first, second]).tolist()
    size = len(first)
    total = 0.0
    for i in range(2 * size):
        partner = (i + size) % (2 * size)
        terms = {
            k: math.exp(scale * sum(a * b for a, b in zip(views[i], views[k], strict=True)))
            for k in range(2 * size)
            if k != i and (i % size, k % size) not in skip
        }
        total -= math.log(terms[partner] / sum(terms.values()))
    return total / (2 * size)


def test_nt_xent_equals_the_loop(unit_rows):
    first, second = unit_rows(6, 5, 1), unit_rows(6, 5, 2)
    result = nt_xent_loss(first, second, scaled(4))
    assert result.loss.item() == pytest.approx(nt_xent_loop(first, second, 4), abs=1e-9)
    assert result.candidates == 11


def test_nt_xent_leaves_false_negatives_out_in_all_four_blocks(unit_rows):
    first, second = unit_rows(4, 5, 1), unit_rows(4, 5, 2)
    false = torch.zeros(4, 4, dtype=torch.bool)
    false[0, 2] = True
    terms = scaled(4, negatives=Negatives(false=false))
    expected = nt_xent_loop(first, second, 4, skip={(0, 2), (2, 0)})
    assert nt_xent_loss(first, second, terms).loss.item() == pytest.approx(expected, abs=1e-9)


def test_nt_xent_never_counts_itself():
    # Equal views: the partner has similarity 1 and so has the row itself, which must not count.
    rows = torch.eye(3, dtype=torch.float64)
    expected = math.log(math.exp(2) + 4) - 2
    result = nt_xent_loss(rows, rows, scaled(2))
    assert result.loss.item() == pytest.approx(expected)
    assert result.accuracy == 1


def test_moco_equals_the_loop(unit_rows):
    queries, keys, queue = unit_rows(3, 4, 1), unit_rows(3, 4, 2), unit_rows(7, 4, 3)
    total = 0.0
    for query, key in zip(queries, keys, strict=True):
        own = math.exp(5 * float(query @ key))
        total -= math.log(own / (own + sum(math.exp(5 * float(query @ k)) for k in queue)))
    result = moco_loss(queries, keys, scaled(5, queue=queue))
    assert result.loss.item() == pytest.approx(total / 3, abs=1e-9)
    assert result.candidates == 8


def test_moco_accuracy_leaves_false_negatives_aside():
    query = torch.tensor([[1.0, 0.0]])
    key, remembered = torch.tensor([[0.6, 0.8]]), torch.tensor([[1.0, 0.0]])
    for false, found in ((None, 0), (torch.tensor([[True]]), 1)):
        terms = Terms(torch.tensor(5.0), queue=remembered, queue_false=false)
        assert moco_loss(query, key, terms).accuracy == found


def test_moco_gives_no_gradient_to_keys_and_masks_what_fits(unit_rows):
    queries = unit_rows(2, 4, 1).requires_grad_()
    keys, queue = unit_rows(2, 4, 2).requires_grad_(), unit_rows(3, 4, 3).requires_grad_()
    false = torch.tensor([[True, True, True], [False, True, True]])
    result = moco_loss(queries, keys, scaled(5, queue=queue, queue_false=false))
    result.loss.backward()
    assert queries.grad is not None
    assert keys.grad is None
    assert queue.grad is None
    own = float((queries[1] @ keys[1]).detach())
    other = float((queries[1] @ queue[0]).detach())
    assert result.loss.item() == pytest.approx(math.log(1 + math.exp(5 * (other - own))) / 2)
    assert result.masked.item() == pytest.approx(5 / 6)


def test_moco_without_a_queue_says_so(unit_rows):
    with pytest.raises(ConfigError, match="queue"):
        moco_loss(unit_rows(2, 4, 1), unit_rows(2, 4, 2), scaled(1))


def test_vicreg_equals_numpy():
    generator = np.random.default_rng(0)
    a, b = generator.normal(0, 0.7, (20, 6)), generator.normal(0, 0.4, (20, 6))
    expected = 25 * np.mean((a - b) ** 2)
    for z in (a, b):
        spread = np.sqrt(z.var(axis=0, ddof=1) + 1e-4)
        expected += 12.5 * np.maximum(0, 1 - spread).mean()
        covariance = np.cov(z, rowvar=False)
        expected += ((covariance**2).sum() - (np.diag(covariance) ** 2).sum()) / 6
    ours = vicreg_loss(torch.from_numpy(a), torch.from_numpy(b), scaled(1)).loss.item()
    assert ours == pytest.approx(expected, abs=1e-9)


def test_vicreg_is_lowest_for_equal_decorrelated_rows_of_unit_variance():
    # A Hadamard matrix: equal views, orthogonal centred columns of standard deviation above 1.
    rows = torch.tensor([[1, 1], [1, -1], [-1, 1], [-1, -1]], dtype=torch.float64)
    assert vicreg_loss(rows, rows, scaled(1)).loss.item() == pytest.approx(0, abs=1e-12)
    collapsed = torch.ones(4, 2, dtype=torch.float64)
    assert vicreg_loss(collapsed, collapsed, scaled(1)).loss.item() == pytest.approx(25 * 0.99)


def test_whitened_rows_have_the_identity_as_covariance():
    generator = torch.Generator().manual_seed(0)
    rows = torch.randn(500, 8, generator=generator) @ torch.randn(8, 8, generator=generator) + 3
    white = whiten(rows, shrinkage=0.0)
    torch.testing.assert_close(torch.cov(white.T), torch.eye(8), atol=2e-4, rtol=0)
    torch.testing.assert_close(white.mean(dim=0), torch.zeros(8), atol=1e-4, rtol=0)


def test_wmse_is_blind_to_a_linear_change_of_one_view_and_zero_for_equal_ones():
    generator = torch.Generator().manual_seed(1)
    rows = torch.randn(64, 4, generator=generator)
    assert wmse_loss(rows, rows, scaled(1)).loss.item() == pytest.approx(0, abs=1e-5)
    # A lower-triangular change with positive diagonal is undone by the Cholesky whitening.
    change = torch.tensor([[2.0, 0, 0, 0], [1, 1, 0, 0], [0, 3, 0.5, 0], [1, 0, 0, 4]])
    assert wmse_loss(rows, rows @ change.T, scaled(1)).loss.item() < 0.01
    independent = torch.randn(64, 4, generator=generator)
    assert wmse_loss(rows, independent, scaled(1)).loss.item() == pytest.approx(2, abs=0.4)


def test_wmse_refuses_a_batch_too_small_to_whiten():
    with pytest.raises(ConfigError, match="whiten 8 dimensions with 8 rows"):
        wmse_loss(torch.randn(8, 8), torch.randn(8, 8), scaled(1))


def test_wmse_of_what_is_no_number_is_no_number():
    rows = torch.randn(16, 4, generator=torch.Generator().manual_seed(2))
    rows[3, 1] = float("nan")
    assert math.isnan(wmse_loss(rows, rows, scaled(1)).loss.item())


def test_moco_with_an_empty_queue_teaches_nothing(unit_rows):
    queries = unit_rows(3, 4, 1).requires_grad_()
    none = torch.zeros(3, 0, dtype=torch.bool)
    terms = scaled(5, queue=torch.zeros(0, 4, dtype=torch.float64), queue_false=none)
    result = moco_loss(queries, unit_rows(3, 4, 2), terms)
    result.loss.backward()
    assert result.loss.item() == 0
    assert result.candidates == 1
    assert not queries.grad.any()
