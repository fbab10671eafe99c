"""A label set measured with vectors worked out by hand."""

import numpy as np
import pytest

from molclip.evaluation.zero_shot.evaluate import evaluate_set
from molclip.evaluation.zero_shot.label_set import (
    DESCRIPTION,
    ENSEMBLE,
    NAME,
    NEW_SKELETON,
    Label,
    LabelSet,
)
from molclip.evaluation.zero_shot.labels import SEEN, UNSEEN, LabelRow, label_rows, unseen_summary
from molclip.text.withheld import Withheld, WithheldLabel

metrics = pytest.importorskip("sklearn.metrics")

SIZE = 40


class Model:
    """Texts on a circle, by the angle in degrees that they name."""

    def encode_text(self, texts):
        angles = np.radians([float(text.rpartition(" ")[2]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)


def _vectors(seed=0):
    angles = np.random.default_rng(seed).uniform(0, np.pi, SIZE)
    return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32), angles


def _set(truth, labels, **changes):
    options = {
        "name": "angles", "title": "Angles", "molecules": "all", "kind": "odour",
        "labels": labels, "smiles": [str(i) for i in range(SIZE)], "truth": truth,
        "training_smiles": [], "training_truth": np.zeros((0, len(labels)), dtype=bool),
        "minimum": 2, "templates": ("{}", "at {}"),
    }  # fmt: skip
    return LabelSet(**(options | changes))


def _label(angle, other, **more):
    prompts = {NAME: (f"{angle}",), ENSEMBLE: (f"{angle}", f"at {other}"), **more}
    return Label(str(angle), str(angle), prompts)


@pytest.fixture
def task():
    _, angles = _vectors()
    truth = np.stack([angles < 1, angles > 2, angles < 0.001], axis=1)
    labels = [_label(0, 40), _label(180, 100, **{DESCRIPTION: ("about 90",)}), _label(30, 30)]
    return _set(truth, labels, slices={NEW_SKELETON: np.arange(SIZE) % 2 == 0})


def test_figures_are_those_of_the_cosines(task):
    vectors, angles = _vectors()
    result = evaluate_set(Model(), task, vectors)
    # The third label has no molecule and is not measured.
    for variant, first in ((NAME, 0.0), (ENSEMBLE, np.radians(20))):
        measured = result.all[variant]
        assert measured.columns.tolist() == [0, 1]
        expected = metrics.roc_auc_score(angles < 1, np.cos(angles - first))
        assert measured.figures.auroc[0] == pytest.approx(expected, abs=1e-6)
    assert result.all[NAME].macro.auroc == 1.0
    # Halfway between 180 and 100 degrees lies 140, and 100 alone is as far from 60 as from 140.
    expected = metrics.roc_auc_score(angles > 2, np.cos(angles - np.radians(140)))
    assert result.all[ENSEMBLE].figures.auroc[1] == pytest.approx(expected, abs=1e-6)


def test_a_variant_of_few_labels_is_set_beside_the_name_on_the_same_ones(task):
    vectors, angles = _vectors()
    described = evaluate_set(Model(), task, vectors).all[DESCRIPTION]
    assert described.columns.tolist() == [1]
    expected = metrics.roc_auc_score(angles > 2, np.cos(angles - np.pi / 2))
    assert described.macro.auroc == pytest.approx(expected, abs=1e-6)
    assert described.name_alone == 1.0


def test_each_template_alone_and_the_gain_of_the_ensemble(task):
    vectors, angles = _vectors()
    result = evaluate_set(Model(), task, vectors)
    alone = [
        metrics.roc_auc_score(angles < 1, np.cos(angles - np.radians(40))),
        metrics.roc_auc_score(angles > 2, np.cos(angles - np.radians(100))),
    ]
    assert result.templates == {"{}": 1.0, "at {}": pytest.approx(np.mean(alone), abs=1e-6)}
    value, low, high = result.gain
    assert value == pytest.approx(result.all[ENSEMBLE].macro.auroc - 1.0, abs=1e-6)
    assert low <= value <= high


def test_slices_count_their_own_molecules(task):
    vectors, angles = _vectors()
    result = evaluate_set(Model(), task, vectors)
    half = angles[::2]
    assert result.molecules == {"all": SIZE, NEW_SKELETON: SIZE // 2}
    measured = result.slices[NEW_SKELETON][ENSEMBLE]
    expected = metrics.roc_auc_score(half < 1, np.cos(half - np.radians(20)))
    assert measured.figures.auroc[0] == pytest.approx(expected, abs=1e-6)
    assert measured.figures.positives.tolist() == [(half < 1).sum(), (half > 2).sum()]


def test_top_k_of_an_exclusive_set_and_its_scaled_form():
    # Label 0 scores high for every molecule; only against a background does label 90 ever win.
    angles = np.radians([10.0, 20.0, 30.0, 40.0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    truth = np.array([[1, 0], [1, 0], [0, 1], [0, 1]], dtype=bool)
    task = _set(
        truth,
        [_label(0, 0), _label(90, 90)],
        smiles=list("abcd"),
        exclusive=True,
        minimum=1,
    )
    result = evaluate_set(Model(), task, vectors, background=vectors)
    assert result.all[NAME].top["top_1"] == 0.5
    assert result.all[NAME].top["top_1_scaled"] == 1.0
    assert result.all[NAME].top["top_3"] == 1.0
    assert evaluate_set(Model(), task, vectors).all[NAME].top.keys() == {
        "top_1",
        "top_3",
        "top_5",
    }


def test_only_labels_of_the_list_beside_the_model_are_unseen(task):
    vectors, _ = _vectors()
    result = evaluate_set(Model(), task, vectors)
    withheld = Withheld((WithheldLabel("odour", "180", "180"), WithheldLabel("use", "0", "0")))
    rows = label_rows(result, withheld)
    assert [(row.id, row.status) for row in rows] == [("0", SEEN), ("180", UNSEEN)]
    assert rows[0].positives == task.truth[:, 0].sum()
    summary = unseen_summary(rows)
    assert summary[UNSEEN]["labels"] == summary[SEEN]["labels"] == 1
    assert summary[UNSEEN][ENSEMBLE] == pytest.approx(result.all[ENSEMBLE].figures.auroc[1])
    none = unseen_summary(label_rows(result, Withheld()))
    assert none[UNSEEN] == {"labels": 0, NAME: None, ENSEMBLE: None}


def test_a_label_of_two_sets_counts_once_with_the_mean_of_both():
    def row(name, kind, id_, auroc):
        return LabelRow(name, kind, id_, id_, SEEN, 30, {ENSEMBLE: auroc}, {}, {})

    rows = [
        row("chebi-classes", "chebi class", "CHEBI:1", 0.5),
        row("chebi-ancestors", "chebi class", "CHEBI:1", 0.7),
        row("chebi-ancestors", "chebi class", "CHEBI:2", 0.9),
        # The same word for another kind of thing is another label.
        row("odours", "odour", "CHEBI:1", 1.0),
    ]
    seen = unseen_summary(rows)[SEEN]
    assert seen["labels"] == 3
    assert seen[ENSEMBLE] == pytest.approx((0.6 + 0.9 + 1.0) / 3)
    assert seen[NAME] is None


def test_a_set_without_a_measurable_label_has_no_figures(task):
    vectors, _ = _vectors()
    lonely = _set(np.zeros((SIZE, 1), dtype=bool), [_label(0, 0)])
    result = evaluate_set(Model(), lonely, vectors)
    assert result.slices == {}
    assert result.gain is None
    assert label_rows(result, Withheld()) == []


def test_truth_must_fit_labels_and_molecules():
    with pytest.raises(ValueError, match="does not fit"):
        _set(np.zeros((SIZE, 2), dtype=bool), [_label(0, 0)])
