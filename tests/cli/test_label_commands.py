"""`molclip finetune`, `molclip predict` and `molclip evaluate probe` on a small file."""

from __future__ import annotations

import csv
import json
from itertools import combinations_with_replacement
from pathlib import Path

import pytest
from cli_support import Run
from model_fakes import tiny_model

RINGS = ("c1ccccc1", "c1ccncc1", "C1CCCCC1", "C1CCNCC1", "c1ccoc1", "c1ccsc1")
BAD = 5
"""1-based row of the structure that cannot be read."""


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    lines = ["code,SMILES,active,dose"]
    for first, second in combinations_with_replacement(RINGS, 2):
        for length in (1, 2, 3):
            for head, active in (("O", 1), ("N", 0)):
                smiles = f"{head}{'C' * length}C({first}){second}"
                lines.append(f"m{len(lines)},{smiles},{active},{length}")
    lines[BAD] = "wrong,c1cc,1,1"
    path = tmp_path_factory.mktemp("labels") / "assay.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("model")
    tiny_model().save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def tuned(run: Run, file: Path, model: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuned") / "assay"
    result = run(
        *("finetune", file, "--label", "active", "--task", "classification", "--id", "code"),
        *("--model", model, "-o", folder, "--epochs", 20, "--batch-size", 16),
        *("--learning-rate", 0.003, "--workers", 1),
    )
    assert result.exit_code == 0, result.stderr
    assert "count ECFP4, linear" in result.stdout
    assert "majority or mean" in result.stdout
    # The bad row is said with file, row, id and reason.
    said = " ".join(result.stdout.split())
    assert f"assay.csv, row {BAD}, id wrong" in said
    assert "Epoch 1: loss" in result.stderr
    return folder


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8") as handle:
        return list(csv.DictReader(handle))


def test_predictions_are_row_aligned_and_right(run: Run, tuned: Path, tmp_path: Path) -> None:
    asked = tmp_path / "asked.smi"
    asked.write_text("OCC(c1ccccc1)c1ccoc1 alcohol\nc1cc broken\nNCC(c1ccccc1)c1ccoc1 amine\n")
    out, bad = tmp_path / "answers.csv", tmp_path / "bad.csv"
    result = run("predict", tuned, asked, "-o", out, "--failures", bad)
    assert result.exit_code == 0, result.stderr
    assert result.stdout == ""
    rows = rows_of(out)
    assert [row["prediction: active"] for row in rows] == ["1", "", "0"]
    assert [row["row"] for row in rows] == ["1", "2", "3"]
    assert (
        float(rows[0]["probability: active = 1"]) > 0.5 > float(rows[2]["probability: active = 1"])
    )
    assert rows[1]["failure"]
    (failure,) = rows_of(bad)
    assert (failure["row"], failure["input"]) == ("2", "c1cc broken")
    skipped = run("predict", tuned, asked, "-o", out, "--on-invalid", "skip", "-q")
    assert skipped.exit_code == 0
    assert [row["row"] for row in rows_of(out)] == ["1", "3"]
    assert run("predict", tuned, asked, "-o", out, "--on-invalid", "raise").exit_code == 3


def test_the_folder_has_report_and_answers(tuned: Path) -> None:
    names = {path.name for path in tuned.iterdir()}
    assert names >= {
        *("model.safetensors", "config.json", "README.md", "history.jsonl"),
        *("report.json", "report.md", "report.html", "predictions.csv", "failures.csv"),
    }
    report = json.loads((tuned / "report.json").read_text(encoding="utf-8"))
    assert report["results"]["means"]["fine-tuned"]["roc_auc"] > 0.9
    (failure,) = rows_of(tuned / "failures.csv")
    assert (failure["row"], failure["id"]) == (str(BAD), "wrong")
    assert len(rows_of(tuned / "predictions.csv")) == 126


def test_a_second_run_does_not_overwrite_the_first(run: Run, tuned: Path, file: Path) -> None:
    before = (tuned / "model.safetensors").read_bytes()
    result = run("finetune", file, "--label", "active", "-o", tuned)
    assert result.exit_code == 2
    assert "holds a model already" in result.stderr
    assert (tuned / "model.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--label", "activ"), ["'activ'", "active"]),
        (("--label", "active", "--split", "folds"), ["'folds'", "split"]),
        (("--label", "code", "--task", "regression"), ["'code'", "no number"]),
        (("--label", "active", "--device", "gpu9"), ["'gpu9'"]),
    ],
)
def test_wrong_options_are_explained_before_training(
    run: Run, file: Path, model: Path, tmp_path: Path, arguments: tuple[str, ...], words: list[str]
) -> None:
    out = tmp_path / "out"
    result = run("finetune", file, *arguments, "--model", model, "-o", out)
    assert result.exit_code == 2, result.stderr
    for word in words:
        assert word in result.stderr
    assert not (out / "model.safetensors").exists()


def test_predict_needs_a_fine_tuned_folder(
    run: Run, model: Path, file: Path, tmp_path: Path
) -> None:
    result = run("predict", model, file, "-o", tmp_path / "x.csv")
    assert result.exit_code == 2
    assert "not the folder of a fine-tuned model" in result.stderr
    assert not (tmp_path / "x.csv").exists()


def test_probe_of_a_file(run: Run, file: Path, model: Path, tmp_path: Path) -> None:
    result = run(
        *("evaluate", "probe", file, "--label", "active", "--label", "dose", "--model", model),
        *("--seeds", 2, "--out", tmp_path, "--workers", 1),
    )
    assert result.exit_code == 0, result.stderr
    assert "before the head" in result.stdout
    assert max(map(len, result.stdout.splitlines())) <= 80
    report = json.loads((tmp_path / "probe.json").read_text(encoding="utf-8"))
    (numbers,) = report["results"].values()
    assert [task["kind"] for task in numbers["tasks"]] == ["binary", "regression"]
    linear = next(row for row in numbers["rows"] if row["features"] == "count ECFP4")
    assert linear["mean"]["roc_auc"]["mean"] > 0.9
    assert (tmp_path / "probe.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "One of FILE and --dataset"),
        (("x.csv", "--dataset", "bbbp", "--label", "y"), "One of FILE and --dataset"),
        (("x.csv",), "needs --label"),
        (("--dataset", "bbbb"), "bbbp"),
    ],
)
def test_probe_options_are_checked(run: Run, arguments: tuple[str, ...], words: str) -> None:
    result = run("evaluate", "probe", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr
