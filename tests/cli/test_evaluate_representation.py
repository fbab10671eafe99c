"""`molclip evaluate representation` on an untrained model and the embedded library."""

import json

import pytest
import typer
from model_fakes import tiny_model
from typer.testing import CliRunner

from molclip.cli.evaluate_representation import representation

app = typer.Typer()
app.command()(representation)


@pytest.fixture(autouse=True)
def no_data(monkeypatch):
    monkeypatch.delenv("MOLCLIP_DATA", raising=False)


@pytest.fixture
def model(tmp_path):
    folder = tmp_path / "model"
    tiny_model().save_pretrained(folder)
    return folder


def test_the_three_files_and_the_table_come_out(tmp_path, model):
    out = tmp_path / "report"
    done = CliRunner().invoke(
        app, ["--model", str(model), "--sample", "48", "--seed", "1", "-o", str(out)]
    )
    assert done.exit_code == 0, done.output
    assert "Effective rank" in done.stdout
    assert "embedded library, molecules that no training may see" in done.stdout
    assert {path.name for path in out.iterdir()} == {
        "representation.json",
        "representation.md",
        "representation.html",
    }
    stored = json.loads((out / "representation.json").read_text(encoding="utf-8"))
    assert stored["results"]["figures"]["pairs"] == 48
    assert stored["results"]["figures"]["dimension"] == 16
    # The initial temperature of CLIP.
    assert stored["results"]["temperature"] == pytest.approx(0.07, abs=1e-3)
    assert stored["header"]["seed"] == 1


def test_json_without_the_map(model):
    done = CliRunner().invoke(
        app, ["--model", str(model), "--sample", "40", "--no-map", "--format", "json"]
    )
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["results"]["left_out"] == 0
    assert not any("t-SNE" in note for note in json.loads(done.stdout)["notes"])
