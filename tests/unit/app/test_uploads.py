"""What a visitor's file may be."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest
from molclip.app.uploads import read_upload

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError


def test_rows_stay_in_their_places(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text(f"smiles,name\nCCO,ethanol\n{'C' * 2001},long\n,none\n", encoding="utf-8")
    rows = read_upload(file)
    assert [row.row for row in rows] == [1, 2, 3]
    assert isinstance(rows[1], ParseFailure)
    assert "2,001 characters, this page takes 2,000" in rows[1].reason
    assert len(rows[1].input) == 200


def test_exactly_as_many_rows_as_allowed(tmp_path: Path) -> None:
    file = tmp_path / "a.smi"
    file.write_text("CCO\n" * 2000)
    assert len(read_upload(file)) == 2000


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.exe", b"MZ", "of a kind this page does not read"),
        ("a.smi", b"CCO\n" * 2001, "more than 2,000 rows"),
        ("a.smi", b"C" * (5 * 1024 * 1024 + 1), "this page takes 5 MB"),
        ("a.smi", b"\x1f\x8b\x08\x00rest", "compressed with gzip"),
        ("a.parquet", b"PAR1rubbish", "is damaged"),
        ("a.xlsx", b"PK\x03\x04rubbish", "is damaged"),
        ("a.csv", b"", "is empty"),
    ],
)
def test_refused(tmp_path: Path, name: str, content: bytes, sentence: str) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    with pytest.raises(InputError) as raised:
        read_upload(file)
    assert sentence in raised.value.message
    assert str(tmp_path) not in str(raised.value)


@pytest.mark.parametrize("encoding", ["dictionary", "delta"])
def test_one_long_text_in_every_row(tmp_path: Path, encoding: str) -> None:
    """400 bytes of Parquet that would be 1.5 GB as rows."""
    import tracemalloc

    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table(
        {
            "smiles": ["CCO"] * 10_000,
            "big": pa.DictionaryArray.from_arrays(
                pa.array([0] * 10_000, pa.int32()), pa.array(["x" * 150_000])
            ),
        }
    )
    options = {"dictionary_pagesize_limit": 1 << 27}
    if encoding == "delta":
        table = table.slice(0, 1_000).cast(pa.schema([("smiles", "string"), ("big", "string")]))
        options = {"use_dictionary": False, "column_encoding": {"big": "DELTA_BYTE_ARRAY"}}
    file = tmp_path / "a.parquet"
    pq.write_table(
        table, file, compression="zstd", store_schema=False, write_statistics=False, **options
    )
    assert file.stat().st_size < 10_000
    del table
    peak = pa.default_memory_pool().max_memory()
    tracemalloc.start()
    with pytest.raises(InputError, match="unpacks to"):
        read_upload(file, most_rows=10_000)
    _, held = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert held < 150e6
    assert pa.default_memory_pool().max_memory() - peak < 150e6


def test_a_file_that_unpacks_to_too_much(tmp_path: Path) -> None:
    file = tmp_path / "a.xlsx"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/sharedStrings.xml", bytes(61 * 1024 * 1024))
    assert file.stat().st_size < 1024 * 1024
    with pytest.raises(InputError, match="unpacks to 61 MB"):
        read_upload(file)
