"""Columns of several Arrow files as one list of rows."""

import numpy as np
import pyarrow as pa
import pytest

from molclip.errors import LibraryError
from molclip.search.rows import RowStore, write_table


@pytest.fixture
def store(tmp_path):
    first = pa.table(
        {
            "id": [f"a{n}" for n in range(11)],
            "flag": [n % 3 == 0 if n != 6 else None for n in range(11)],
            "bits": pa.array([bytes([n, 255]) for n in range(11)], pa.binary(2)),
        }
    )
    second = pa.table({"id": ["b0", "a3"], "bits": pa.array([b"xy", b"zz"], pa.binary(2))})
    # Batches that begin in the middle of a byte of the bit mask.
    write_table(tmp_path / "1", first.schema, first.to_batches(max_chunksize=5))
    write_table(tmp_path / "2", second.schema, second.to_batches())
    return RowStore([tmp_path / "1", tmp_path / "2"], ["id", "flag"])


def test_flags_with_nulls_and_a_file_without_the_column(store):
    assert np.flatnonzero(store.flags("flag")).tolist() == [0, 3, 9]
    assert len(store.flags("flag")) == len(store) == 13
    assert not store.flags("nothing").any()


def test_rows_are_numbered_through(store):
    assert store.record(2) == {"id": "a2", "flag": False}
    assert store.record(11) == {"id": "b0", "flag": None}
    assert store.find("id", "a3") == [3, 12]
    assert store.find("id", "none") == []


def test_packed_columns(store):
    assert store.packed("bits", np.array([12, 0, 7])).tolist() == [[122, 122], [0, 255], [7, 255]]
    assert store.packed("nothing", np.array([0])) is None


def test_rows_that_hold_a_number_and_rows_whose_text_matches(tmp_path):
    schema = pa.schema({"facts": pa.list_(pa.int32()), "text": pa.string()})
    rows = {"facts": [[1, 2], [], None, [3], [2, 9]], "text": ["C2H6O", "Na", None, "N", "H3N"]}
    batches = pa.table(rows, schema).to_batches(max_chunksize=2)
    write_table(tmp_path / "1", schema, batches)
    other = pa.table({"id": ["b"]})
    write_table(tmp_path / "2", other.schema, other.to_batches())
    store = RowStore([tmp_path / "1", tmp_path / "2"], ["text"])
    assert np.flatnonzero(store.holding("facts", (2, 3))).tolist() == [0, 3, 4]
    assert not store.holding("facts", ()).any()
    assert np.flatnonzero(store.matching("text", "N([^a-z]|$)")).tolist() == [3, 4]
    assert len(store.matching("text", "N")) == len(store.holding("facts", (1,))) == 6


def test_few_and_many_numbers_find_the_same_rows(tmp_path):
    """As in a set; also where batches are slices of one table, and rows are empty."""
    random = np.random.default_rng(0)
    rows = [
        sorted(set(random.integers(0, 60, size).tolist())) for size in random.integers(0, 9, 200)
    ]
    schema = pa.schema({"facts": pa.list_(pa.int32())})
    table = pa.table({"facts": rows}, schema)
    write_table(tmp_path / "1", schema, table.to_batches(max_chunksize=33))
    store = RowStore([tmp_path / "1"], [])
    for count in (0, 1, 2, 8, 9, 30):
        wanted = set(random.choice(70, count, replace=False).tolist())
        expected = [n for n, row in enumerate(rows) if wanted & set(row)]
        assert np.flatnonzero(store.holding("facts", wanted)).tolist() == expected
    store._tables = [table.slice(50, 100)]
    assert np.flatnonzero(store.holding("facts", {7})).tolist() == [
        n for n, row in enumerate(rows[50:150]) if 7 in row
    ]


def test_a_damaged_file_says_so(tmp_path):
    (tmp_path / "rows").write_bytes(b"not arrow at all")
    with pytest.raises(LibraryError, match="cannot be read"):
        RowStore([tmp_path / "rows"], [])
