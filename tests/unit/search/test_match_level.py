"""Where a score lies among true pairs and among questions without answer."""

import numpy as np
import pytest
from search_fakes import FakeModel

from molclip.datasets.ontology import Ontology, Term
from molclip.errors import ModelError
from molclip.search.evidence import write_evidence
from molclip.search.library import Library
from molclip.search.match_level import CALIBRATION_FILE, Calibration, calibrate
from molclip.search.rows import FACTS
from molclip.search.seen import SEEN_FILE, write_seen

STEPS = np.linspace(0, 100, 201)


def calibration(true=(0.0, 1.0), nonsense=(0.0, 0.5), model_hash="h"):
    return Calibration(
        model_hash,
        np.interp(STEPS, [0, 100], true).tolist(),
        np.interp(STEPS, [0, 100], nonsense).tolist(),
        100,
        100,
        1000,
    )


@pytest.mark.parametrize(
    ("score", "level", "true", "nonsense"),
    [
        (0.6, "strong", 60.0, 100.0),
        (0.496, "strong", 49.6, 99.2),
        (0.47, "plausible", 47.0, 94.0),
        (0.26, "weak", 26.0, 52.0),
        (0.2, "none", 20.0, 40.0),
        (-1.0, "none", 0.0, 0.0),
        (2.0, "strong", 100.0, 100.0),
    ],
)
def test_levels(score, level, true, nonsense):
    found = calibration().level(score)
    assert found.level == level
    assert found.percentile_true == pytest.approx(true, abs=0.1)
    assert found.percentile_nonsense == pytest.approx(nonsense, abs=0.1)


def test_equal_quantiles_give_the_lowest_percentile():
    flat = Calibration("h", [0.0] * 201, [0.3] * 100 + [0.4] * 101, 1, 1, 1)
    assert flat.level(0.3).percentile_nonsense == 0.0


def test_saved_and_loaded_only_for_its_weights(tmp_path):
    calibration().save(tmp_path / CALIBRATION_FILE)
    assert Calibration.beside(tmp_path, "h") == calibration()
    assert Calibration.beside(tmp_path, "other") is None
    assert Calibration.beside(None, "h") is None
    (tmp_path / CALIBRATION_FILE).write_text("{}")
    with pytest.raises(ModelError, match="match levels"):
        Calibration.beside(tmp_path, "h")


def test_calibrate_measures_quantiles():
    model = FakeModel()
    pairs = [(f"text {n}", "C" * (n + 1)) for n in range(25)]
    questions = [f"question {n}" for n in range(30)]
    vectors = model.encode_molecules([smiles for _, smiles in pairs]).vectors
    true = np.sort((model.encode_text([t for t, _ in pairs]) * vectors).sum(axis=1))
    result = calibrate(model, pairs, questions, lambda vector: float(vector[0]), 7)
    assert result.true_pairs[0] == pytest.approx(true[0], abs=1e-5)
    assert result.true_pairs[100] == pytest.approx(np.median(true), abs=1e-5)
    best = model.encode_text(questions)[:, 0]
    assert result.nonsense[-1] == pytest.approx(best.max(), abs=1e-5)
    assert (result.pairs, result.questions, result.pool) == (25, 30, 7)
    with pytest.raises(ValueError, match="at least 20"):
        calibrate(model, pairs[:5], questions, lambda vector: 0.0, 7)


def test_hits_carry_level_and_seen(tmp_path, molecules_file):
    folder = tmp_path / "model"
    folder.mkdir()
    model = FakeModel(folder=folder)
    calibration((-1, 1), (-1.0, 1.0), model.model_hash).save(folder / CALIBRATION_FILE)
    write_seen(["OKKJLVBELUTLKV-UHFFFAOYSA-N"], folder / SEEN_FILE)  # methanol
    library = Library.build(tmp_path / "lib", molecules_file, model=model)
    result = library.search("anything")
    for record in result:
        assert record["percentile_true"] == pytest.approx(50 * (record["score"] + 1), abs=0.1)
        assert record["seen"] is (record["id"] == "A1")
    assert result.query.match_level == result[0]["match_level"]
    mixed = library.search("anything", smiles="CO")
    for record in mixed:
        assert record["percentile_true"] == pytest.approx(50 * (record["text_score"] + 1), abs=0.1)
    assert all(r["match_level"] is None for r in library.search(smiles="CO"))


def test_a_query_that_scores_like_nonsense_is_said(tmp_path, molecules_file):
    folder = tmp_path / "model"
    folder.mkdir()
    model = FakeModel(folder=folder)
    calibration((0.9, 1.0), (0.9, 1.0), model.model_hash).save(folder / CALIBRATION_FILE)
    library = Library.build(tmp_path / "lib", molecules_file, model=model)
    result = library.search("anything")
    assert result.query.match_level == "none"
    assert any("no higher than nonsense" in warning for warning in result.query.warnings)
    # Whoever gives a name exactly has the answer, wherever the model sees it.
    named = library.search(library.search("anything")[0]["name"], mode="hybrid")
    assert named[0]["matched_by"] == "exact name"
    assert not any("no higher than nonsense" in warning for warning in named.query.warnings)


def test_what_the_source_records_is_an_answer_whatever_it_scores(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    model = FakeModel(folder=folder)
    calibration((0.9, 1.0), (0.9, 1.0), model.model_hash).save(folder / CALIBRATION_FILE)
    rows = [{"smiles": "CCO", FACTS: [0]}, {"smiles": "CCN"}]
    Library.build(tmp_path / "lib", rows, model=model)
    write_evidence(tmp_path / "lib", Ontology({"R:1": Term("R:1", "solvent", "role")}), [])
    library = Library.open(tmp_path / "lib", model)
    for recorded in (False, True):
        query = library.search("solvent", recorded=recorded).query
        assert query.match_level == "none"
        doubted = any("no higher than nonsense" in warning for warning in query.warnings)
        assert doubted is not recorded
