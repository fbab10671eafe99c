"""Query-time corrections: closed forms, and strengths that are never chosen where they are used."""

import numpy as np
import pytest
from scipy.special import logsumexp

from molclip.evaluation.correction import DISCOUNTS, WEIGHTS, Correction, correct
from molclip.evaluation.ranks import Ranks, best_similarity, rank_scores, soft_similarity


def _unit(rows, seed, width=8):
    vectors = np.random.default_rng(seed).normal(size=(rows, width))
    return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)


def test_soft_similarity_is_log_sum_exp_and_tends_to_the_maximum():
    rows, bank = _unit(50, 0), _unit(30, 1)
    expected = logsumexp(7.0 * (rows.astype(np.float64) @ bank.T), axis=1) / 7.0
    found = soft_similarity(rows, bank, 7.0, row_chunk=16, bank_chunk=11)
    np.testing.assert_allclose(found, expected, atol=1e-5)
    sharp = soft_similarity(rows, bank, 2000.0)
    np.testing.assert_allclose(sharp, best_similarity(rows, bank), atol=2e-3)


def test_soft_similarity_of_an_invalid_row_is_no_number():
    rows = _unit(3, 0)
    rows[1] = np.nan
    assert np.isnan(soft_similarity(rows, _unit(4, 1), 10.0)).tolist() == [False, True, False]


@pytest.mark.parametrize("kind", ["best", "softmax"])
def test_given_weight_ranks_by_the_lowered_scores(kind):
    molecules, texts, bank = _unit(40, 0), _unit(10, 1), _unit(6, 2)
    targets = np.arange(10)
    found = correct(
        *(texts, targets, bank, np.arange(20, 26), molecules, bank, np.zeros(40, bool)),
        Correction(kind, weight=0.7, sharpness=5.0),
    )
    similar = molecules @ bank.T
    if kind == "best":
        closeness = similar.max(axis=1)
    else:
        closeness = np.log(np.exp(5.0 * similar).sum(axis=1)) / 5.0
    expected = rank_scores(texts @ molecules.T - 0.7 * closeness, targets)
    (corrected,) = found.corrected
    np.testing.assert_array_equal(corrected.texts.ranks(), expected.ranks())
    assert (corrected.strengths, corrected.curve) == ((0.7,), ())
    plain = rank_scores(bank @ molecules.T, np.arange(20, 26))
    np.testing.assert_array_equal(found.training.ranks(), plain.ranks())


def _biased(texts=60):
    """Molecules that stand 0.3 too near to every text, with a bank that shows which they are.

    The last axis is 1 for half of the molecules and for texts; the others tell molecules apart.
    """
    rng = np.random.default_rng(3)
    molecules = np.hstack([_unit(2 * texts, 4, 16), np.zeros((2 * texts, 1))])
    molecules[texts:, -1] = 0.5
    right = molecules[:texts] + rng.normal(size=(texts, 17)) * 0.12
    right[:, -1] = 0.8
    bank = np.zeros((1, 17))
    bank[0, -1] = 1.0
    return tuple(array.astype(np.float32) for array in (right, molecules, bank))


def test_chosen_weight_undoes_a_bias_that_the_bank_shows():
    texts, molecules, bank = _biased()
    targets = np.arange(60)
    # The training texts are about molecules without the bias too, so both groups want the same.
    found = correct(
        *(texts[:40], targets[:40], texts[40:], targets[40:], molecules, bank),
        *(np.zeros(120, bool), Correction()),
    )
    (corrected,) = found.corrected
    plain = rank_scores(texts[:40] @ molecules.T, targets[:40])
    assert corrected.texts.hits(1).mean() > plain.hits(1).mean()
    # 0.5 x 0.8 too near, and the bank is 0.5 near: the weight that undoes it is 0.8.
    assert all(strength >= 0.5 for strength in corrected.strengths)
    assert [strength for strength, _, _ in corrected.curve] == list(WEIGHTS)


