"""Files for the next tool, read back by other software."""

import csv
import json

import pyarrow.parquet as pq
import pytest
from rdkit import Chem

from molclip.errors import InputError

IDS = ["A3", "ü ✓", "A1", "B7", "B8", "B9"]


def test_csv(library, tmp_path):
    assert library.export(tmp_path / "out.csv") == 6
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["id"] for row in rows] == IDS
    assert rows[0]["smiles"] == "CC(=O)Oc1ccccc1C(=O)O"
    assert list(rows[0]) == list(library.columns)


def test_sdf_is_read_by_rdkit(library, tmp_path):
    assert library.export(tmp_path / "out.sdf", columns=["id", "smiles", "mol_weight"]) == 6
    molecules = list(Chem.SDMolSupplier(str(tmp_path / "out.sdf")))
    assert [m.GetProp("id") for m in molecules] == IDS
    assert [Chem.MolToSmiles(m) for m in molecules] == [m.GetProp("smiles") for m in molecules]


def test_jsonl_and_parquet_keep_types(library, tmp_path):
    library.export(tmp_path / "out.jsonl", where="LogD > 0")
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text("utf-8").splitlines()]
    assert [(row["id"], row["LogD"]) for row in rows] == [("A3", 3.0), ("B7", 1.9)]
    library.export(tmp_path / "out.parquet")
    table = pq.read_table(tmp_path / "out.parquet")
    assert table.column("id").to_pylist() == IDS
    assert str(table.schema.field("hbd").type) == "int64"


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("out.xyz", {}, "csv, tsv, jsonl, sdf, parquet"),
        ("out.csv", {"columns": ["id", "nope"]}, "nope"),
        ("out.csv", {"where": "nope > 1"}, "nope"),
    ],
)
def test_refusals(library, tmp_path, name, options, words):
    with pytest.raises(InputError, match=words):
        library.export(tmp_path / name, **options)
