"""`molclip describe`."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_support import Run, strict_json

CAFFEINE = "Cn1cnc2c1c(=O)n(C)c(=O)n2C"


def test_tables_on_stdout(run: Run) -> None:
    result = run("describe", CAFFEINE)
    assert result.exit_code == 0, result.stderr
    lines = result.stdout.splitlines()
    assert max(map(len, lines)) <= 80 + len(CAFFEINE)
    assert "caffeine (CHEBI:27732)" in result.stdout
    (alkaloid,) = [line for line in lines if line.startswith("purine alkaloid  ")]
    assert alkaloid.split()[2] == "recorded"
    assert "Percentiles among 42,059 molecules" in result.stdout


def test_json_of_a_name(run: Run, tmp_path: Path) -> None:
    result = run("describe", "quinine", "--json", "--top", 3)
    assert result.exit_code == 0, result.stderr
    told = strict_json(result.stdout)
    assert told["record"]["id"] == "CHEBI:15854"
    assert [entry["text"] for entry in told["roles"] if entry["via"] is None][:2] == [
        "non-narcotic analgesic",
        "antimalarial",
    ]
    assert "name" in result.stderr
    out = tmp_path / "quinine.json"
    assert run("describe", "quinine", "--top", 3, "-o", out).stdout == ""
    assert strict_json(out.read_text(encoding="utf-8")) == told


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("c1cc1",), "cannot be described"),
        (("nosuchmolecule",), "neither a structure nor a name"),
        ((CAFFEINE, "--top", "0"), "--top"),
        ((CAFFEINE, "-o", "words.txt"), "words.txt"),
    ],
)
def test_errors_name_the_input(run: Run, arguments: tuple[str, ...], said: str) -> None:
    result = run("describe", *arguments)
    assert result.exit_code == 2
    assert said in result.stderr
