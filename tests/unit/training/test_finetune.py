"""Fine-tuning a small model on labels that are in the structure, and the folder it leaves."""

import csv
import json
from itertools import combinations_with_replacement

import numpy as np
import pytest
from model_fakes import tiny_model

from molclip import MolCLIP
from molclip.datasets.labels import read_labelled
from molclip.errors import InputError, ModelError
from molclip.evaluation.probe import probe
from molclip.training.fine_tuned import FineTuned
from molclip.training.finetune import CONSTANT, FINE_TUNED, LINEAR, fine_tune
from molclip.training.finetune_report import finetune_report, new_folder, write_folder
from molclip.training.label_training import FineTuneSettings

RINGS = ("c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNCC1", "c1ccoc1", "c1ccsc1")
SETTINGS = FineTuneSettings(epochs=25, batch_size=16, learning_rate=0.003)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Alcohols are active, amines are not, thiols are a third kind; dose is the chain's length."""
    lines = ["id,smiles,active,kind,dose,fold"]
    for first, second in combinations_with_replacement(RINGS, 2):
        for length in (1, 2, 3):
            for head, active in (("O", 1), ("N", 0), ("S", "")):
                smiles = f"{head}{'C' * length}C({first}){second}"
                number = len(lines)
                fold = "test" if number % 5 == 0 else "valid" if number % 5 == 1 else "train"
                lines.append(f"m{number},{smiles},{active},{head},{length},{fold}")
    lines[4] = "bad,c1cc,1,O,1,train"
    lines[8] = lines[8].rsplit(",", 2)[0] + ",much,train"
    lines.append("none,CCO,,,,train")
    path = tmp_path_factory.mktemp("finetune") / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model():
    return tiny_model()


@pytest.fixture(scope="module")
def result(model, file):
    data = read_labelled(file, ["active", "kind"], task="classification", split_column="fold")
    return fine_tune(model, data, SETTINGS, split="fold")


def test_easy_labels_are_learned_and_the_model_itself_is_not_changed(result, model, file):
    scores = result.scores[FINE_TUNED]
    assert scores[0]["roc_auc"] > 0.95
    assert scores[1]["accuracy"] > 0.9
    assert result.scores[CONSTANT][0]["roc_auc"] == 0.5
    assert result.scores[LINEAR][0]["roc_auc"] > 0.9
    fresh = tiny_model().network.state_dict()
    state = model.network.state_dict()
    assert all((fresh[name] == state[name]).all() for name in fresh)


def test_rows_are_split_by_the_column_and_unlabelled_or_broken_ones_are_in_no_set(result, file):
    with file.open() as handle:
        rows = list(csv.DictReader(handle))
    words = {"valid": "validation"}
    sets = result.split.set_of(len(rows))
    for row, found in zip(rows, sets, strict=True):
        expected = words.get(row["fold"], row["fold"])
        assert found == ("" if row["id"] in ("bad", "none") else expected), row["id"]


def test_regression_is_in_the_units_of_the_labels(model, file):
    data = read_labelled(file, ["dose"], task="regression")
    assert [problem.input for problem in data.problems] == ["much"]
    data.labels = data.labels * 100 + 5000
    tuned = fine_tune(model, data, SETTINGS)
    fitted, constant = (tuned.scores[name][0] for name in (FINE_TUNED, CONSTANT))
    assert fitted["rmse"] < 0.5 * constant["rmse"]
    assert fitted["r2"] > 0.7
    answer = tuned.model.predict("OCCCC(c1ccccc1)c1ccccc1")["dose"]
    assert 5150 < answer[0] < 5450


def test_the_folder_answers_as_the_model_did_row_by_row(result, tmp_path):
    folder = tmp_path / "tuned"
    report = finetune_report(result, base="tiny", command="molclip finetune …")
    new_folder(folder)
    write_folder(result, folder, report)
    loaded = FineTuned.load(folder)
    asked = ["OCC(c1ccccc1)c1ccoc1", "not one", "SCC(c1ccccc1)c1ccoc1"]
    predictions = loaded.predict(asked)
    assert len(predictions) == 3
    (failure,) = predictions.failures
    assert failure.row == 2
    for task in ("active", "kind"):
        expected = result.model.predict(asked)[task]
        np.testing.assert_allclose(predictions[task], expected, atol=1e-6)
        assert np.isnan(predictions[task][1]).all()
    assert predictions.answers("active")[:2] == ["1", None]
    assert predictions.answers("kind") == ["O", None, "S"]
    records = list(predictions.records())
    assert records[0]["probability: active = 1"] == pytest.approx(predictions["active"][0, 1])
    assert records[1]["prediction: kind"] is None
    assert records[1]["failure"] == f"{failure.reason} {failure.hint}".strip()
    # One by one is as all together.
    alone = loaded.predict(asked[2])["kind"]
    np.testing.assert_allclose(alone[0], predictions["kind"][2], atol=1e-6)
    assert loaded.predict([])["active"].shape == (0, 2)


