"""The probe on a small set whose answer is in the structure, and its report."""

import json
from itertools import combinations_with_replacement

import numpy as np
import pytest
from model_fakes import tiny_model
from rdkit.Chem import AllChem, MolFromSmiles

from molclip.datasets.labels import read_labelled
from molclip.errors import InputError
from molclip.evaluation.label_features import ecfp_matrix, frozen_features, prepare
from molclip.evaluation.probe import AFTER, BEFORE, probe
from molclip.evaluation.probe_report import probe_report

RINGS = ("c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNCC1", "c1ccoc1", "c1ccsc1", "C1CCOC1", "C1CC1")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Alcohols are active, amines are not, and a chain's length is the dose; one row is broken."""
    lines = ["id,smiles,active,dose"]
    for first, second in combinations_with_replacement(RINGS, 2):
        for length in (1, 2, 3):
            for head, active in (("O", 1), ("N", 0)):
                smiles = f"{head}{'C' * length}C({first}){second}"
                lines.append(f"m{len(lines)},{smiles},{active},{length}")
    lines[5] = "bad,c1cc,1,1"
    lines.append("none,CCO,,")
    path = tmp_path_factory.mktemp("probe") / "labels.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model():
    """A model that no probe may change."""
    made = tiny_model()
    before = {name: tensor.clone() for name, tensor in made.network.state_dict().items()}
    yield made
    after = made.network.state_dict()
    assert all((before[name] == after[name]).all() for name in before)


@pytest.fixture(scope="module")
def data(file):
    return read_labelled(file, ["active", "dose"])


@pytest.fixture(scope="module")
def result(model, data):
    return probe(model, data, seeds=(0, 1))


def test_frozen_features_are_those_of_the_model_and_its_unit_vectors(model):
    smiles = ["CCO", "c1ccccc1N", "CC(=O)O"]
    rows = list(prepare(smiles, "fingerprint").rows)
    before, after = frozen_features(model.network.molecule, rows, model.device)
    assert before.shape == (3, model.network.molecule.width)
    np.testing.assert_allclose(after, model.encode_molecules(smiles).vectors, atol=1e-6)


def test_the_count_fingerprint_is_rdkits(model):
    smiles = ["CC(=O)Oc1ccccc1C(=O)O", "CCCCCC"]
    matrix = ecfp_matrix(prepare(smiles, "fingerprint").rows).toarray()
    for row, text in zip(matrix, smiles, strict=True):
        counts = AllChem.GetHashedMorganFingerprint(MolFromSmiles(text), 2, 2048)
        expected = np.zeros(2048)
        for column, count in counts.GetNonzeroElements().items():
            expected[column] = np.log(1 + count)
        np.testing.assert_allclose(row, expected, rtol=1e-6)


def test_easy_labels_are_found_and_bad_rows_are_left_out_and_named(result, data):
    (failure,) = result.failures
    assert (failure.id, failure.row) == ("bad", 5)
    assert result.unlabelled == 1
    assert result.molecules == len(data) - 2
    assert [(row.features, row.method) for row in result.rows] == [
        (features, method)
        for features in (BEFORE, AFTER, "count ECFP4")
        for method in ("linear", "kNN")
    ]
    fingerprint = result.rows[4]
    assert fingerprint.mean("roc_auc")[0] > 0.95
    assert fingerprint.mean("r2")[0] > 0.8
    auc = [scores[0]["roc_auc"] for scores in fingerprint.seeds.values()]
    assert fingerprint.mean("roc_auc") == pytest.approx((np.mean(auc), np.std(auc, ddof=1)))


def test_the_same_seed_gives_the_same_figures(model, data, result):
    again = probe(model, data, seeds=(1,))
    assert [row.seeds for row in again.rows] == [{1: row.seeds[1]} for row in result.rows]
    assert again.rows[0].mean("roc_auc")[1] is None  # no deviation of one seed


def test_labels_that_mean_nothing_are_not_found(model, file):
    data = read_labelled(file, ["active"])
    data.labels[:, 0] = np.random.default_rng(0).integers(0, 2, len(data))
    result = probe(model, data, seeds=range(4))
    assert all(0.25 < row.mean("roc_auc")[0] < 0.75 for row in result.rows)


def test_too_few_molecules_are_refused(model, tmp_path):
    path = tmp_path / "few.csv"
    path.write_text("smiles,y\nCCO,1\nCCN,0\nx1,1\n", encoding="utf-8")
    with pytest.raises(InputError, match="2 molecules have a structure and a label"):
        probe(model, read_labelled(path, ["y"]))


def test_the_report_states_protocol_and_rows(result, tmp_path):
    report = probe_report([result], model="tiny", model_hash="0123", command="molclip …")
    paths = report.write(tmp_path, "probe")
    assert [path.suffix for path in paths] == [".json", ".md", ".html"]
    stored = json.loads(paths[0].read_text(encoding="utf-8"))
    (numbers,) = stored["results"].values()
    assert numbers["molecules"] == result.molecules
    assert numbers["failures"][0]["id"] == "bad"
    assert len(numbers["rows"]) == 6
    text = paths[1].read_text(encoding="utf-8")
    assert "scaffold" in text
    mean, deviation = result.rows[4].mean("roc_auc")
    assert f"| count ECFP4 | linear | {mean:.3f} ± {deviation:.3f} |" in text
    assert "Left out:" in text
    two = probe_report([result, result], model="tiny", model_hash="0123", command="molclip …")
    assert len(two.tables[0].columns) == 4
