"""Each format, written by hand, comes back row by row."""

import gzip
import io
import json
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.readers import read_molecules, read_records
from molclip.chem.readers.columns import looks_like_structure
from molclip.errors import InputError

ETHANOL_BLOCK = """ethanol
  hand-made

  3  2  0  0  0  0  0  0  0  0999 V2000
    0.0000    0.0000    0.0000 C   0  0
    1.5000    0.0000    0.0000 C   0  0
    2.2500    1.2990    0.0000 O   0  0
  1  2  1  0
  2  3  1  0
M  END
"""
ETHANOL_V3000 = """ethanol
  hand-made

  0  0  0     0  0            999 V3000
M  V30 BEGIN CTAB
M  V30 COUNTS 3 2 0 0 0
M  V30 BEGIN ATOM
M  V30 1 C 0 0 0 0
M  V30 2 C 1.5 0 0 0
M  V30 3 O 2.25 1.299 0 0
M  V30 END ATOM
M  V30 BEGIN BOND
M  V30 1 1 1 2
M  V30 2 1 2 3
M  V30 END BOND
M  V30 END CTAB
M  END
"""


def write(path: Path, text: str, encoding: str = "utf-8") -> Path:
    path.write_bytes(text.encode(encoding))
    return path


def rows(path, **options) -> list[tuple]:
    """Row, id, name, SMILES (None for a failure)."""
    return [
        (item.row, item.id, item.name, getattr(item, "smiles", None))
        for item in read_molecules(path, **options)
    ]


EXPECTED = [(1, "A1", "ethanol", "CCO"), (2, "A2", "broken", None), (3, "A3", "methane", "C")]
CSV = "code,Compound Name,SMILES,mw\nA1,ethanol,OCC,46.07\nA2,broken,C1CC,\nA3,methane,C,16.04\n"


def test_csv(tmp_path):
    path = write(tmp_path / "a.csv", CSV)
    assert rows(path) == EXPECTED
    assert read_records(path).columns == {
        "structure": "SMILES",
        "id": "code",
        "name": "Compound Name",
    }
    assert [item.properties for item in read_molecules(path)] == [
        {"mw": "46.07"},
        {"mw": ""},
        {"mw": "16.04"},
    ]
    assert {item.file for item in read_molecules(path)} == {str(path)}


@pytest.mark.parametrize("mark", [";", "\t", "|"])
def test_csv_with_another_delimiter(tmp_path, mark):
    assert rows(write(tmp_path / "a.csv", CSV.replace(",", mark))) == EXPECTED


def test_tsv_gzipped(tmp_path):
    path = tmp_path / "a.tsv.gz"
    path.write_bytes(gzip.compress(CSV.replace(",", "\t").encode()))
    assert rows(path) == EXPECTED


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_encodings_and_line_ends(tmp_path, encoding, end):
    text = "name;smiles\nacide α;CCO\nβ;C\n".replace("α", "é").replace("β", "ü")
    path = write(tmp_path / "a.csv", text.replace("\n", end), encoding)
    assert [row[2:] for row in rows(path)] == [("acide é", "CCO"), ("ü", "C")]


def test_greek_names_survive(tmp_path):
    path = write(tmp_path / "a.smi", "CCO β-ethanol\n")
    assert rows(path) == [(1, None, "β-ethanol", "CCO")]


def test_latin_1_line_is_said(tmp_path):
    path = tmp_path / "a.smi"
    path.write_bytes(b"CCO \xe9thanol\nC m\xc3\xa9thane\n")
    first, second = read_records(path)
    assert (first.name, second.name) == ("éthanol", "méthane")
    assert "Latin-1" in first.warnings[0]
    assert second.warnings == ()


def test_encoding_can_be_named(tmp_path):
    path = write(tmp_path / "a.smi", "CCO Ж\n", "koi8-r")
    assert rows(path, encoding="koi8-r") == [(1, None, "Ж", "CCO")]
    with pytest.raises(InputError, match="Unknown encoding 'nonsense'"):
        read_records(path, encoding="nonsense")


def test_quoted_fields_and_embedded_line_breaks(tmp_path):
    text = f'id,mol,note\n1,"{ETHANOL_BLOCK}","says ""hi"", twice"\n2,C,"two\nlines"\n'
    path = write(tmp_path / "a.csv", text)
    first, second = read_molecules(path)
    assert (first.smiles, first.properties) == ("CCO", {"note": 'says "hi", twice'})
    assert (second.row, second.smiles, second.properties) == (2, "C", {"note": "two\nlines"})


