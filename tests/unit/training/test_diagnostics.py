"""The diagnosis of an epoch: its names, its directions, its sample."""

import numpy as np
import pytest

from molclip.evaluation.negatives import hardness
from molclip.evaluation.representation import describe
from molclip.training.diagnostics import diagnose, sample_rows


def sphere(rows, dimension, seed):
    x = np.random.default_rng(seed).normal(size=(rows, dimension))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def test_both_directions_are_averaged_and_the_mask_is_turned_with_them():
    text, molecule = sphere(30, 8, 1), sphere(30, 8, 2)
    mask = np.zeros((30, 30), dtype=bool)
    mask[0, 1:20] = True
    found = diagnose(text, molecule, 20.0, mask)
    one = hardness(text @ molecule.T, 20.0, mask)
    other = hardness(molecule @ text.T, 20.0, mask.T)
    assert one.effective != other.effective
    assert found["effective_negatives"] == pytest.approx((one.effective + other.effective) / 2)
    assert found["hardest_negative"] == pytest.approx((one.hardest + other.hardest) / 2)
    assert found["diagnosed_negatives"] == pytest.approx(29 - 19 / 30)
    assert found["alignment"] == describe(text, molecule).alignment
    assert found["diagnosed_pairs"] == 30


@pytest.mark.parametrize("objective", ["vicreg", "wmse"])
def test_objectives_without_negatives_have_no_hardness(objective):
    found = diagnose(sphere(30, 8, 1), sphere(30, 8, 2), 1.0, None, objective)
    assert "hardest_negative" not in found
    assert "effective_rank_text" in found


def test_the_sample_is_the_same_in_every_epoch():
    assert sample_rows(5, seed=0).tolist() == [0, 1, 2, 3, 4]
    rows = sample_rows(10_000, seed=1, most=100)
    assert len(set(rows.tolist())) == 100
    assert (np.diff(rows) > 0).all()
    assert rows.tolist() == sample_rows(10_000, seed=1, most=100).tolist()
    assert rows.tolist() != sample_rows(10_000, seed=2, most=100).tolist()
