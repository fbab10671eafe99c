"""Groups against a ranking of everything, done the slow way."""

import numpy as np
import pytest
from negatives_fakes import slow_groups

from molclip.training.grouping import VectorRanker, grow_groups


def unit(rng, count, width=6):
    vectors = rng.normal(size=(count, width)).astype(np.float32)
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@pytest.mark.parametrize("count", [2, 30, 300])
@pytest.mark.parametrize("same", [False, True])
def test_groups_are_what_a_ranking_of_everything_says(count, same):
    rng = np.random.default_rng(count)
    molecules = unit(rng, count)
    texts = molecules if same else unit(rng, count)
    order = rng.permutation(np.repeat(np.arange(count), rng.integers(1, 4, count)))
    codes = rng.integers(0, max(2, count * 3 // 4), count)
    refused = rng.random((count, count)) < 0.3
    groups = grow_groups(
        order,
        codes,
        VectorRanker(texts, molecules),
        group=4,
        refuses=lambda seed, others: refused[seed, others],
    )
    expected = slow_groups(order, codes, texts.astype(float) @ molecules.T, 4, refused)
    assert [group.tolist() for group in groups] == expected
    assert sorted(np.concatenate(groups).tolist()) == sorted(order.tolist())


def test_a_ranker_names_free_rows_only_never_the_seed_and_fills_up():
    vectors = np.array([[1, 0], [0.9, 0.1], [0.8, 0.2], [0, 1]], dtype=np.float32)
    free = np.array([True, True, False, True])
    found = VectorRanker(vectors, vectors).rank(np.array([0, 3]), free, 9)
    assert found.tolist() == [[1, 3, -1, -1], [1, 0, -1, -1]]
    assert VectorRanker(vectors, vectors).rank(np.array([2]), free, 2).tolist() == [[0, 1]]


def test_neighbours_share_a_group():
    # Ten clusters of six near-equal directions.
    rng = np.random.default_rng(0)
    vectors = np.repeat(np.eye(10, dtype=np.float32), 6, axis=0)
    vectors += rng.normal(0, 0.01, (60, 10)).astype(np.float32)
    groups = grow_groups(rng.permutation(60), np.arange(60), VectorRanker(vectors, vectors), 6)
    assert (
        sorted(sorted(group.tolist()) for group in groups) == np.arange(60).reshape(10, 6).tolist()
    )


def test_a_row_shown_twice_does_not_meet_itself():
    vectors = np.eye(8, dtype=np.float32)
    order = np.array([0, 1, 2, 3, 0, 4, 5, 6, 7, 3])
    groups = grow_groups(order, np.arange(8), VectorRanker(vectors, vectors), 4)
    assert sorted(np.concatenate(groups).tolist()) == sorted(order.tolist())
    assert all(len(set(group.tolist())) == len(group) for group in groups)


def test_a_text_that_is_true_of_all_that_rank_high_keeps_a_small_group():
    # Two hundred molecules rank above the only wrong one, and 64 times two are looked at.
    asked = []

    class Counting(VectorRanker):
        def rank(self, seeds, free, count):
            asked.append(count)
            return super().rank(seeds, free, count)

    molecules = np.column_stack([np.linspace(1, 0.5, 202), np.zeros(202)]).astype(np.float32)
    ranker = Counting(np.ones((202, 2), dtype=np.float32), molecules)

    def refuses(seed, others):
        return (others != 201) if seed == 0 else np.zeros(len(others), dtype=bool)

    groups = grow_groups(np.arange(202), np.arange(202), ranker, 2, refuses)
    assert groups[0].tolist() == [0]
    assert max(asked) == 128
    near = Counting(ranker._asking.numpy()[:101], molecules[:101])
    groups = grow_groups(
        np.arange(101), np.arange(101), near, 2, lambda seed, others: (seed == 0) & (others != 100)
    )
    assert groups[0].tolist() == [0, 100]
