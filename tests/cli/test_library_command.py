"""`molclip library`."""

from __future__ import annotations

import csv
import json
from pathlib import Path

from cli_support import ROWS, Run, strict_json

from molclip.chem.readers import read_molecules


def test_info(run: Run, library: Path) -> None:
    values = strict_json(run("library", "info", library, "--format", "json").stdout)
    assert values["rows"] == ROWS - 1
    assert values["failed"] == 1
    assert values["standardisation"] == "none"
    assert values["columns"]["weight"] == "double"
    table = run("library", "info", library)
    assert max(map(len, table.stdout.splitlines())) <= 80
    assert values["model_hash"] in table.stdout


def test_export_with_condition_and_columns(run: Run, library: Path, tmp_path: Path) -> None:
    out = tmp_path / "light.csv"
    result = run(
        *("library", "export", library, "-o", out, "--where", "mol_weight < 50"),
        *("--columns", "id, smiles"),
    )
    assert result.exit_code == 0, result.stderr
    rows = list(csv.reader(out.open(encoding="utf-8")))
    assert rows == [["id", "smiles"], ["A1", "CCO"], ["A11", "CCO"]]


def test_add_replaces_by_id_and_lists_only_new_failures(
    run: Run, table: Path, tmp_path: Path
) -> None:
    folder = tmp_path / "library"
    assert run("library", "build", folder, table, "--id", "code").exit_code == 0
    more = tmp_path / "more.csv"
    more.write_text("code,SMILES\nA1,CCCO\nB1,CCN\nB2,c1cc1\n", encoding="utf-8")
    bad = tmp_path / "bad.jsonl"
    result = run("library", "add", folder, more, "--id", "code", "--failures", bad)
    assert result.exit_code == 0, result.stderr
    assert "3 rows read: 1 added, 1 updated, 1 failed." in result.stderr
    lines = [json.loads(line) for line in bad.read_text(encoding="utf-8").splitlines()]
    assert [(line["row"], line["id"]) for line in lines] == [(3, "B2")]
    again = run("library", "build", folder, table)
    assert again.exit_code == 2
    assert "there already" in again.stderr
    assert run("library", "build", folder, table, "--overwrite").exit_code == 0


def test_warnings_of_embedded_rows_are_counted(run: Run, tmp_path: Path) -> None:
    folder, table = tmp_path / "library", tmp_path / "table.csv"
    table.write_text("SMILES\n[Na]\nCCO\n\"'CCN'\"\n", encoding="utf-8")
    molecules = list(read_molecules(table))
    assert [len(molecule.warnings) for molecule in molecules] == [1, 0, 1]
    kinds = [m.warnings[0].partition(":")[0] for m in molecules if m.warnings]
    result = run("library", "build", folder, table)
    assert f"3 rows read: 3 added. Of note: 1 × {kinds[0]}, 1 × {kinds[1]}." in result.stderr
    table.write_text("SMILES\n[Na]\nc1cc1\n", encoding="utf-8")
    more = run("library", "add", folder, table)
    assert f"1 failed. Of note: 1 × {kinds[0]}." in more.stderr
    told = strict_json(run("library", "info", folder, "--format", "json").stdout)
    assert told["report"]["remarks"] == {kinds[0]: 2, kinds[1]: 1}
    assert f"2 × {kinds[0]}" in " ".join(run("library", "info", folder).stdout.split())
    searched = run("search", "a metal", "--in", table)
    assert f"Of note: 1 × {kinds[0]}." in searched.stderr


def test_raise_leaves_no_library(run: Run, table: Path, tmp_path: Path) -> None:
    folder = tmp_path / "library"
    result = run("library", "build", folder, table, "--on-invalid", "raise")
    assert result.exit_code == 3
    assert list(tmp_path.iterdir()) == []


def test_user_errors(run: Run, library: Path, table: Path, tmp_path: Path) -> None:
    nothing = run("library", "build", tmp_path / "new")
    both = run("library", "build", tmp_path / "new", table, "--embedded")
    column = run("library", "export", library, "-o", tmp_path / "x.csv", "--columns", "nosuch")
    suffix = run("library", "export", library, "-o", tmp_path / "x.doc")
    absent = run("library", "info", tmp_path / "nowhere")
    for result, said in [
        (nothing, "--embedded"),
        (both, "--embedded"),
        (column, "nosuch"),
        (suffix, "doc"),
        (absent, "nowhere"),
    ]:
        assert result.exit_code == 2
        assert said in result.stderr
        assert "Traceback" not in result.stderr
