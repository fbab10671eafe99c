"""`molclip train --sweep`: real runs on a small file, compared, and not run twice."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
from cli_support import Run

BASE = """
[base.data]
pairs = "{pairs}"
[base.model]
dimension = 16
vocabulary = 200
[base.model.text]
max_tokens = 32
[base.model.text.encoder]
hidden_size = 32
num_hidden_layers = 1
num_attention_heads = 2
intermediate_size = 64
max_position_embeddings = 64
[base.model.molecule]
hidden = 32
[base.run]
epochs = 2
batch_size = 8
precision = "float32"
threads = 1
"""


def test_a_sweep_trains_compares_and_skips_what_is_done(run: Run, tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    # Silanes, because plain alcohols and amines are in the held-out splits.
    rows = [f"a{n},[SiH3]{'C' * n}O,alcohol with a chain of {n} carbons" for n in range(1, 17)]
    pairs.write_text("\n".join(["id,smiles,text", *rows]) + "\n", encoding="utf-8")
    file, out = tmp_path / "sweep.toml", tmp_path / "out"
    file.write_text(
        f'output = "{out}"\nmode = "one-at-a-time"\n[axes]\n"objective.name" = ["siglip"]\n'
        '[[variant]]\nname = "broken"\nmodel.text.encoder.num_attention_heads = 5\n'
        + BASE.format(pairs=pairs),
        encoding="utf-8",
    )
    result = run("train", "--sweep", file)
    assert result.exit_code == 2, result.stderr
    assert "1 of 3 runs failed: broken" in result.stderr
    assert "Run 2 of 3: objective=siglip" in result.stderr
    assert max(map(len, result.stdout.splitlines())) <= 80
    for folder in ("base", "objective=siglip"):
        assert (out / folder / "model" / "model.safetensors").is_file()
    # The tokenizer of the second run is that of the first, and so are the features.
    first, second = (out / name / "tokenizer.json" for name in ("base", "objective=siglip"))
    assert first.read_bytes() == second.read_bytes()
    table = pq.read_table(out / "sweep.parquet").to_pydict()
    assert table["run"] == ["base", "objective=siglip", "broken"]
    assert table["status"] == ["finished", "finished", "failed"]
    assert table["epochs"] == [2, 2, 0]
    last = [json.loads(line) for line in (out / "base" / "history.jsonl").read_text().splitlines()]
    assert table["last loss"][0] == last[-1]["loss"]
    assert all(value > 0 for value in table["pairs per second"][:2])
    assert all(value > 2**26 for value in table["peak memory"][:2])  # torch alone is more
    assert "(5)" in table["error"][2]
    assert {path.name for path in out.glob("sweep.*")} == {
        *("sweep.json", "sweep.md", "sweep.html", "sweep.parquet"),
    }

    weights = out / "base" / "model" / "model.safetensors"
    written = weights.stat().st_mtime_ns
    again = run("train", "--sweep", file)
    assert "Run 1 of 3" not in again.stderr
    assert "Run 3 of 3: broken" in again.stderr
    assert weights.stat().st_mtime_ns == written


def test_a_typo_is_explained_before_anything_runs(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "sweep.toml"
    file.write_text(
        f'output = "{tmp_path / "out"}"\n[base.run]\nepochs = 1\n'
        '[axes]\n"negatives.bta" = [0.0, 0.5]\n',
        encoding="utf-8",
    )
    result = run("train", "--sweep", file)
    assert result.exit_code == 2
    assert "negatives.bta" in result.stderr
    assert "'beta'" in result.stderr
    assert not (tmp_path / "out").exists()


def test_config_and_sweep_exclude_each_other(run: Run, tmp_path: Path) -> None:
    assert run("train").exit_code == 2
    result = run("train", tmp_path / "a.toml", "--sweep", tmp_path / "b.toml")
    assert result.exit_code == 2
    assert "One of CONFIG and --sweep" in result.stderr
