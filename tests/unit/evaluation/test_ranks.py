"""Ranks and figures against values worked out by hand and against scikit-learn."""

import math

import numpy as np
import pytest

from molclip.evaluation.metrics import bootstrap, figures
from molclip.evaluation.ranks import Ranks, best_similarity, rank_scores, rank_vectors

# Rows are queries, the right candidate is the diagonal.
#   row 0: 0.9 stands alone on top                        -> rank 1
#   row 1: 0.5 shares its score with two, one is above    -> ranks 2 to 4
#   row 2: 0.1 is last, tied with nobody                  -> rank 4
#   row 3: all four are equal                             -> ranks 1 to 4
HAND = np.array(
    [
        [0.9, 0.1, 0.2, 0.3],
        [0.5, 0.5, 0.8, 0.5],
        [0.4, 0.3, 0.1, 0.2],
        [0.7, 0.7, 0.7, 0.7],
    ]
)


@pytest.fixture
def hand() -> Ranks:
    return rank_scores(HAND, np.arange(4))


@pytest.mark.parametrize(
    ("ties", "expected"),
    [
        ("pessimistic", [1, 4, 4, 4]),
        ("expected", [1, 3, 4, 2.5]),
        ("optimistic", [1, 2, 4, 1]),
    ],
)
def test_ranks_under_each_tie_policy(hand, ties, expected):
    assert hand.ranks(ties).tolist() == expected


def test_figures_of_the_hand_made_matrix(hand):
    pessimistic = figures(hand)
    assert pessimistic["hits@1"] == 0.25
    assert pessimistic["hits@5"] == 1.0
    assert pessimistic["mrr"] == (1 + 1 / 4 + 1 / 4 + 1 / 4) / 4
    assert pessimistic["mean_rank"] == 13 / 4
    assert pessimistic["median_rank"] == 4
    optimistic = figures(hand, "optimistic")
    assert optimistic["hits@1"] == 0.5
    assert optimistic["mrr"] == (1 + 1 / 2 + 1 / 4 + 1) / 4


def test_expected_figures_average_over_every_order_of_the_tied(hand):
    expected = figures(hand, "expected")
    # Row 1 is at ranks 2, 3, 4 and row 3 at ranks 1, 2, 3, 4 with equal chance.
    row_1 = (1 / 2 + 1 / 3 + 1 / 4) / 3
    row_3 = (1 + 1 / 2 + 1 / 3 + 1 / 4) / 4
    assert expected["hits@1"] == pytest.approx((1 + 0 + 0 + 1 / 4) / 4)
    assert expected["mrr"] == pytest.approx((1 + row_1 + 1 / 4 + row_3) / 4)
    # Row 1 reaches the first three in two orders out of three, row 3 in three out of four.
    assert hand.hits(3, "expected").tolist() == pytest.approx([1, 2 / 3, 0, 3 / 4])


def test_pessimistic_mrr_is_label_ranking_average_precision_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(1)
    scores = generator.integers(0, 12, (60, 40)) / 11  # many ties
    right = generator.integers(0, 40, 60)
    relevant = np.zeros(scores.shape, dtype=int)
    relevant[np.arange(60), right] = 1
    expected = metrics.label_ranking_average_precision_score(relevant, scores)
    assert figures(rank_scores(scores, right))["mrr"] == pytest.approx(expected)


def test_hits_are_top_k_accuracy_of_scikit_learn():
    metrics = pytest.importorskip("sklearn.metrics")
    generator = np.random.default_rng(2)
    scores = generator.normal(size=(200, 50))  # no ties
    right = generator.integers(0, 50, 200)
    ours = figures(rank_scores(scores, right))
    for k in (1, 5, 10, 20):
        theirs = metrics.top_k_accuracy_score(right, scores, k=k, labels=np.arange(50))
        assert ours[f"hits@{k}"] == pytest.approx(theirs)


def test_a_row_without_vector_is_a_miss_and_stays_in_the_pool():
    queries = np.eye(3, dtype=np.float32)
    candidates = np.eye(3, dtype=np.float32)
    candidates[1] = np.nan
    ranks = rank_vectors(queries, candidates, [0, 1, 2], [0, 1, 2])
    assert ranks.missed.tolist() == [False, True, False]
    assert ranks.ranks().tolist() == [1, 3, 1]
    # 20 is more than the pool holds, and a miss is no hit even so.
    assert ranks.hits(20).tolist() == [1, 0, 1]
    assert ranks.reciprocal("expected").tolist() == [1, 0, 1]


def test_a_query_whose_answer_is_not_in_the_pool_is_a_miss():
    ranks = rank_vectors(np.eye(2), np.eye(2), [0, 7], [0, 1])
    assert ranks.missed.tolist() == [False, True]


def test_duplicate_of_the_right_molecule_under_another_id_ties_against_it():
    candidates = np.array([[1, 0], [1, 0], [0, 1]], dtype=np.float32)
    ranks = rank_vectors(np.array([[1, 0]]), candidates, [0], [0, 1, 2])
    assert (ranks.ranks().item(), ranks.ranks("optimistic").item()) == (2, 1)


