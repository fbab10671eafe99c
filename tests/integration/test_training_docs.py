"""The lines of docs/training.md that train on one's own file are run, with fewer epochs."""

import os
import re
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs" / "training.md"


def test_the_ten_lines_train_on_a_file_and_search_it(tmp_path):
    section = DOCS.read_text(encoding="utf-8").split("## Your own pairs")[1]
    block = re.search(r"```bash\n(.*?)```", section, flags=re.DOTALL).group(1)
    assert len(block.strip().splitlines()) <= 10
    block, shortened = re.subn(r"epochs = \d+", "epochs = 2", block)
    assert shortened == 1
    rows = ["smiles,text"]
    for length in range(1, 13):
        rows.append(f"[SiH3]{'C' * length}O,an alcohol with a chain of {length}")
        rows.append(f"[SiH3]{'C' * length}N,an amine with a chain of {length}")
    (tmp_path / "pairs.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    folder = tmp_path / "bin"
    folder.mkdir()
    command = folder / "molclip"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m molclip.cli "$@"\n')
    command.chmod(0o755)
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", block],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    model = tmp_path / "my_run" / "model"
    for name in ("model.safetensors", "README.md", "history.parquet", "report.html"):
        assert (model / name).is_file(), name
    assert "[SiH3]" in done.stdout
