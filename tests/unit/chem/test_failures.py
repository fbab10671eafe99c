"""Failures are counted, listed, and kept, skipped or fatal."""

import csv
import json

import pytest

from molclip.chem.failures import FailureLog
from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.errors import InputError

TEXTS = ["CCO", "c1cc1", "=cmd|' /C calc'!A0", "", "CCN"]


def rows():
    return [parse_molecule(text, row=i, id=f"A{i}") for i, text in enumerate(TEXTS, start=1)]


def test_keep_leaves_every_row_in_place():
    with FailureLog() as log:
        found = list(log.watch(rows()))
    assert [item.row for item in found] == [1, 2, 3, 4, 5]
    assert (log.rows, log.failed) == (5, 3)
    assert log.summary() == (
        "5 rows: 2 answered, 3 failed (1 × the aromatic ring cannot be kekulized, "
        "1 × does not parse, 1 × empty)."
    )


def test_skip_leaves_failures_out_but_counts_them():
    log = FailureLog(on_invalid="skip")
    assert [item.row for item in log.watch(rows())] == [1, 5]
    assert log.failed == 3


def test_raise_stops_at_the_first():
    log = FailureLog(on_invalid="raise")
    with pytest.raises(InputError, match="row 2, id A2"):
        list(log.watch(rows()))


def test_all_well():
    log = FailureLog()
    list(log.watch([parse_molecule("CCO")]))
    assert log.summary() == "1 row: all answered."


@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_failures_file(tmp_path, suffix):
    path = tmp_path / f"failures.{suffix}"
    with FailureLog(path) as log:
        list(log.watch(rows()))
    text = path.read_text(encoding="utf-8")
    if suffix == "csv":
        lines = list(csv.DictReader(text.splitlines()))
        assert lines[1]["input"] == "'" + TEXTS[2]  # no spreadsheet runs it
    else:
        lines = [json.loads(line) for line in text.splitlines()]
        assert lines[1]["input"] == TEXTS[2]
    assert [(str(line["row"]), line["id"]) for line in lines] == [
        ("2", "A2"), ("3", "A3"), ("4", "A4"),
    ]  # fmt: skip
    assert all(line["reason"] and line["hint"] for line in lines)


def test_interrupted_run_leaves_what_it_found(tmp_path):
    path = tmp_path / "failures.jsonl"
    watched = FailureLog(path).watch(rows())
    next(watched), next(watched)
    assert json.loads(path.read_text(encoding="utf-8"))["row"] == 2


def test_unusable_options(tmp_path):
    with pytest.raises(InputError, match="'ignore'"):
        FailureLog(on_invalid="ignore")
    with pytest.raises(InputError, match="cannot be failures"):
        FailureLog(tmp_path / "failures.txt")
    with pytest.raises(InputError, match="cannot be written"):
        FailureLog(tmp_path / "nowhere" / "failures.csv")


def test_failures_of_later_stages_count_too():
    late = ParseFailure(None, 9, None, "C", "too slow: stopped after 10 s.")
    log = FailureLog()
    assert list(log.watch([late])) == [late]
    assert "1 × too slow" in log.summary()