def test_several_right_candidates_count_by_the_best_and_do_not_harm_each_other():
    # Scores 0.9 (right), 0.8 (wrong), 0.7 (right); then with the wrong one on top.
    candidates = np.array([[0.9, 0.7], [0.8, 0.9], [0.7, 0.1]], dtype=np.float32)
    queries = np.eye(2, dtype=np.float32)
    ranks = rank_vectors(queries, candidates, [5, 5], [5, 6, 5])
    assert ranks.ranks().tolist() == [1, 2]


def test_scores_that_differ_in_the_last_bit_are_tied():
    step = np.nextafter(np.float32(0.5), np.float32(1))
    candidates = np.array([[0.5], [step], [0.6]], dtype=np.float32)
    ranks = rank_vectors(np.ones((1, 1)), candidates, [0], [0, 1, 2])
    assert (ranks.higher.item(), ranks.tied.item()) == (1, 1)


@pytest.mark.parametrize("query_chunk", [1, 7, 100])
@pytest.mark.parametrize("candidate_chunk", [1, 13, 1000])
def test_chunks_give_what_the_full_matrix_gives(query_chunk, candidate_chunk):
    generator = np.random.default_rng(3)
    # Small integers: dot products are exact in float32 and ties are frequent.
    queries = generator.integers(-2, 3, (40, 6)).astype(np.float32)
    candidates = generator.integers(-2, 3, (90, 6)).astype(np.float32)
    query_labels = generator.integers(0, 50, 40)
    candidate_labels = generator.integers(0, 50, 90)
    candidates[[4, 60]] = np.nan
    chunked = rank_vectors(
        queries,
        candidates,
        query_labels,
        candidate_labels,
        query_chunk=query_chunk,
        candidate_chunk=candidate_chunk,
    )
    full = rank_scores(queries @ candidates.T, query_labels[:, None] == candidate_labels[None])
    for ties in ("pessimistic", "expected", "optimistic"):
        assert chunked.ranks(ties).tolist() == full.ranks(ties).tolist()
    assert 0 < full.missed.sum() < 40


def test_penalty_is_taken_from_every_score_of_its_row():
    # Plain scores 0.6 and 0.8: the right one is second. The other loses 0.3 and falls behind.
    candidates = np.array([[0.6, 0.8], [0.8, 0.6]], dtype=np.float32)
    query = np.array([[1, 0]], dtype=np.float32)
    plain = rank_vectors(query, candidates, [0], [0, 1])
    pushed = rank_vectors(query, candidates, [0], [0, 1], penalty=np.array([0.0, 0.3]))
    assert (plain.ranks().item(), pushed.ranks().item()) == (2, 1)


def test_best_similarity_chunked_is_the_maximum_of_the_full_product():
    generator = np.random.default_rng(4)
    rows = generator.normal(size=(17, 5)).astype(np.float32)
    bank = generator.normal(size=(11, 5)).astype(np.float32)
    best = best_similarity(rows, bank, row_chunk=4, bank_chunk=3)
    np.testing.assert_allclose(best, (rows @ bank.T).max(axis=1), rtol=1e-6)


def _ranks(values: list[int], pool: int) -> Ranks:
    higher = np.array(values) - 1
    return Ranks(higher, np.zeros_like(higher), np.zeros(len(higher), dtype=bool), pool)


def test_bootstrap_interval_of_a_share_is_near_its_closed_form():
    # 300 hits in 1,000 queries: the share has standard error sqrt(0.3 * 0.7 / 1000) = 0.01449.
    ranks = _ranks([1] * 300 + [50] * 700, pool=100)
    low, high = bootstrap(ranks, samples=2000, seed=0)["hits@1"]
    error = math.sqrt(0.3 * 0.7 / 1000)
    assert low == pytest.approx(0.3 - 1.96 * error, abs=0.003)
    assert high == pytest.approx(0.3 + 1.96 * error, abs=0.003)


def test_bootstrap_is_seeded_and_collapses_where_nothing_varies():
    ranks = _ranks(list(range(1, 101)), pool=100)
    assert bootstrap(ranks, seed=5, samples=50) == bootstrap(ranks, seed=5, samples=50)
    assert bootstrap(ranks, seed=5, samples=50) != bootstrap(ranks, seed=6, samples=50)
    assert bootstrap(_ranks([3] * 10, pool=9), samples=50)["mean_rank"] == (3.0, 3.0)


def test_no_queries_is_an_error():
    with pytest.raises(ValueError, match="no queries"):
        figures(_ranks([], pool=3))


def test_vectors_that_do_not_fit_are_refused():
    with pytest.raises(ValueError, match="do not fit"):
        rank_vectors(np.ones((2, 3)), np.ones((2, 4)), [0, 1], [0, 1])
