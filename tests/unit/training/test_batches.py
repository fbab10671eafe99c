"""Batch plans and false-negative masks against cases worked out by hand."""

import numpy as np

from molclip.training.batches import (
    epoch_rows,
    false_negatives,
    neighbour_batches,
    random_batches,
)


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


def test_neighbours_share_a_group_and_no_row_is_lost():
    # Ten clusters of six near-equal directions.
    rng = np.random.default_rng(0)
    centres = np.eye(10, dtype=np.float32)
    vectors = np.repeat(centres, 6, axis=0) + rng.normal(0, 0.01, (60, 10)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = rng.permutation(60)
    batches = neighbour_batches(rows, vectors, size=12, group=6, seed=0, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == list(range(60))
    for batch in batches:
        for start in range(0, len(batch), 6):
            assert len({row // 6 for row in batch[start : start + 6].tolist()}) == 1


def test_a_repeated_row_does_not_meet_itself_in_its_group():
    vectors = np.eye(8, dtype=np.float32)
    rows = np.array([0, 1, 2, 3, 0, 4, 5, 6])
    batches = neighbour_batches(rows, vectors, size=4, group=4, seed=0, epoch=0)
    assert sorted(np.concatenate(batches).tolist()) == sorted(rows.tolist())
    assert all(batch.tolist().count(0) <= 1 for batch in batches)


def test_a_text_is_masked_for_every_molecule_it_is_true_of():
    stated = [frozenset({"alkaloid"}), None, frozenset({"alkaloid", "antimalarial"})]
    held = [
        frozenset({"alkaloid", "stimulant"}),
        frozenset({"alkaloid"}),
        frozenset({"alkaloid", "antimalarial", "quinoline"}),
    ]
    mask = false_negatives(stated, held, ["A", "B", "C"])
    expected = [[True, True, True], [False, True, False], [False, False, True]]
    assert mask.tolist() == expected


def test_the_same_molecule_twice_is_masked_whatever_the_texts():
    mask = false_negatives([None, None], [frozenset(), frozenset()], ["A", "A"])
    assert mask.all()