def test_each_half_is_ranked_under_the_strength_chosen_on_the_other(monkeypatch):
    from molclip.evaluation import correction

    texts, molecules, bank = _biased()
    half = np.arange(60) % 2 == 0
    monkeypatch.setattr(correction, "_halves", lambda count, _: half[:count])
    # Half of the texts is far from the biased molecules, so any weight only moves those nearer.
    texts[half, -1] = -0.8
    targets = np.arange(60)
    arguments = (texts, targets, texts, targets, molecules, bank, np.zeros(120, bool))
    (corrected,) = correct(*arguments, Correction()).corrected
    first, second = corrected.strengths
    assert first != second

    def under(weight):
        (each,) = correct(*arguments, Correction(weight=weight)).corrected
        return each.texts.ranks()

    # `first` was chosen on the marked half and holds for the unmarked one.
    np.testing.assert_array_equal(corrected.texts.ranks()[~half], under(first)[~half])
    np.testing.assert_array_equal(corrected.texts.ranks()[half], under(second)[half])
    best = min(WEIGHTS, key=lambda weight: -_mrr(under(weight)[half]))
    assert first == best


def test_no_half_helps_choose_the_weight_below_its_discount(monkeypatch):
    from molclip.evaluation import correction

    texts, molecules, bank = _biased()
    half = np.arange(60) % 2 == 0
    monkeypatch.setattr(correction, "_halves", lambda count, _: half[:count])
    texts[half, -1] = -0.8
    targets = np.arange(60)
    seen = np.arange(120) >= 90
    arguments = (texts, targets, texts, targets, molecules, bank, seen)
    weights = correct(*arguments, Correction()).corrected[0].strengths
    assert weights[0] != weights[1]
    # Nothing off on top of the weights is the weights alone: each half's own, and not their mean.
    plain, nothing_off = correct(*arguments, Correction(discount=0.0)).corrected
    np.testing.assert_array_equal(nothing_off.texts.ranks(), plain.texts.ranks())
    np.testing.assert_array_equal(nothing_off.training.ranks(), plain.training.ranks())
    _, chosen = correct(*arguments, Correction(discount="chosen")).corrected
    for side, (weight, discount) in enumerate(zip(weights, chosen.strengths, strict=True)):
        tested = half == bool(side)

        def under(amount, weight=weight):
            asked = Correction(weight=weight, discount=amount)
            return correct(*arguments, asked).corrected[1].texts.ranks()

        np.testing.assert_array_equal(chosen.texts.ranks()[tested], under(discount)[tested])
        scores = [_mrr(under(amount)[~tested]) for amount in DISCOUNTS]
        assert discount == DISCOUNTS[int(np.argmax(scores))]


def _mrr(ranks):
    return float((1 / ranks).mean())


def test_discount_is_chosen_between_what_it_brings_and_what_it_costs():
    molecules = _unit(200, 0, 32)
    seen = np.arange(200) >= 100
    rng = np.random.default_rng(1)

    def near(rows, noise):
        vectors = molecules[rows] + rng.normal(size=(len(rows), 32)) * noise
        return (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)

    unseen_rows, seen_rows = np.arange(100), np.arange(100, 200)
    texts, training = near(unseen_rows, 0.3), near(seen_rows, 0.3)
    asked = Correction(weight=0.0, discount="chosen")
    found = correct(texts, unseen_rows, training, seen_rows, molecules, training, seen, asked)
    _, discounted = found.corrected
    texts_curve = [value for _, value, _ in discounted.curve]
    training_curve = [value for _, _, value in discounted.curve]
    # It can only help texts of unseen molecules, and only harm those of seen ones.
    assert texts_curve == sorted(texts_curve)
    assert training_curve == sorted(training_curve, reverse=True)
    # Both groups are equally hard here, so there is nothing to be gained on the whole.
    assert max(discounted.strengths) <= 0.04


def test_ranks_are_put_together_by_query():
    one = Ranks(np.array([1, 2]), np.array([0, 0]), np.array([False, True]), 9)
    two = Ranks(np.array([5, 6]), np.array([1, 1]), np.array([True, False]), 9)
    mixed = one.where(np.array([True, False]), two)
    assert (mixed.higher.tolist(), mixed.tied.tolist()) == ([1, 6], [0, 1])
    assert mixed.missed.tolist() == [False, False]
    joined = Ranks.joined([one, two])
    assert joined.higher.tolist() == [1, 2, 5, 6]
    assert joined.subset(np.array([3, 0])).higher.tolist() == [6, 1]
    assert joined.pool_size == 9
