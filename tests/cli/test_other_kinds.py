"""The commands on models that see graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli_support import BAD_ROW, ROWS, Run, strict_json
from model_fakes import tiny_model

from molclip import MolCLIP

COLUMNS = ("--structure", "SMILES", "--id", "code", "--name", "title")


@pytest.fixture(scope="module", params=["graph", "hybrid"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("model") / request.param
    tiny_model(kind=request.param).save_pretrained(path)
    return path


def test_embed(run: Run, table: Path, folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "vectors.npy"
    result = run("embed", table, "-o", out, "--model", folder, "--structure", "SMILES")
    assert result.exit_code == 0, result.stderr
    vectors = np.load(out)
    assert vectors.shape == (ROWS, 16)
    assert np.flatnonzero(np.isnan(vectors).any(axis=1)).tolist() == [BAD_ROW - 1]
    expected = MolCLIP.from_pretrained(folder).encode_molecules(["CC(=O)Oc1ccccc1C(=O)O"]).vectors
    np.testing.assert_allclose(vectors[1], expected[0], atol=1e-5)


@pytest.fixture(scope="module")
def built(run: Run, table: Path, folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    library = tmp_path_factory.mktemp("library") / folder.name
    result = run("library", "build", library, table, *COLUMNS, "--model", folder)
    assert result.exit_code == 0, result.stderr
    return library


def test_search_of_a_library_and_of_a_file(
    run: Run, table: Path, folder: Path, built: Path
) -> None:
    options = ("--mode", "vector", "-n", 5, "--format", "json")
    scores = []
    for place in (("--library", built), ("--in", table, *COLUMNS, "--model", folder)):
        result = run("search", "a sweet alcohol", *place, *options)
        assert result.exit_code == 0, result.stderr
        hits = strict_json(result.stdout)
        scores.append({hit["id"]: hit["score"] for hit in hits})
    assert len(scores[0]) == 5
    assert scores[0] == pytest.approx(scores[1], abs=2e-3)


def test_classify(run: Run, table: Path, folder: Path, built: Path) -> None:
    result = run(
        *("classify", table, *COLUMNS, "--labels", "alcohol; alkaloid", "--model", folder),
        *("--background", built, "--format", "json"),
    )
    assert result.exit_code == 0, result.stderr
    records = strict_json(result.stdout)
    assert [record["row"] for record in records] == list(range(1, ROWS + 1))
    model = MolCLIP.from_pretrained(folder)
    expected = model.encode_labels(["alcohol"])[0] @ model.encode_molecules("CCO").vectors[0]
    scores = {label["label"]: label["score"] for label in records[0]["labels"]}
    assert scores["alcohol"] == pytest.approx(float(expected), abs=1e-5)
