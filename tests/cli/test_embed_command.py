"""`molclip embed`."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from cli_support import BAD_ROW, MOLECULES, ROWS, Run

GOOD = [row for row in range(ROWS) if row != BAD_ROW - 1]


def test_npy_is_row_aligned(run: Run, table: Path, tmp_path: Path) -> None:
    out, bad = tmp_path / "vectors.npy", tmp_path / "bad.csv"
    result = run("embed", table, "-o", out, "--failures", bad)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    vectors = np.load(out, allow_pickle=False)
    assert vectors.dtype == np.float32
    assert vectors.shape[0] == ROWS
    assert np.flatnonzero(np.isnan(vectors).any(axis=1)).tolist() == [BAD_ROW - 1]
    assert np.allclose(np.linalg.norm(vectors[GOOD], axis=1), 1, atol=1e-5)
    # Rows 1 and 12 are ethanol in two spellings, row 2 is not.
    assert np.allclose(vectors[0], vectors[11], atol=1e-6)
    assert not np.allclose(vectors[0], vectors[1], atol=1e-2)
    assert "kekulized" in bad.read_text(encoding="utf-8")
    assert "12 rows: 11 answered, 1 failed" in result.stderr
    assert not list(tmp_path.glob("*.part"))


def test_npz_and_parquet_say_which_row_is_which(run: Run, table: Path, tmp_path: Path) -> None:
    columns = ("--structure", "SMILES", "--id", "code", "--name", "title")
    for suffix in ("npz", "parquet"):
        assert run("embed", table, "-o", tmp_path / f"v.{suffix}", *columns).exit_code == 0
    archive = np.load(tmp_path / "v.npz", allow_pickle=False)
    assert archive["id"].tolist() == [molecule[0] for molecule in MOLECULES]
    assert archive["row"].tolist() == list(range(1, ROWS + 1))
    assert [bool(text) for text in archive["failure"]].index(True) == BAD_ROW - 1
    rows = pq.read_table(tmp_path / "v.parquet").to_pylist()
    assert [row["name"] for row in rows] == [molecule[1] for molecule in MOLECULES]
    assert [row["smiles"] is None for row in rows].index(True) == BAD_ROW - 1
    stacked = np.array([row["vector"] for row in rows], dtype=np.float32)
    assert np.array_equal(stacked, archive["vectors"], equal_nan=True)


def test_skip_keeps_the_row_numbers(run: Run, table: Path, tmp_path: Path) -> None:
    run("embed", table, "-o", tmp_path / "v.npz", "--on-invalid", "skip")
    archive = np.load(tmp_path / "v.npz", allow_pickle=False)
    assert archive["row"].tolist() == [row + 1 for row in GOOD]
    assert archive["vectors"].shape[0] == ROWS - 1


def test_standard_input_compressed_or_not(run: Run, tmp_path: Path) -> None:
    text = b"CCO ethanol\n\nC1CCCCC1 cyclohexane\n"
    plain, packed = tmp_path / "plain.npy", tmp_path / "packed.npy"
    assert run("embed", "-", "-o", plain, input=text).exit_code == 0
    assert run("embed", "-", "-o", packed, input=gzip.compress(text)).exit_code == 0
    vectors = np.load(plain)
    assert np.isnan(vectors).any(axis=1).tolist() == [False, True, False]
    assert np.array_equal(vectors, np.load(packed), equal_nan=True)


def test_standardisation_is_asked_for(run: Run, tmp_path: Path) -> None:
    text = b"CC(=O)[O-].[Na+]\nCC(=O)O\n"
    for profile in ("none", "parent"):
        out = tmp_path / f"{profile}.npy"
        run("embed", "-", "-o", out, "--standardise", profile, input=text)
    none, parent = np.load(tmp_path / "none.npy"), np.load(tmp_path / "parent.npy")
    assert not np.allclose(none[0], none[1], atol=1e-3)
    assert np.allclose(parent[0], parent[1], atol=1e-6)


def test_an_old_file_outlives_a_failed_run(run: Run, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "v.npy"
    out.write_bytes(b"old")
    result = run("embed", table, "-o", out, "--on-invalid", "raise")
    assert result.exit_code == 3
    assert out.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["v.npy"]


@pytest.mark.parametrize(
    ("out", "said"), [("v.txt", "v.txt"), ("nowhere/v.npy", "no folder"), ("v", "Use one of")]
)
def test_bad_outputs(run: Run, table: Path, tmp_path: Path, out: str, said: str) -> None:
    result = run("embed", table, "-o", tmp_path / out)
    assert result.exit_code == 2
    assert said in result.stderr


def test_unknown_column(run: Run, table: Path, tmp_path: Path) -> None:
    result = run("embed", table, "-o", tmp_path / "v.npy", "--structure", "nosuch")
    assert result.exit_code == 2
    assert "nosuch" in result.stderr
    assert "SMILES" in result.stderr


def test_the_input_is_never_written_over(run: Run, table: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.csv"
    text = table.read_text(encoding="utf-8")
    mine.write_text(text, encoding="utf-8")
    commands = (
        ("embed", mine, "-o", tmp_path / "v.npy", "--failures", mine),
        ("classify", mine, "--labels", "dye", "--background", "none", "-o", mine),
        ("library", "build", tmp_path / "new", mine, "--failures", mine),
        ("search", "dye", "--in", mine, "--failures", mine),
        ("search", "dye", "--in", mine, "-o", mine),
    )
    for command in commands:
        result = run(*command)
        assert result.exit_code == 2, command
        assert "would be overwritten" in result.stderr
        assert mine.read_text(encoding="utf-8") == text
