"""`molclip classify`."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from cli_support import BAD_ROW, ROWS, Run, strict_json

LABELS = "alcohol; antibiotic"


def test_every_row_gets_an_answer_or_a_reason(run: Run, table: Path, library: Path) -> None:
    result = run(
        *("classify", table, "--labels", LABELS, "--background", library, "--format", "json"),
    )
    assert result.exit_code == 0, result.stderr
    records = strict_json(result.stdout)
    assert [record["row"] for record in records] == list(range(1, ROWS + 1))
    for record in records:
        if record["row"] == BAD_ROW:
            assert (record["answer"], record["labels"]) == (None, [])
            assert "kekulized" in record["failure"]
        else:
            best = max(label["percentile"] for label in record["labels"])
            expected = record["labels"][0]["label"] if best >= 0.95 else "none of these"
            assert record["answer"] == expected
    assert "12 rows: 11 answered, 1 failed" in result.stderr


def test_threshold_moves_the_border_of_none_of_these(run: Run, library: Path) -> None:
    def answers(threshold: float) -> list[str]:
        result = run(
            *("classify", "-", "--labels", "alcohol", "--background", library),
            *("--threshold", threshold, "--format", "json"),
            input=b"CCCC\nc1ccccc1\n",
        )
        return [record["answer"] for record in strict_json(result.stdout)]

    assert answers(0.0) == ["alcohol"] * 2
    # Butane and benzene are in the background, and so are ethanol, sucrose and a phenol.
    assert answers(1.0) == ["none of these"] * 2


def test_csv_has_one_column_per_label_and_measure(run: Run, table: Path, library: Path) -> None:
    result = run(
        *("classify", table, "--labels", LABELS, "--background", library, "--format", "csv"),
    )
    rows = list(csv.DictReader(io.StringIO(result.stdout)))
    assert len(rows) == ROWS
    assert 0 <= float(rows[0]["percentile: alcohol"]) <= 1
    assert -1 <= float(rows[0]["score: antibiotic"]) <= 1
    assert rows[BAD_ROW - 1]["percentile: alcohol"] == ""
    assert rows[4]["name"] == "'=SUM(1)"


def test_skip_leaves_bad_rows_out_and_lists_them(
    run: Run, table: Path, library: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.jsonl"
    result = run(
        *("classify", table, "--labels", LABELS, "--background", library, "-f", "json"),
        *("--on-invalid", "skip", "--failures", bad),
    )
    rows = [record["row"] for record in strict_json(result.stdout)]
    assert rows == [row for row in range(1, ROWS + 1) if row != BAD_ROW]
    assert strict_json(bad.read_text(encoding="utf-8"))["id"] == "BAD"


def test_one_structure_and_the_table(run: Run, table: Path, library: Path) -> None:
    one = run("classify", "OCC", "--labels", LABELS, "--background", library)
    assert one.exit_code == 0, one.stderr
    assert "alcohol" in one.stdout
    assert "Read as one structure: CCO" in one.stderr
    all_rows = run("classify", table, "--labels", LABELS, "--background", library)
    assert max(map(len, all_rows.stdout.splitlines())) <= 80


def test_without_background_there_is_no_percentile(run: Run) -> None:
    result = run("classify", "CCO", "--labels", LABELS, "--background", "none", "-f", "json")
    record = strict_json(result.stdout)[0]
    assert [label["percentile"] for label in record["labels"]] == [None, None]
    assert record["answer"] in LABELS.split("; ")
    assert "none of these" in result.stderr


def test_labels_file_and_templates(run: Run, library: Path, tmp_path: Path) -> None:
    labels = tmp_path / "labels.txt"
    labels.write_text("\ufeffalcohol\n\n1,3-diol\n", encoding="utf-8")
    result = run(
        *("classify", "CCO", "--labels-file", labels, "--background", library, "-f", "json"),
        *("--template", "It smells like {a}."),
    )
    found = {label["label"] for label in strict_json(result.stdout)[0]["labels"]}
    assert found == {"alcohol", "1,3-diol"}
    assert "It smells like {a}." in result.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["CCO"], "--labels"),
        (["CCO", "--labels", " ; "], "no labels"),
        (["CCO", "--labels", "a; a"], "twice"),
        (["CCO", "--labels", "a", "--template", "nothing"], "no place for the label"),
        (["CCO", "--labels", "a", "--threshold", "95"], "0.95"),
        (["CCO", "--labels-file", "nowhere.txt"], "nowhere.txt"),
        (["nowhere.csv", "--labels", "a"], "There is no file nowhere.csv"),
        (["aspirin", "--labels", "a"], "--mode name"),
    ],
)
def test_user_errors_are_sentences(
    run: Run, library: Path, arguments: list[str], said: str
) -> None:
    result = run("classify", *arguments, "--background", library)
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.stderr


def test_raise_ends_with_its_own_code(run: Run, table: Path, library: Path) -> None:
    result = run(
        *("classify", table, "--labels", "a", "--background", library, "--on-invalid", "raise"),
    )
    assert result.exit_code == 3
    assert "row 4, id BAD" in result.stderr


def test_a_label_cut_by_the_model_is_said(run: Run, library: Path) -> None:
    label = "antibiotic " * 2000
    result = run("classify", "CCO", "--labels", label, "--background", library)
    assert result.exit_code == 0, result.stderr
    assert "Warning: " in result.stderr
    assert "were cut" in " ".join(result.stderr.split())
