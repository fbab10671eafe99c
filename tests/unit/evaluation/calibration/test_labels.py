"""Percentiles of labels and `none of these`, with percentiles set by hand."""

from types import SimpleNamespace

import numpy as np
import pytest

from molclip.datasets.ontology import Ontology, Term
from molclip.evaluation.calibration.labels import (
    OFFERED,
    label_truth,
    measure_labels,
    none_of_these,
    summarise,
)
from molclip.evaluation.calibration.pool import Pool
from molclip.evaluation.zero_shot.library_terms import Rows


def test_a_perfect_model_always_answers_right():
    truth = np.eye(12, dtype=bool)
    for answer in none_of_these(truth.astype(float), truth):
        assert answer.right.value == 1
        assert answer.missed.value == 0
        assert answer.refused.value == 1
    offered = {answer.offered for answer in none_of_these(truth.astype(float), truth)}
    assert offered == {number for number in OFFERED if number <= 11}


def test_a_model_that_knows_nothing_refuses_by_chance():
    random = np.random.default_rng(0)
    truth = np.zeros((4000, 30), dtype=bool)
    truth[:, 0] = True
    found = none_of_these(random.random((4000, 30)), truth)
    for answer in found:
        chance = answer.threshold**answer.offered
        assert answer.refused.value == pytest.approx(chance, abs=0.03)
        assert answer.missed.value == pytest.approx(chance, abs=0.03)
        # Whoever passes, each offered label is as likely as the others.
        assert answer.right.value == pytest.approx((1 - chance) / answer.offered, abs=0.03)


def test_a_label_that_may_not_be_the_answer_never_is():
    truth = np.array([[True, False, False]] * 40)
    percentiles = np.array([[0.99, -1.0, -1.0]] * 40)
    (answer,) = [
        a for a in none_of_these(percentiles, truth) if (a.offered, a.threshold) == (2, 0.95)
    ]
    assert (answer.right.value, answer.refused.value) == (1, 1)


def test_summary_of_percentiles():
    truth = np.zeros((200, 2), dtype=bool)
    truth[:50, 0] = truth[50:100, 1] = True
    percentiles = np.full((200, 2), 0.5, dtype=np.float32)
    percentiles[truth] = 0.97
    percentiles[150:180, 0] = 0.96  # 30 of the 150 without the first label pass
    found = summarise("x", ["a", "b"], percentiles, truth, np.array([False, False]), 1000)
    without, holding = found.passing(0.95)
    assert (without.value, without.number) == (pytest.approx(30 / 300), 300)
    assert (holding.value, holding.number) == (1.0, 100)
    assert found.by_label.tolist() == pytest.approx([0.2, 0.0])
    one = found.answer(1)
    assert one.right.value == 1
    assert one.right.number == 100


def ontology():
    terms = [
        Term("C:1", "alcohol", "class"),
        Term("C:2", "rare", "class"),
        Term("C:3", "everything", "class"),
        Term("R:1", "solvent", "role"),
        Term("R:2", "dye", "role"),
    ]
    return Ontology({term.id: term for term in terms})


def pool(vectors):
    members = {
        "C:1": frozenset(range(30)),
        "C:2": frozenset(range(5)),
        "C:3": frozenset(range(60)),
        "R:1": frozenset(range(30)),
        "R:2": frozenset(range(30, 60)),
    }
    names = [f"row {n}" for n in range(60)]
    return Pool(Rows(names, names, names, members), ontology(), vectors)


def test_labels_need_molecules_with_and_without_them():
    terms, truth = label_truth(pool(np.zeros((60, 2))), range(60), "class")
    assert terms == ["C:1"]
    assert truth[:, 0].tolist() == [True] * 30 + [False] * 30
    assert label_truth(pool(np.zeros((60, 2))), range(20), "class")[0] == []


def test_measured_against_the_background():
    angle = np.linspace(0, np.pi / 2, 60)
    vectors = np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)

    def encode_labels(names, _templates):
        return np.array([[1, 0] if n == "solvent" else [0, 1] for n in names], dtype=np.float32)

    model = SimpleNamespace(encode_labels=encode_labels, known_words=frozenset({"solvent"}))
    everything = pool(vectors)
    found = measure_labels(model, everything, [*range(60), 3], "role", vectors)
    assert (found.title, found.molecules, found.background) == ("ChEBI roles", 60, 60)
    assert set(found.labels) == {"solvent", "dye"}
    # Rank r from below of 60, ties half: (r - 0.5) / 60, so holders fill the upper half.
    assert found.holding.min() == pytest.approx(30.5 / 60)
    assert found.without.max() == pytest.approx(29.5 / 60)
    # "dye" is a strange word, so only the solvents are ever answered.
    assert found.answer(1).right.value == pytest.approx(3 / 60)
    assert measure_labels(model, everything, range(60), "class", vectors) is None
