"""Hits as files that the next program opens."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from molclip.app.hit_files import write_hits
from molclip.app.question import Answer
from molclip.app.reading import Reading
from rdkit import Chem

from molclip.search.result import QueryInfo, SearchResult

NAME = '=HYPERLINK("http://example.org","x")'
RECORDS = [
    {"rank": 1, "name": NAME, "smiles": "CCO", "score": 0.5, "roles": ["CHEBI:1", "CHEBI:2"]},
    {"rank": 2, "name": "µ-phenol", "smiles": "Oc1ccccc1", "score": float("nan"), "roles": None},
]


@pytest.fixture
def answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path))
    reading = Reading("x", None, "vector", "Read as words.")
    return Answer(reading, SearchResult(QueryInfo(text="x"), RECORDS))


def test_json_is_one_object(answer: Answer) -> None:
    path = Path(write_hits(answer, "hits.json"))
    whole = json.loads(path.read_text(encoding="utf-8"), parse_constant=pytest.fail)
    assert whole["read_as"] == "Read as words."
    assert whole["query"]["text"] == "x"
    assert [hit["name"] for hit in whole["hits"]] == [NAME, "µ-phenol"]
    assert whole["hits"][0]["roles"] == ["CHEBI:1", "CHEBI:2"]
    assert whole["hits"][1]["score"] is None


def test_no_cell_of_a_csv_is_a_formula(answer: Answer) -> None:
    with Path(write_hits(answer, "hits.csv")).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0]["name"] == "'" + NAME
    assert rows[1]["name"] == "µ-phenol"
    assert rows[0]["roles"] == "CHEBI:1; CHEBI:2"


def test_records_of_an_sd_file(answer: Answer) -> None:
    mols = list(Chem.SDMolSupplier(write_hits(answer, "hits.sdf")))
    assert [Chem.MolToSmiles(mol) for mol in mols] == ["CCO", "Oc1ccccc1"]
    assert [mol.GetProp("rank") for mol in mols] == ["1", "2"]