def test_stray_quotation_mark_costs_one_row(tmp_path):
    lines = ["id,smiles,note", '1,"CCO,stray', "2,C,fine", "3,CC,fine", "4,CCC,fine"]
    path = write(tmp_path / "a.csv", "\n".join(lines) + "\n")
    found = list(read_molecules(path))
    assert [item.row for item in found] == [1, 2, 3, 4]
    assert [getattr(item, "smiles", None) for item in found[1:]] == ["C", "CC", "CCC"]


def test_quotation_mark_inside_a_cell_is_text(tmp_path):
    path = write(tmp_path / "a.csv", 'smiles,note\nCCO,5" pipe\nC,ok\n')
    assert [item.properties["note"] for item in read_molecules(path)] == ['5" pipe', "ok"]


def test_short_and_long_rows_keep_their_cells(tmp_path):
    path = write(tmp_path / "a.csv", "smiles,id,note\nCCO\nC,2,x,extra\n")
    first, second = read_molecules(path)
    assert (first.smiles, first.id, first.properties) == ("CCO", None, {"note": ""})
    assert second.properties == {"note": "x", "column 4": "extra"}
    assert any("4 cells under 3 titles" in warning for warning in second.warnings)


def test_empty_line_between_rows_is_a_row(tmp_path):
    path = write(tmp_path / "a.csv", "smiles\nCCO\n\nC\n\n\n")
    found = list(read_molecules(path))
    assert [item.row for item in found] == [1, 2, 3]
    assert found[1].kind == "empty"


def test_structure_is_found_by_content_without_header(tmp_path):
    path = write(tmp_path / "a.csv", "CHEMBL545,ethanol,CCO\nCHEMBL17564,methane,C\n")
    assert rows(path) == [
        (1, "CHEMBL545", "ethanol", "CCO"),
        (2, "CHEMBL17564", "methane", "C"),
    ]


def test_structure_is_found_by_content_under_odd_titles(tmp_path):
    text = "label,value,what\nactive,1.5,c1ccccc1O\ninactive,2.5,CC(=O)O\n"
    path = write(tmp_path / "a.csv", text)
    records = read_records(path)
    assert records.columns["structure"] == "what"
    assert [record.properties for record in records] == [
        {"label": "active", "value": "1.5"},
        {"label": "inactive", "value": "2.5"},
    ]


def test_isomeric_smiles_win_over_flat_ones(tmp_path):
    path = write(tmp_path / "a.csv", "CanonicalSMILES,IsomericSMILES\nCC(O)F,C[C@H](O)F\n")
    assert read_records(path).columns["structure"] == "IsomericSMILES"


def test_columns_can_be_named(tmp_path):
    path = write(tmp_path / "a.csv", "smiles,product,key\nCCO,CC=O,k1\n")
    assert rows(path, structure="Product", name="smiles", id="key") == [(1, "k1", "CCO", "CC=O")]


def test_missing_column_names_near_misses(tmp_path):
    path = write(tmp_path / "a.csv", "smiles,compound_id\nCCO,1\n")
    with pytest.raises(InputError, match="no column 'compoundid2'") as caught:
        read_records(path, id="compoundid2")
    assert "Did you mean compound_id?" in caught.value.hint
    with pytest.raises(InputError, match="no column 'xyz'"):
        read_records(path, structure="xyz")


def test_no_structures_at_all(tmp_path):
    path = write(tmp_path / "a.csv", "city,year\nParis,1999\nRome,2001\n")
    with pytest.raises(InputError, match="holds structures") as caught:
        read_records(path)
    assert "city, year" in caught.value.hint


@pytest.mark.parametrize("suffix", [".smi", ".smiles", ".txt"])
def test_smi(tmp_path, suffix):
    text = (
        "OCC ethyl alcohol\nC[C@H](N)C(=O)O |&1:1| alanine\n\nC1CC CHEMBL1\nInChI=1S/CH4/h1H4 m\n"
    )
    path = write(tmp_path / f"a{suffix}", text)
    assert rows(path) == [
        (1, None, "ethyl alcohol", "CCO"),
        (2, None, "alanine", "C[C@H](N)C(=O)O"),
        (3, None, None, None),
        (4, "CHEMBL1", "CHEMBL1", None),
        (5, None, "m", "C"),
    ]
    assert list(read_molecules(path))[1].cx_smiles == "C[C@H](N)C(=O)O |&1:1|"


@pytest.mark.parametrize("header", ["SMILES Name\n", "smiles\n", "#smiles id\n"])
def test_smi_header_is_no_row(tmp_path, header):
    assert rows(write(tmp_path / "a.smi", header + "CCO x\n")) == [(1, None, "x", "CCO")]


