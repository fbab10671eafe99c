"""Write a folder that runs the page by itself, and that a Hugging Face Space deploys as it is.

    python -m molclip.app.make_space FOLDER

The folder holds the package with model and library, `app.py`, and `requirements.txt` with what
molclip and its extra `app` need besides. `docs/deploy.md` says how to send it off.
"""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import requires, version
from importlib.resources import as_file, files
from pathlib import Path

from molclip.errors import InputError, MolclipError

# Beside the package's code: its subfolders that lie elsewhere in a checkout.
_PARTS = ("app", "data")
_TEMPLATES = ("README.md", "app.py", "packages.txt")
_KEPT_OUT = ("__pycache__", "*.pyc", "space")


def make_space(folder: Path) -> None:
    """Write the folder.

    Parameters
    ----------
    folder
        New, or empty.

    Raises
    ------
    InputError
        When there is something in it.
    """
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} is there and not empty.", "Name a new folder.")
    folder.mkdir(parents=True, exist_ok=True)
    ignore = shutil.ignore_patterns(*_KEPT_OUT)
    with as_file(files("molclip")) as package:
        shutil.copytree(package, folder / "molclip", ignore=ignore)
    for part in _PARTS:
        with as_file(files(f"molclip.{part}")) as source:
            shutil.copytree(source, folder / "molclip" / part, ignore=ignore, dirs_exist_ok=True)
    templates = files("molclip.app") / "space"
    for name in _TEMPLATES:
        text = (templates / name).read_text(encoding="utf-8")
        text = text.replace("GRADIO_VERSION", version("gradio"))
        (folder / name).write_text(text, encoding="utf-8")
    # Stored without its dot, which packaging would leave out.
    attributes = (templates / "gitattributes").read_text(encoding="utf-8")
    (folder / ".gitattributes").write_text(attributes, encoding="utf-8")
    lines = [line for line in needed(requires("molclip") or ()) if not line.startswith("gradio")]
    (folder / "requirements.txt").write_text("\n".join([*lines, "gradio[mcp]", ""]), "utf-8")


def needed(requirements: Iterable[str]) -> list[str]:
    """Lines of a requirements file: what molclip needs, and what its extra `app` adds.

    Parameters
    ----------
    requirements
        As `importlib.metadata.requires` gives them.
    """
    lines = []
    for requirement in requirements:
        name, _, condition = requirement.partition(";")
        extra = re.search(r"extra\s*==\s*['\"]([^'\"]+)['\"]", condition)
        if extra is None or extra.group(1) == "app":
            lines.append(name.strip())
    return lines


def main(argv: list[str] | None = None) -> int:
    """Command line; see the text at the top of the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    options = parser.parse_args(argv)
    try:
        make_space(options.folder)
    except MolclipError as problem:
        print(problem, file=sys.stderr)
        return 2
    print(f"{options.folder}: run it with `python app.py`, or send it off as a Space")
    return 0


if __name__ == "__main__":
    sys.exit(main())