def test_the_folder_holds_an_answer_and_a_set_for_every_row(result, file, tmp_path):
    folder = tmp_path / "tuned"
    new_folder(folder)
    write_folder(result, folder, finetune_report(result, base="tiny", command="…"))
    with (folder / "predictions.csv").open(encoding="utf-8") as handle:
        rows = list(csv.DictReader(handle))
    with file.open() as handle:
        given = list(csv.DictReader(handle))
    assert [row["id"] for row in rows] == [row["id"] for row in given]
    assert [row["label: active"] for row in rows] == [row["active"] for row in given]
    last, bad = rows[-1], rows[3]
    assert (last["set"], last["prediction: active"]) == ("", "1")  # ethanol: an alcohol
    assert bad["prediction: active"] == ""
    assert bad["failure"]
    with (folder / "failures.csv").open(encoding="utf-8") as handle:
        failures = list(csv.DictReader(handle))
    assert [(f["id"], f["row"]) for f in failures] == [("bad", "4")]
    stored = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    truth = [
        (row["label: active"], row["prediction: active"])
        for row in rows
        if row["set"] == "test" and row["label: active"]
    ]
    share = sum(label == answer for label, answer in truth) / len(truth)
    assert stored["results"]["tasks"][0][FINE_TUNED]["accuracy"] == pytest.approx(share)
    assert sum(stored["results"]["tasks"][1]["labels"]) == len(given) - 2


def test_a_folder_with_a_model_is_not_overwritten(result, tmp_path):
    tiny_model().save_pretrained(tmp_path)
    with pytest.raises(InputError, match="holds a model"):
        new_folder(tmp_path)


def test_the_wrong_folder_is_explained(result, tmp_path):
    with pytest.raises(ModelError, match="finetune"):
        FineTuned.load(tmp_path / "none")
    tiny_model().save_pretrained(tmp_path / "clip")
    with pytest.raises(ModelError, match="not the folder of a fine-tuned model"):
        FineTuned.load(tmp_path / "clip")
    result.model.save(tmp_path / "tuned")
    with pytest.raises(ModelError, match=r"config\.json"):
        MolCLIP.from_pretrained(tmp_path / "tuned")
    config = json.loads((tmp_path / "tuned" / "config.json").read_text())
    config["tasks"].pop()
    (tmp_path / "tuned" / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match="does not fit"):
        FineTuned.load(tmp_path / "tuned")


def test_a_scaffold_split_gives_the_test_set_scaffolds_of_its_own(model, file):
    data = read_labelled(file, ["active"])
    tuned = fine_tune(model, data, FineTuneSettings(epochs=1, seed=2))
    scaffolds = [
        {row.scaffold for row in tuned.prepared.take(part)}
        for part in (tuned.split.train, tuned.split.validation, tuned.split.test)
    ]
    assert not scaffolds[0] & scaffolds[1]
    assert not scaffolds[0] & scaffolds[2]
    assert not scaffolds[1] & scaffolds[2]


def test_a_task_without_labels_to_learn_from_is_refused(model, file):
    data = read_labelled(file, ["active", "kind"], split_column="fold")
    data.labels[[cell == "train" for cell in data.split], 0] = np.nan
    with pytest.raises(InputError, match="training set has a label in 'active'"):
        fine_tune(model, data, SETTINGS, split="fold")


def test_too_few_labels_are_refused(model, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("smiles,y\nCCO,1\nCCN,0\n", encoding="utf-8")
    with pytest.raises(InputError, match="2 molecules"):
        fine_tune(model, read_labelled(path, ["y"]))


@pytest.mark.parametrize("kind", ["graph", "hybrid"])
def test_encoders_of_graphs_are_probed_fine_tuned_saved_and_loaded(kind, file, tmp_path):
    pytest.importorskip("torch_geometric")
    other = tiny_model(kind=kind)
    data = read_labelled(file, ["active"])
    tuned = fine_tune(other, data, SETTINGS)
    assert tuned.scores[FINE_TUNED][0]["roc_auc"] > 0.9
    tuned.model.save(tmp_path)
    asked = ["OCC(c1ccccc1)c1ccoc1", "not one", "NCC(c1ccccc1)c1ccoc1"]
    expected = tuned.model.predict(asked)["active"]
    np.testing.assert_allclose(FineTuned.load(tmp_path).predict(asked)["active"], expected)
    found = probe(other, data, seeds=(0,))
    assert found.rows[0].width == other.network.molecule.width
    assert found.rows[0].mean("roc_auc")[0] > 0.8