def test_smi_with_tabs_is_a_table(tmp_path):
    assert rows(write(tmp_path / "a.smi", "CCO\tZ1\nC\tZ2\n")) == [
        (1, "Z1", None, "CCO"),
        (2, "Z2", None, "C"),
    ]


def test_smi_has_no_columns(tmp_path):
    with pytest.raises(InputError, match="no column 'smiles'"):
        read_records(write(tmp_path / "a.smi", "CCO x\n"), structure="smiles")


def test_jsonl(tmp_path):
    lines = [
        json.dumps({"id": 4711, "smiles": "OCC", "roles": ["a", "b"], "mw": 46.0}),
        "{broken",
        json.dumps("C"),
        json.dumps([1, 2]),
        json.dumps({"smiles": "CC", "id": "x"}),
    ]
    path = write(tmp_path / "a.jsonl", "\n".join(lines))
    found = list(read_molecules(path))
    assert [item.row for item in found] == [1, 2, 3, 4, 5]
    assert (found[0].id, found[0].smiles) == ("4711", "CCO")
    assert found[0].properties == {"roles": '["a", "b"]', "mw": "46"}
    assert "not valid JSON" in found[1].reason
    assert found[1].input == "{broken"
    assert "JSON list" in found[3].reason
    assert (found[4].id, found[4].smiles) == ("x", "CC")


def test_parquet(tmp_path):
    table = pa.table(
        {
            "chebi_id": [16236, 16183, None],
            "smiles": ["OCC", None, "C"],
            "name": ["ethanol", "x", "methane"],
            "active": [True, False, None],
        }
    )
    pq.write_table(table, tmp_path / "a.parquet", row_group_size=2)
    assert rows(tmp_path / "a.parquet") == [
        (1, "16236", "ethanol", "CCO"),
        (2, "16183", "x", None),
        (3, None, "methane", "C"),
    ]
    (tmp_path / "b.parquet.gz").write_bytes(gzip.compress((tmp_path / "a.parquet").read_bytes()))
    assert rows(tmp_path / "b.parquet.gz") == rows(tmp_path / "a.parquet")


def test_parquet_of_every_encoding(tmp_path):
    """Texts that are stored once are read in another way; nothing is to be seen of it."""
    texts = ["a", None, "b", "a", ""] * 40
    kinds = pa.array(texts).dictionary_encode()
    table = pa.table(
        {
            "smiles": ["CCO", "CCN"] * 100,
            "once": texts,
            "kind": kinds,
            "delta": texts,
            "plain": texts,
            "list": [[text, "z"] for text in texts],
            "bytes": pa.array([None if t is None else t.encode() for t in texts], pa.binary()),
            "decimal": pa.array([1] * 200, pa.decimal128(30, 2)),
        }
    )
    pq.write_table(
        table,
        tmp_path / "a.parquet",
        row_group_size=70,
        use_dictionary=["once", "kind", "list.list.element", "bytes"],
        column_encoding={"delta": "DELTA_BYTE_ARRAY"},
    )
    records = list(read_records(tmp_path / "a.parquet"))
    assert [r.reason for r in records if isinstance(r, ParseFailure)] == []
    assert [record.text for record in records] == ["CCO", "CCN"] * 100
    for column in ("once", "kind", "delta", "plain", "bytes"):
        assert [r.properties[column] for r in records] == [text or "" for text in texts]
    assert records[-2].properties["list"] == '["a", "z"]'
    assert records[-4].properties["list"] == '[null, "z"]'
    assert {record.properties["decimal"] for record in records} == {"1.00"}
    # One object for all rows of a batch.
    assert records[0].properties["once"] is records[3].properties["once"]


def test_endless_cells_are_no_structures():
    """A hundred of them would be tried, each for half a second."""
    assert looks_like_structure("C" * 90_000)
    assert not looks_like_structure("C" * 100_001)


def test_damaged_parquet(tmp_path):
    with pytest.raises(InputError, match="not a readable Parquet file"):
        read_records(write(tmp_path / "a.parquet", "PAR1 nonsense"))


def test_excel(tmp_path):
    book = openpyxl.Workbook()
    book.create_sheet("second")
    for cells in (["ID", "SMILES", "Name"], [1, "OCC", "ethanol"], [], [3.0, "C", None], [], []):
        book["second"].append(cells)
    book.save(tmp_path / "a.xlsx")
    assert rows(tmp_path / "a.xlsx") == [
        (1, "1", "ethanol", "CCO"),
        (2, None, None, None),
        (3, "3", None, "C"),
    ]


