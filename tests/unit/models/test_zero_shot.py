"""Percentiles by hand, the ranking, and `none of these`."""

from dataclasses import replace

import numpy as np
import pytest
from model_fakes import tiny_model

from molclip.errors import InputError
from molclip.models.zero_shot import NONE_OF_THESE, ZeroShotResult, percentiles_among
from molclip.text.prompts import prompts_for


def test_percentiles_are_shares_below_with_ties_halved():
    background = np.array([[0.0], [0.1], [0.2], [0.2]], dtype=np.float32)
    scores = np.array([[-1.0], [0.1], [0.2], [9.0], [np.nan]], dtype=np.float32)
    got = percentiles_among(scores, background)[:, 0]
    np.testing.assert_allclose(got[:4], [0.0, 0.375, 0.75, 1.0])
    assert np.isnan(got[4])


def result(percentiles, threshold=0.95):
    model = tiny_model()
    molecules = model.encode_molecules(["CCO"]).molecules
    scores = np.array([[0.3, 0.2, 0.1]], dtype=np.float32)
    return ZeroShotResult(
        ["a", "b", "c"], scores, np.array([percentiles], dtype=np.float32), molecules, threshold, ()
    )


def test_labels_are_ranked_by_percentile():
    ranked = result([0.5, 0.99, 0.7]).ranked(0)
    assert [entry["label"] for entry in ranked] == ["b", "c", "a"]


def test_under_the_threshold_the_answer_is_none_of_these():
    assert result([0.5, 0.94, 0.7]).answers == [NONE_OF_THESE]
    assert result([0.5, 0.94, 0.7], threshold=0.9).answers == ["b"]


def test_rows_stay_in_place_and_carry_reasons():
    model = tiny_model()
    background = model.encode_molecules(["CCN", "CCC", "CCCl"]).vectors
    answer = model.zero_shot_classify(
        ["CCO", "C1CC", "CCN"], ["alcohol", "amine"], background=background, threshold=0.0
    )
    records = answer.to_dict()
    assert [record["row"] for record in records] == [1, 2, 3]
    assert records[1]["answer"] is None
    assert records[1]["failure"]
    assert {entry["label"] for entry in records[0]["labels"]} == {"alcohol", "amine"}


def test_without_background_there_is_no_percentile_and_no_none_of_these():
    answer = tiny_model().zero_shot_classify(["CCO"], ["alcohol", "amine"])
    assert answer.percentiles is None
    assert answer.answers[0] in {"alcohol", "amine"}


def test_a_strange_label_is_ranked_but_never_the_answer():
    strange = replace(result([0.5, 0.99, 0.7]), strange=frozenset({"b"}))
    assert [entry["label"] for entry in strange.ranked(0)] == [NONE_OF_THESE, "c", "a", "b"]
    good = replace(result([0.5, 0.99, 0.97]), strange=frozenset({"b"}))
    assert good.answers == ["c"]


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([], "no labels"),
        (["a", " a "], "twice"),
        (["a", ""], "empty"),
        (["a", "None of  these"], "stands out"),
    ],
)
def test_wrong_labels_are_explained(labels, words):
    with pytest.raises(InputError, match=words):
        tiny_model().zero_shot_classify(["CCO"], labels)


def test_prompts_are_sentences_with_the_label():
    assert prompts_for("alkaloid", ("{}", "It is {a}.")) == ["alkaloid", "It is an alkaloid."]
    with pytest.raises(InputError, match="no place"):
        prompts_for("alkaloid", ("It is.",))


def test_a_label_that_denies_another_is_its_opposite():
    """Who fits *opioid* least fits *not an opioid* best: the percentiles of the two sum to one."""
    model = tiny_model()
    background = model.encode_molecules(["CCN", "CCC", "CCCl", "c1ccccc1"]).vectors
    answer = model.zero_shot_classify(
        ["CCO", "CCBr"], ["alcohol", "not an alcohol", "non-alcohol"], background=background
    )
    np.testing.assert_allclose(answer.scores[:, 1], -answer.scores[:, 0], atol=1e-6)
    assert answer.percentiles is not None
    np.testing.assert_allclose(answer.percentiles[:, :2].sum(axis=1), 1.0)
    assert not np.allclose(answer.scores[:, 2], -answer.scores[:, 0], atol=1e-3)
