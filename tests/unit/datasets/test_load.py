"""Data sets by name: types, values, splits and what goes wrong."""

import gzip
import json
from pathlib import Path

import pytest

from molclip import datasets
from molclip.errors import InputError


def _write(path: Path, text: str) -> None:
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(text.encode()))
    else:
        path.write_text(text, encoding="utf-8")


def _types(dataset) -> dict[str, str]:
    return {name: str(getattr(kind, "dtype", kind)) for name, kind in dataset.features.items()}


def test_embedded_library_has_typed_documented_columns() -> None:
    library = datasets.load("chebi-library")
    assert len(library) >= 80_000
    types = _types(library)
    assert types["smiles"] == "string"
    assert types["curated"] == "bool"
    assert "List" in types["classes"] or "list" in types["classes"].lower()
    assert "CC BY 4.0" in library.info.license
    for column in library.column_names:
        assert f"- {column}: " in library.info.description


def test_every_name_is_listed_once_and_documented() -> None:
    names = datasets.names()
    assert len(names) == len(set(names))
    assert names[0] == "chebi-library"
    assert {"chebi20", "chebi20-text", "npclassifier", "odour", "moleculenet-tox21"} <= set(names)


def test_values_are_read_by_type(tmp_path) -> None:
    _write(
        tmp_path / "odour_gs_lf.tsv.gz",
        "smiles\tdescriptors\nCCO\tsweet;fruity\nC\t\n",
    )
    odour = datasets.load("odour", tmp_path)
    assert odour[:] == {"smiles": ["CCO", "C"], "descriptors": [["sweet", "fruity"], []]}
    _write(
        tmp_path / "chemfunct_classes.tsv.gz",
        'id\tclass\tdescription\tn_mapped\nf1\tSolvents\t"said ""so"""\t12\n',
    )
    classes = datasets.load("chemfunct-classes", tmp_path)
    assert classes[0] == {
        "id": "f1", "class": "Solvents", "description": 'said "so"', "n_mapped": 12,
    }  # fmt: skip
    assert _types(classes)["n_mapped"] == "int64"


def test_an_untested_assay_is_none_not_zero(tmp_path) -> None:
    assays = ["NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD",
              "NR-PPAR-gamma", "SR-ARE", "SR-ATAD5", "SR-HSE", "SR-MMP", "SR-p53"]  # fmt: skip
    cells = ["0.0", "1.0", *[""] * 10]
    _write(
        tmp_path / "moleculenet_tox21.tsv.gz",
        "\t".join([*assays, "mol_id", "smiles"]) + "\n" + "\t".join([*cells, "T1", "C"]) + "\n",
    )
    tox21 = datasets.load("moleculenet-tox21", tmp_path)
    assert tox21[0]["NR-AR"] == 0
    assert tox21[0]["NR-AR-LBD"] == 1
    assert tox21[0]["NR-AhR"] is None
    assert _types(tox21)["SR-p53"] == "int8"


def test_graph(tmp_path) -> None:
    entries = [
        {"id": "CHEBI:3", "name": "x", "relations": {"is_a": ["CHEBI:1"]}},
        {"id": "CHEBI:1", "name": "y", "alt_ids": ["CHEBI:2"], "relations": {}},
    ]
    _write(tmp_path / "chebi_graph.json.gz", json.dumps(entries))
    graph = datasets.load("chebi-graph", tmp_path)
    assert graph[0]["relations"] == [{"type": "is_a", "target": "CHEBI:1"}]
    assert graph[1]["alt_ids"] == ["CHEBI:2"]


def test_folder_may_come_from_the_environment(tmp_path, monkeypatch) -> None:
    _write(tmp_path / "odour_gs_lf.tsv.gz", "smiles\tdescriptors\nCCO\tsweet\n")
    monkeypatch.setenv("MOLCLIP_DATA", str(tmp_path))
    assert len(datasets.load("odour")) == 1
    monkeypatch.delenv("MOLCLIP_DATA")
    with pytest.raises(InputError, match="MOLCLIP_DATA"):
        datasets.load("odour")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("odour", "smiles\nC\n", "no column 'descriptors'"),
        ("odour", "smiles\tdescriptors\nC\n", "row 1: 1 cells where the header has 2"),
        ("moleculenet-bbbp", "smiles\tp_np\nC\t1\nCC\tmaybe\n", "row 2, column 'p_np'"),
        ("moleculenet-bbbp", "smiles\tp_np\nC\t2\n", "not 0 or 1"),
    ],
)
def test_a_bad_file_is_named_with_row_and_column(tmp_path, name, content, message) -> None:
    file = {"odour": "odour_gs_lf.tsv.gz", "moleculenet-bbbp": "moleculenet_bbbp.tsv.gz"}[name]
    _write(tmp_path / file, content)
    with pytest.raises(InputError, match=message) as error:
        datasets.load(name, tmp_path)
    assert file in str(error.value)


def test_a_file_cut_short_is_an_error(tmp_path) -> None:
    whole = gzip.compress(b"smiles\tdescriptors\n" + b"CCO\tsweet\n" * 1000)
    (tmp_path / "odour_gs_lf.tsv.gz").write_bytes(whole[:40])
    with pytest.raises(InputError, match="damaged"):
        datasets.load("odour", tmp_path)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "chebi"}, "No data set is called 'chebi'.*chebi-library"),
        ({"name": "chebi-library", "split": "train"}, "has no splits"),
        ({"name": "chebi20", "split": "dev"}, "no split 'dev'"),
        ({"name": "odour", "hub_id": "x/y"}, "not read from a hub"),
        ({"name": "odour", "path": "/no/such/folder"}, "not a folder"),
    ],
)
def test_wrong_arguments(arguments, message) -> None:
    with pytest.raises(InputError, match=message):
        datasets.load(**arguments)


def test_split_column_selects_rows(tmp_path) -> None:
    header = "chebi_id\tname\tsmiles\tinchikey\tstars3\tchebi20_split\n"
    rows = "CHEBI:1\ta\tC\tK\t1\ttrain\nCHEBI:2\tb\tCC\tL\t0\tnone\n"
    _write(tmp_path / "chebi_molecules.tsv.gz", header + rows)
    assert datasets.load("chebi-molecules", tmp_path)["stars3"][:] == [True, False]
    assert datasets.load("chebi-molecules", tmp_path, split="none")["name"][:] == ["b"]
    with pytest.raises(InputError, match="It has: none, train"):
        datasets.load("chebi-molecules", tmp_path, split="test")