def sheet(path, *lines):
    book = openpyxl.Workbook()
    for number, cells in enumerate(lines, start=1):
        for column, value in enumerate(cells, start=1):
            book.active.cell(number, column, value)
    book.save(path)
    return path


@pytest.mark.parametrize("above", [[[]] * 3, [[]] * 30, [["Plate 7"], []], [[], ["Plate 7"]]])
def test_excel_with_blank_rows_or_a_caption_above_the_header(tmp_path, above):
    table = [["code", "SMILES"], ["A1", "OCC"], [], ["A3", "c1cc1"]]
    made = list(read_molecules(sheet(tmp_path / "a.xlsx", *above, *table)))
    assert [(item.row, item.id) for item in made] == [(1, "A1"), (2, None), (3, "A3")]
    assert made[0].smiles == "CCO"
    assert made[2].where.endswith("a.xlsx, row 3, id A3")


def test_excel_with_blank_rows_above_the_column_that_was_named(tmp_path):
    path = sheet(tmp_path / "a.xlsx", [], ["Batch 1"], ["Zeichnung", "Nr."], ["OCC", "A1"])
    made = list(read_molecules(path, structure="Zeichnung", id="Nr."))
    assert [(item.row, item.id, item.smiles) for item in made] == [(1, "A1", "CCO")]


def test_excel_without_header_counts_the_blank_rows_above(tmp_path):
    path = sheet(tmp_path / "a.xlsx", [], [], ["OCC", "ethanol"], ["CC(C)=O", "acetone"])
    assert [(row, smiles) for row, _, _, smiles in rows(path)] == [
        (1, None),
        (2, None),
        (3, "CCO"),
        (4, "CC(C)=O"),
    ]


def test_damaged_excel(tmp_path):
    with pytest.raises(InputError, match="not a readable Excel workbook"):
        read_records(write(tmp_path / "a.xlsx", "nonsense"))


def test_mol_v2000_and_v3000(tmp_path):
    for block in (ETHANOL_BLOCK, ETHANOL_V3000):
        assert rows(write(tmp_path / "a.mol", block)) == [(1, None, "ethanol", "CCO")]


