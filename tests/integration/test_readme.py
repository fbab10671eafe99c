"""What README shows is run: its Python as it stands, its commands on small files."""

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from molclip.cli.main import app

README = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the files that README's commands name."""
    from rdkit import Chem

    path = tmp_path_factory.mktemp("readme")
    smiles = ["CN1C=NC2=C1C(=O)N(C(=O)N2C)C", "CCO", "CC(=O)Oc1ccccc1C(=O)O"]
    lines = ["id,smiles", *(f"m{row},{text}" for row, text in enumerate(smiles)), "bad,C1CC"]
    (path / "molecules.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    with Chem.SDWriter(str(path / "molecules.sdf")) as writer:
        for text in smiles:
            writer.write(Chem.MolFromSmiles(text))
    with (path / "molecules.sdf").open("a", encoding="utf-8") as handle:
        handle.write("broken\n\n\n  not a count line\nM  END\n$$$$\n")
    return path


def test_the_python_of_the_readme_runs(capsys):
    (code,) = blocks("python")
    exec(compile(code, "README.md", "exec"), {})
    assert len(capsys.readouterr().out.strip().splitlines()) == 5


def test_the_commands_of_the_readme_run(folder, monkeypatch):
    """In this process; tests/cli/test_command_process.py and .ci/run start the command itself."""
    monkeypatch.chdir(folder)
    commands = [
        line
        for block in blocks("bash")
        for line in block.splitlines()
        if line.startswith("molclip ")
    ]
    assert len(commands) >= 6
    for command in commands:
        done = CliRunner().invoke(app, shlex.split(command)[1:])
        assert done.exit_code == 0, f"{command}\n{done.stderr}"
        assert "Traceback" not in done.stderr
    assert "broken" in (folder / "bad_rows.csv").read_text(encoding="utf-8")


def test_every_linked_file_is_there():
    root = Path(__file__).parents[2]
    for target in re.findall(r"\]\(([^)#:]+)\)", README):
        assert (root / target).is_file(), target
