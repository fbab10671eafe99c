"""Extras that messages, README and docs tell users to install are those the package has."""

import re
import tomllib
from pathlib import Path

import pytest

import molclip
from molclip.errors import install_hint

HERE = Path(__file__).parents[2]
PACKAGE = Path(molclip.__file__).parent


def named():
    for path in PACKAGE.rglob("*.py"):
        yield from re.findall(r"install_hint\([\"'](\w+)[\"']\)", path.read_text(encoding="utf-8"))
    for path in (HERE / "README.md", *(HERE / "docs").glob("*.md")):
        for listed in re.findall(
            r"pip install -e \"\.\[(.+?)\]\"", path.read_text(encoding="utf-8")
        ):
            yield from listed.split(",")


def test_every_extra_that_is_named_exists():
    extras = set(named())
    assert {"app", "names", "train"} <= extras
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert extras <= set(project["optional-dependencies"])


@pytest.mark.parametrize("extra", ["app", "graph"])
def test_the_hint_is_the_readme_s_own_command(extra):
    readme = (HERE / "README.md").read_text(encoding="utf-8")
    assert install_hint(extra).partition(": ")[2].replace(extra, "app") in readme


def test_nothing_is_installed_from_an_index_that_does_not_have_it():
    texts = [*PACKAGE.rglob("*.py"), HERE / "README.md", *(HERE / "docs").glob("*.md")]
    for path in texts:
        assert not re.search(r"pip install ['\"]?molclip", path.read_text(encoding="utf-8")), path