@pytest.mark.parametrize(
    ("data", "format"),
    [
        (b"OCC ethanol\nC methane\n", "smi"),
        (b"name,smiles\nethanol,OCC\nmethane,C\n", "csv"),
        (b"name\tsmiles\nethanol\tOCC\nmethane\tC\n", "tsv"),
        (b'{"name": "ethanol", "smiles": "OCC"}\n{"name": "methane", "smiles": "C"}\n', "jsonl"),
        ((ETHANOL_BLOCK + "$$$$\nmethane\n\n\n  1  0  0  0  0  0            999 V2000\n").encode()
         + b"    0.0000    0.0000    0.0000 C   0  0\nM  END\n$$$$\n", "sdf"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("squeeze", [bytes, gzip.compress])
def test_standard_input_is_sniffed(monkeypatch, data, format, squeeze):
    class Pipe(io.RawIOBase):
        """Hands out a few bytes at a time and cannot seek, as a pipe does."""

        left = squeeze(data)

        def readable(self) -> bool:
            return True

        def readinto(self, buffer) -> int:
            piece, self.left = self.left[:7], self.left[7:]
            buffer[: len(piece)] = piece
            return len(piece)

    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BufferedReader(Pipe())))
    records = read_records("-")
    assert records.format == format
    assert [record.name for record in records] == ["ethanol", "methane"]


def test_sniffing_tells_inchi_and_cxsmiles_from_csv():
    inchi = "InChI=1S/C2H6O/c1-2-3/h3H,2H2,1H3\n"
    assert read_records(io.BytesIO(inchi.encode())).format == "smi"
    assert read_records(io.StringIO("CC(F)Cl |c:1,2| x\n")).format == "smi"


def test_parquet_and_excel_from_standard_input():
    buffer = io.BytesIO()
    pq.write_table(pa.table({"smiles": ["CCO"]}), buffer)
    buffer.seek(0)
    assert rows(buffer) == [(1, None, None, "CCO")]


def test_file_object_stays_open(tmp_path):
    with write(tmp_path / "a.csv", CSV).open(encoding="utf-8") as opened:
        assert rows(opened) == EXPECTED
        assert not opened.closed


@pytest.mark.parametrize(
    ("name", "text", "message", "hint"),
    [
        ("a.smi", "", "is empty", "at least one row"),
        ("a.csv", "\n \n", "is empty", "at least one row"),
        ("a.csv", "smiles,id\n", "no rows", "at least one"),
        ("a.smi", "smiles name\n", "no rows", "at least one"),
        ("a.foo", "CCO\n", "extension .foo", "known"),
        ("a", "CCO\n", "no extension", "known"),
        ("a.xls", "CCO\n", "extension .xls", "Save it as .xlsx"),
    ],
)
def test_unusable_files(tmp_path, name, text, message, hint):
    with pytest.raises(InputError, match=message) as caught:
        read_records(write(tmp_path / name, text))
    assert hint in caught.value.hint


def test_missing_file_names_its_neighbour(tmp_path):
    write(tmp_path / "molecules.csv", CSV)
    with pytest.raises(InputError, match="There is no file") as caught:
        read_records(tmp_path / "molecule.csv")
    assert "Did you mean molecules.csv?" in caught.value.hint


def test_folder(tmp_path):
    with pytest.raises(InputError, match="is a folder"):
        read_records(tmp_path)


def test_unknown_format_and_profile(tmp_path):
    path = write(tmp_path / "a.foo", CSV)
    assert rows(path, format="csv") == EXPECTED
    with pytest.raises(InputError, match="Unknown file format 'doc'"):
        read_records(path, format="doc")
    with pytest.raises(InputError, match="Unknown standardisation profile 'heavy'"):
        read_molecules(path, format="csv", standardise="heavy")


def test_path_spelling_changes_nothing(tmp_path):
    folder = tmp_path / "sdf.csv.chebi"
    folder.mkdir()
    assert rows(write(folder / "a.smi", "CCO x\n")) == [(1, None, "x", "CCO")]


@pytest.mark.parametrize("cut", [20, 5, 1])
def test_truncated_gzip_keeps_whole_rows_and_reports_the_loss(tmp_path, cut):
    lines = [f"{'C' * (1 + i % 40)}O name{i * 7919 % 10007}" for i in range(3000)]
    whole = gzip.compress("".join(f"{line}\n" for line in lines).encode())
    path = tmp_path / "a.smi.gz"
    path.write_bytes(whole[:-cut])
    *kept, last = read_records(path)
    assert all(record.text == line for record, line in zip(kept, lines, strict=False))
    assert len(kept) > 2000
    assert isinstance(last, ParseFailure)
    assert last.row == len(kept) + 1
    assert "cut off" in last.reason


def test_damaged_gzip(tmp_path):
    data = bytearray(gzip.compress(b"".join(b"C%d name\n" % i for i in range(50000))))
    data[len(data) // 2] ^= 0xFF
    path = tmp_path / "a.smi.gz"
    path.write_bytes(bytes(data))
    *_, last = read_records(path)
    assert isinstance(last, ParseFailure)
    assert "damaged" in last.reason


def test_line_that_is_no_row_is_one_failure(tmp_path):
    path = write(tmp_path / "a.smi", "CCO\n" + "C" * (17 * 1024 * 1024) + "\nC\n")
    first, long, last = read_records(path)
    assert "16 million" in long.reason
    assert len(long.input) < 1000
    assert (first.text, last.text, last.row) == ("CCO", "C", 3)


def test_binary_rubbish_is_rows_of_failures(tmp_path):
    path = tmp_path / "a.smi"
    path.write_bytes(b"CCO\n\x00\x01\xff\xfe\nC\n")
    first, bad, last = read_molecules(path)
    assert isinstance(bad, ParseFailure)
    assert isinstance(first, Molecule)
    assert isinstance(last, Molecule)


def test_reader_warnings_reach_the_molecule(tmp_path):
    path = tmp_path / "a.smi"
    path.write_bytes(b"CCO \xe9thanol\n")
    (found,) = read_molecules(path)
    assert "Latin-1" in found.warnings[0]


def test_standardise_while_reading(tmp_path):
    path = write(tmp_path / "a.smi", "C[NH3+].[Cl-] salt\nbad(\n")
    first, second = read_molecules(path, standardise="parent")
    assert (first.smiles, first.name) == ("CN", "salt")
    assert isinstance(second, ParseFailure)


def test_binary_rubbish_in_smi_is_rows_of_failures(tmp_path):
    path = tmp_path / "rubbish.smi"
    path.write_bytes(b"\xea\xe9\xc3(\n\xff\xfeC\xb0\nCCO ethanol\n")
    read = list(read_molecules(path))
    assert [isinstance(item, ParseFailure) for item in read] == [True, True, False]
