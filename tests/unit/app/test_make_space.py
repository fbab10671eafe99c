"""The folder that runs by itself."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import pytest
from molclip.app.make_space import main, make_space, needed

from molclip.errors import InputError

ROOT = Path(__file__).parents[3]


def test_requirements() -> None:
    assert needed(
        ["torch>=2.4", 'gradio[mcp]>=6; extra == "app"', "ruff; extra == 'dev'",
         'torch_geometric; extra == "graph"', 'tomli; python_version < "3.11"'],
    ) == ["torch>=2.4", "gradio[mcp]>=6", "tomli"]  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("space") / "space"
    make_space(made)
    return made


def test_front_matter_and_requirements(folder: Path) -> None:
    front = (folder / "README.md").read_text(encoding="utf-8").split("---")[1]
    fields = dict(re.findall(r"^(\w+): (.+)$", front, flags=re.MULTILINE))
    assert fields["sdk"] == "gradio"
    assert fields["sdk_version"] == version("gradio")
    assert (folder / fields["app_file"]).is_file()
    # The Space's own rule.
    assert len(fields["short_description"]) <= 60
    lines = (folder / "requirements.txt").read_text(encoding="utf-8").split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {re.split(r"[\[<>=]", entry)[0] for entry in project["dependencies"]}
    assert named <= {re.split(r"[\[<>=]", line)[0] for line in lines}
    assert "gradio[mcp]" in lines
    assert not any(line.startswith(("-", "file:", "git+", "http")) for line in lines)


def test_the_package_is_in_it(folder: Path) -> None:
    code = "import molclip, molclip.app as a, molclip.data as d; print(molclip.__file__, a.__file__, d.__file__)"
    done = subprocess.run(
        [sys.executable, "-B", "-c", code], cwd=folder, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == [
        str(folder / "molclip" / part / "__init__.py") for part in ("", "app", "data")
    ]
    for path in ("weights/model.safetensors", "data/library.parquet", "app/static/app.css"):
        assert (folder / "molclip" / path).stat().st_size > 1000
    assert not list(folder.rglob("__pycache__"))


def test_a_folder_with_something_in_it_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError, match="is there and not empty"):
        make_space(tmp_path)
    assert main([str(tmp_path)]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["mine"]


def test_the_container_runs_as_nobody_special() -> None:
    lines = (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines()
    user = lines.index("USER molclip")
    assert all(not line.startswith("USER") for line in lines[user + 1 :])
    assert any("--uid 1000" in line for line in lines[:user])
    assert 'ENTRYPOINT ["molclip", "app", "--host", "0.0.0.0", "--port", "7860"]' in lines[user:]
    copied = [line.split()[1:-1] for line in lines if line.startswith("COPY ") and "--" not in line]
    for source in (name for names in copied for name in names):
        assert (ROOT / source).exists(), source
        assert f"!{source}" in (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
