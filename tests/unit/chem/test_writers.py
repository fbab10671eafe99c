"""What is written opens elsewhere, and says the same."""

import csv
import io
import json

import pytest
from rdkit import Chem

from molclip.chem.readers import read_molecules
from molclip.chem.writers import (
    NOTE_FIELD,
    safe_cell,
    write_csv,
    write_jsonl,
    write_rows,
    write_sdf,
)
from molclip.errors import InputError

ROWS = [
    {"rank": 1, "id": "CHEBI:1", "name": "=1+1", "smiles": "C[C@H](N)C(=O)O", "score": 0.5},
    {"rank": 2, "id": "-x", "name": "β", "smiles": "F/C=C\\F", "score": float("nan")},
]


@pytest.mark.parametrize(
    "text",
    ["=1+1", "+a", "-x", "@sum", "\tx", "\r=1", "\n=1", "  =1+1", "\xa0@x", "\ufeff=1", "＝1+1"],
)
def test_formulas_are_defused(text):
    assert safe_cell(text) == "'" + text


@pytest.mark.parametrize(
    ("text", "guarded"),
    [
        ("a;=cmd|' /C calc'!A0", "a;'=cmd|' /C calc'!A0"),
        ("x; @sum;+y", "x; '@sum;'+y"),
        ("-1.5; -2; +3e5", "'-1.5; -2; +3e5"),
        ("=a;-b", "'=a;'-b"),
        ("InChI=1S/x;=1+1", "InChI=1S/x;'=1+1"),
        ("InChI=1S/x; @sum", "InChI=1S/x; '@sum"),
        ("InChI=1S/x;+SUM(A1)", "InChI=1S/x;'+SUM(A1)"),
        ("InChI=1S/x;-2*SUM(A1)", "InChI=1S/x;'-2*SUM(A1)"),
        ("InChI=;+1+1", "InChI=;'+1+1"),
    ],
)
def test_formulas_behind_semicolons_are_defused(text, guarded):
    assert safe_cell(text) == guarded


CALCIUM_ACETATE = "InChI=1S/2C2H4O2.Ca/c2*1-2(3)4;/h2*1H3,(H,3,4);/q;;+2/p-2"


@pytest.mark.parametrize(
    "value",
    ["-1.5", "+3", "-2,5", "1e-3", -7, 0.5, "CC=O", "[Na+]", "*C", "", "a; b", CALCIUM_ACETATE],
)
def test_numbers_and_smiles_stay(value):
    assert safe_cell(value) == value


def test_csv_text():
    stream = io.StringIO()
    assert write_csv(ROWS, stream) == 2
    first, second = csv.DictReader(io.StringIO(stream.getvalue()))
    assert first["name"] == "'=1+1"
    assert [first["smiles"], second["smiles"]] == [row["smiles"] for row in ROWS]
    assert (second["id"], second["score"]) == ("'-x", "")


def test_lists_and_chosen_columns():
    stream = io.StringIO()
    write_csv([{"a": ["x", "y"], "b": 1}], stream, ["b", "a", "c"])
    assert stream.getvalue() == "b,a,c\n1,x; y,\n"


def test_jsonl():
    stream = io.StringIO()
    assert write_jsonl(ROWS, stream) == 2
    first, second = map(json.loads, stream.getvalue().splitlines())
    assert first == ROWS[0]
    assert (second["name"], second["score"]) == ("β", None)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "sdf"])
def test_what_is_written_is_read_again(tmp_path, suffix):
    path = tmp_path / f"hits.{suffix}"
    assert write_rows(iter(ROWS), path) == 2
    found = list(read_molecules(path))
    assert [item.smiles for item in found] == [Chem.CanonSmiles(row["smiles"]) for row in ROWS]
    assert [item.properties["rank"] for item in found] == ["1", "2"]


@pytest.mark.parametrize(
    ("smiles", "version"),
    [
        ("C[C@H](N)C(=O)O", "V2000"),
        ("F/C=C/F", "V2000"),
        ("[13CH3]C(=O)[O-].[Na+]", "V2000"),
        ("C[N+](C)(C)C", "V2000"),
        ("*C(=O)O", "V2000"),
        ("C[CH2]", "V2000"),
        ("[NH3]->[Pt]", "V3000"),
        ("C" * 1000, "V3000"),
    ],
)
def test_sdf_is_v2000_unless_more_is_needed(smiles, version):
    stream = io.StringIO()
    write_sdf([{"name": "x y", "smiles": smiles, "note": "1"}], stream)
    text = stream.getvalue()
    assert version in text
    supplier = Chem.SDMolSupplier()
    supplier.SetData(text)
    (again,) = supplier
    assert Chem.MolToSmiles(again) == Chem.CanonSmiles(smiles)
    assert (again.GetProp("_Name"), again.GetProp("note")) == ("x y", "1")


def test_stereo_groups_need_v3000():
    mol = Chem.MolFromSmiles("C[C@H](N)C(=O)O |&1:1|")
    stream = io.StringIO()
    write_sdf([{"mol": mol}], stream, ["id"], structure="mol")
    again = Chem.MolFromMolBlock(stream.getvalue())
    assert len(again.GetStereoGroups()) == 1


def test_sdf_rows_without_structure_keep_their_place():
    stream = io.StringIO()
    rows = [{"id": "a", "smiles": "C1CC"}, {"id": "b", "smiles": None}, {"id": "c", "smiles": "C"}]
    assert write_sdf(rows, stream) == 3
    supplier = Chem.SDMolSupplier()
    supplier.SetData(stream.getvalue())
    assert [(m.GetProp("_Name"), m.GetNumAtoms()) for m in supplier] == [
        ("a", 0),
        ("b", 0),
        ("c", 1),
    ]
    assert stream.getvalue().count(NOTE_FIELD) == 1


def test_sdf_fields_cannot_break_the_file():
    stream = io.StringIO()
    rows = [
        {"smiles": "C", "no<te>": "up\n\n$$$$\n>  <x>\ndown", "empty": ""},
        {"smiles": "CC", "no<te>": "2"},
    ]
    write_sdf(rows, stream)
    supplier = Chem.SDMolSupplier()
    supplier.SetData(stream.getvalue())
    first, second = supplier
    assert set(first.GetPropNames()) == {"smiles", "no(te)"}
    assert first.GetProp("no(te)").split() == ["up", "$$$$", ">", "<x>", "down"]
    assert second.GetProp("no(te)") == "2"


def test_a_title_cannot_end_its_record():
    stream = io.StringIO()
    rows = [{"name": "$$$$", "smiles": "CC"}, {"name": "$$$$ x", "smiles": None}, {"name": "b"}]
    write_sdf(rows, stream)
    supplier = Chem.SDMolSupplier()
    supplier.SetData(stream.getvalue())
    assert [(m.GetProp("_Name").strip(), m.GetNumAtoms()) for m in supplier] == [
        ("$$$$", 2),
        ("$$$$ x", 0),
        ("b", 0),
    ]
    assert [line for line in stream.getvalue().splitlines() if line.startswith("$$$$")] == (
        ["$$$$"] * 3
    )


def test_unusable_targets(tmp_path):
    with pytest.raises(InputError, match="cannot be written as"):
        write_rows(ROWS, tmp_path / "hits.doc")
    with pytest.raises(InputError, match="cannot be written"):
        write_rows(ROWS, tmp_path / "nowhere" / "hits.csv")


def test_no_rows(tmp_path):
    assert write_rows([], tmp_path / "none.csv", ["a", "b"]) == 0
    assert (tmp_path / "none.csv").read_text(encoding="utf-8") == "a,b\n"
