"""`molclip explain`."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from cli_support import Run, strict_json

PENICILLIN = "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O"
TEXT = "beta-lactam antibiotic"


def test_tables_on_stdout(run: Run) -> None:
    result = run("explain", PENICILLIN, TEXT)
    assert result.exit_code == 0, result.stderr
    assert "match (cosine) +0." in result.stdout
    lines = result.stdout.splitlines()
    assert any(line.startswith("beta-lactam ") for line in lines)
    # The nitrogen of the lactam comes first.
    heads = [number for number, line in enumerate(lines) if line.startswith("atom ")]
    assert lines[heads[0] + 2].startswith("N 18 ")
    assert "the strongest of 23 atoms" in result.stdout
    assert "of no atom" in result.stdout


def test_one_method(run: Run) -> None:
    result = run("explain", "CCO", "solvent", "--method", "occlusion")
    assert result.exit_code == 0, result.stderr
    assert "occlusion" in result.stdout
    assert "gradient" not in result.stdout


def test_files(run: Run, tmp_path: Path) -> None:
    for suffix in ("svg", "png", "json"):
        out = tmp_path / f"why.{suffix}"
        result = run("explain", PENICILLIN, TEXT, "-o", out)
        assert result.exit_code == 0, result.stderr
        assert result.stdout == ""
        assert str(out) in result.stderr.replace("\n", "")
    ET.parse(tmp_path / "why.svg")
    assert (tmp_path / "why.png").read_bytes().startswith(b"\x89PNG")
    told = strict_json((tmp_path / "why.json").read_text(encoding="utf-8"))
    assert len(told["atoms"]) == 23
    assert [row["word"] for row in told["words"]] == TEXT.split()


def test_remarks_go_to_stderr(run: Run) -> None:
    result = run("explain", "CCO", "blorpt solvent")
    assert "never met: blorpt" in result.stderr
    assert "never met" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("c1cc1", "dye"), "'c1cc1' cannot be explained"),
        (("CCO", " "), "' ' is empty"),
        (("CCO", "dye", "-o", "why.gif"), "why.gif"),
        (("CCO", "dye", "-o", "nowhere/why.svg"), "no folder"),
        (("CCO", "dye", "--method", "lime"), "lime"),
        (("CCO", "dye", "--model", "./nosuch"), "nosuch"),
    ],
)
def test_errors_name_the_input(run: Run, arguments: tuple[str, ...], said: str) -> None:
    result = run("explain", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
