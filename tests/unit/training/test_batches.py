"""Which rows an epoch has, and how groups become batches."""

import numpy as np
import pytest

from molclip.training.batches import batch_count, epoch_rows, grouped_batches, random_batches


def test_rows_with_chance_one_always_come_and_repeats_are_kept():
    chances = np.array([1.0, 0.0, 1.0, 1.0])
    repeats = np.array([1, 5, 3, 2])
    rows = epoch_rows(chances, repeats, seed=7, epoch=0)
    assert sorted(rows.tolist()) == [0, 2, 2, 2, 3, 3]


def test_an_epoch_is_fixed_by_seed_and_number():
    chances, repeats = np.full(200, 0.5), np.ones(200, dtype=np.int64)
    same = [epoch_rows(chances, repeats, 1, 4).tolist() for _ in range(2)]
    assert same[0] == same[1]
    assert same[0] != epoch_rows(chances, repeats, 1, 5).tolist()
    assert 60 < len(same[0]) < 140


def test_a_small_rest_is_dropped_and_a_large_one_kept():
    assert [len(b) for b in random_batches(np.arange(21), 8)] == [8, 8, 5]
    assert [len(b) for b in random_batches(np.arange(19), 8)] == [8, 8]
    assert [len(b) for b in random_batches(np.arange(3), 8)] == [3]


def groups_of(sizes):
    stops = np.cumsum(sizes)
    return [np.arange(stop - size, stop) for size, stop in zip(sizes, stops, strict=True)]


def whole_groups(batch, groups):
    """Rows of a batch that stand beside another row of their group."""
    group_of = {row: number for number, group in enumerate(groups) for row in group.tolist()}
    numbers = [group_of[row] for row in batch.tolist()]
    return sum(
        number in (numbers[place - 1] if place else None, *numbers[place + 1 : place + 2])
        for place, number in enumerate(numbers)
    )


def test_groups_stay_whole_and_lone_rows_are_spread():
    groups = groups_of([4] * 30 + [1] * 40)
    batches = grouped_batches(groups, 16, 1.0, np.random.default_rng(0))
    assert [len(batch) for batch in batches] == [16] * 10
    assert sorted(np.concatenate(batches).tolist()) == list(range(160))
    for batch in batches:
        # 120 of 160 rows stand in groups: twelve of sixteen in each batch.
        assert whole_groups(batch, groups) == 12


@pytest.mark.parametrize("share", [0.0, 0.25, 0.5, 1.0])
def test_every_batch_has_the_share_of_grouped_rows_that_is_asked_for(share):
    groups = groups_of([4] * 512)
    batches = grouped_batches(groups, 64, share, np.random.default_rng(1))
    assert sorted(np.concatenate(batches).tolist()) == list(range(2048))
    for batch in batches:
        first = batch[: round(64 * share)].reshape(-1, 4)
        assert (first // 4 == first[:, :1] // 4).all()
        # What is loose meets its group by chance only.
        assert whole_groups(batch[len(first) * 4 :], groups) <= 6


def test_a_small_rest_of_grouped_rows_is_dropped():
    batches = grouped_batches(groups_of([3] * 7), 9, 0.5, np.random.default_rng(0))
    assert [len(batch) for batch in batches] == [9, 9]
    assert len(set(np.concatenate(batches).tolist())) == 18


@pytest.mark.parametrize("size", [2, 3, 8, 64])
@pytest.mark.parametrize("rows", [1, 2, 5, 32, 35, 36, 37, 64, 129])
def test_the_number_of_batches_is_known_beforehand(rows, size):
    assert batch_count(rows, size) == len(random_batches(np.arange(rows), size))
