"""A small file and a library of it; commands run in this process, on the built-in model."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest
from cli_support import MOLECULES, Run
from typer.testing import CliRunner

from molclip.cli.main import app


@pytest.fixture(autouse=True)
def eighty_columns(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("MOLCLIP_DEBUG", raising=False)


@pytest.fixture(scope="session")
def run() -> Run:
    """Run a command; words and options are separate arguments."""

    def call(*arguments: object, input: bytes | None = None) -> Any:
        return CliRunner().invoke(app, [str(part) for part in arguments], input=input)

    return call


@pytest.fixture(scope="session")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("cli") / "molecules.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(("code", "title", "SMILES", "weight"))
        writer.writerows(MOLECULES)
    return path


@pytest.fixture(scope="session")
def library(table: Path, run: Run) -> Path:
    folder = table.with_name("library")
    result = run(
        *("library", "build", folder, table),
        *("--structure", "SMILES", "--id", "code", "--name", "title"),
    )
    assert result.exit_code == 0, result.stderr
    return folder
