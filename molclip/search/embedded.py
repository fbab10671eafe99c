"""The library that comes with molclip, made ready in the user's cache on first use.

Shipped are a table of facts, a table of calculated properties and a file of vectors. On first use
they become a folder like that of any library, except that its vectors stay where they are.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import LibraryError
from molclip.search import table
from molclip.search.columns import BASE_TYPES
from molclip.search.evidence import Closures, write_evidence
from molclip.search.index import SEGMENTS, segment_path
from molclip.search.locking import exclusive
from molclip.search.manifest import FORMAT, MANIFEST_FILE, Manifest, Segment
from molclip.search.model_handle import BUILT_IN
from molclip.search.names import write_names
from molclip.search.report import BuildReport
from molclip.search.rows import FACTS, PATTERN, write_table
from molclip.search.vectors import read_header

if TYPE_CHECKING:
    import pyarrow as pa

    from molclip.datasets.ontology import Ontology

LIBRARY_FILE = "library.parquet"
PROPERTIES_FILE = "library_properties.parquet"
TERMS_FILE = "terms.parquet"
VECTORS_FILE = "library_vectors.safetensors"
LEXICONS = ("lexicon_classes.tsv", "lexicon_roles.tsv")
ALIASES_FILE = "aliases.tsv"
"""Short and trade names that people type, written by hand: PCP, vitamin C."""

EXTRA_COLUMNS = {
    "curated": "bool",
    "classes": "list<string>",
    "roles": "list<string>",
    "synonyms": "list<string>",
}
WAIT = 120.0
"""Seconds to wait for another process that is preparing the same library."""

Progress = Callable[[str, int, int | None], None]


def data_folder() -> Path:
    """Folder of the shipped tables."""
    from importlib.resources import files

    return Path(str(files("molclip.data")))


def cache_folder() -> Path:
    """Where prepared libraries are kept: MOLCLIP_CACHE, or the user's cache folder."""
    told = os.environ.get("MOLCLIP_CACHE")
    if told:
        return Path(told).expanduser()
    from platformdirs import user_cache_dir

    return Path(user_cache_dir("molclip", appauthor=False))


def file_hash(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@dataclass(frozen=True)
class Shipped:
    """The files that make up the embedded library."""

    folder: Path
    metadata: dict[str, str]
    """Of the vectors: `model_hash`, `library_sha256`, `dimension`, `rows`."""
    key: str
    """Names this very set of files."""

    @classmethod
    def find(cls, folder: Path | None = None) -> Shipped:
        """Look the files up.

        Raises
        ------
        LibraryError
            When one is missing or damaged.
        """
        folder = folder or data_folder()
        names = (LIBRARY_FILE, PROPERTIES_FILE, TERMS_FILE, VECTORS_FILE, ALIASES_FILE, *LEXICONS)
        state: list[Any] = [FORMAT, str(folder)]
        for name in names:
            try:
                stat = (folder / name).stat()
            except OSError:
                raise LibraryError(
                    f"The embedded library is incomplete: {folder / name} is missing.",
                    "Reinstall molclip, or make the file with the scripts in data/.",
                ) from None
            state += [name, stat.st_size, stat.st_mtime_ns]
        try:
            header, _ = read_header(folder / VECTORS_FILE)
            metadata = header["__metadata__"]
            state += [metadata["model_hash"], metadata["library_sha256"]]
        except (OSError, ValueError, KeyError) as error:
            raise LibraryError(
                f"The vectors {folder / VECTORS_FILE} cannot be read: {error}.",
                "Reinstall molclip, or run python -m molclip.data.build_vectors.",
            ) from error
        key = hashlib.sha256(json.dumps(state).encode()).hexdigest()[:16]
        return cls(folder, metadata, key)


def prepared_library(progress: Progress | None = None) -> Path:
    """Folder of the embedded library, made ready if it is not yet.

    Two processes that start at once make it once: the second waits.

    Raises
    ------
    LibraryError
        When shipped files are missing or do not belong together.
    """
    shipped = Shipped.find()
    folder = _writable(cache_folder()) / f"library-{shipped.key}"
    if not (folder / MANIFEST_FILE).is_file():
        with exclusive(folder.with_suffix(".lock"), wait=WAIT):
            if not (folder / MANIFEST_FILE).is_file():
                draft = folder.with_name(f"{folder.name}.partial")
                shutil.rmtree(draft, ignore_errors=True)
                draft.mkdir()
                prepare(draft, shipped, progress or say)
                shutil.rmtree(folder, ignore_errors=True)
                draft.replace(folder)
    return folder


def _writable(cache: Path) -> Path:
    try:
        cache.mkdir(parents=True, exist_ok=True)
        if os.access(cache, os.W_OK):
            return cache
    except OSError:
        pass
    # One folder per user: another user's files in a shared one are not to be trusted.
    fallback = Path(tempfile.gettempdir()) / f"molclip-{_user()}"
    fallback.mkdir(mode=0o700, exist_ok=True)
    if hasattr(os, "getuid") and fallback.stat().st_uid != os.getuid():
        raise LibraryError(
            f"Neither {cache} nor {fallback} can be written to.", "Set MOLCLIP_CACHE to a folder."
        )
    return fallback


def _user() -> str:
    return str(os.getuid()) if hasattr(os, "getuid") else os.environ.get("USERNAME", "user")


def say(doing: str, done: int, _total: int | None) -> None:
    """Progress of the one-time preparation on stderr, one line per step."""
    if done == 0:
        print(f"Preparing the embedded library (once): {doing} …", file=sys.stderr, flush=True)


def prepare(folder: Path, shipped: Shipped, progress: Progress) -> None:
    """Write the library folder of the shipped files.

    Raises
    ------
    LibraryError
        When the shipped files do not belong together.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    from molclip.datasets.ontology import Ontology

    progress("checking the files", 0, None)
    facts: Any = pq.read_table(shipped.folder / LIBRARY_FILE)
    properties: Any = pq.read_table(shipped.folder / PROPERTIES_FILE)
    metadata = {k.decode(): v.decode() for k, v in (properties.schema.metadata or {}).items()}
    _check(shipped, metadata)
    progress("classes and roles", 0, None)
    ontology = Ontology.load(shipped.folder / TERMS_FILE)
    number = write_evidence(folder, ontology, [shipped.folder / name for name in LEXICONS])
    rows = facts.rename_columns(["id" if c == "chebi_id" else c for c in facts.column_names])
    rows = rows.select(["id", "name", "smiles", "inchikey", *EXTRA_COLUMNS])
    for name in (*BASE_TYPES, PATTERN):
        if name not in rows.column_names:
            rows = rows.append_column(name, properties.column(name))
    columns = {**BASE_TYPES, **EXTRA_COLUMNS}
    rows = rows.select([*columns, PATTERN])
    stated = pa.array(_stated(facts, ontology, number), pa.list_(pa.int32()))
    progress("rows", 0, rows.num_rows)
    (folder / SEGMENTS).mkdir()
    segment = Segment("000001", rows.num_rows, vectors=str(shipped.folder / VECTORS_FILE))
    hidden = rows.append_column(FACTS, stated).combine_chunks()
    write_table(segment_path(folder, segment, "arrow"), hidden.schema, hidden.to_batches())
    progress("names", 0, rows.num_rows)
    aliases = read_aliases(shipped.folder / ALIASES_FILE)
    write_names(segment_path(folder, segment, "names.arrow"), _names(facts, aliases))
    progress("table for filters", 0, rows.num_rows)
    version = table.create(folder, _positioned(rows.drop_columns([PATTERN])))
    _manifest(shipped, segment, columns, metadata, version).write(folder)
    progress("done", rows.num_rows, rows.num_rows)


def _check(shipped: Shipped, properties: dict[str, str]) -> None:
    library = file_hash(shipped.folder / LIBRARY_FILE)
    for name, script, metadata in (
        (PROPERTIES_FILE, "build_properties", properties),
        (VECTORS_FILE, "build_vectors", shipped.metadata),
    ):
        if metadata.get("library_sha256") != library:
            raise LibraryError(
                f"{shipped.folder / name} was made for another {LIBRARY_FILE}.",
                f"Reinstall molclip, or run python -m molclip.data.{script}.",
            )


def _manifest(
    shipped: Shipped,
    segment: Segment,
    columns: dict[str, str],
    properties: dict[str, str],
    table_version: int,
) -> Manifest:
    import molclip

    return Manifest(
        model_name=BUILT_IN,
        model_hash=shipped.metadata["model_hash"],
        dimension=int(shipped.metadata["dimension"]),
        standardisation="none",
        feature_version=shipped.metadata.get("feature_version", ""),
        rdkit_version=properties.get("rdkit", ""),
        molclip_version=molclip.__version__,
        source="ChEBI, CC BY 4.0 (see molclip/data/DATA_CARD.md)",
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        table_version=table_version,
        columns=columns,
        segments=[segment],
        report=BuildReport(rows_read=segment.rows, added=segment.rows),
        embedded=True,
    )


def _stated(facts: Any, ontology: Ontology, number: dict[str, int]) -> list[list[int]]:
    closures = Closures(ontology, number)
    columns = [facts.column(name).to_pylist() for name in ("chebi_id", "classes", "roles")]
    return [closures.facts(*row) for row in zip(*columns, strict=True)]


def read_aliases(path: Path) -> dict[str, list[str]]:
    """Aliases by ChEBI id."""
    aliases: dict[str, list[str]] = {}
    for line in path.read_text(encoding="utf-8").splitlines()[1:]:
        alias, _, id_ = line.partition("\t")
        aliases.setdefault(id_, []).append(alias)
    return aliases


def _names(facts: Any, aliases: dict[str, list[str]]) -> Iterator[tuple[int, str, int]]:
    wanted = ("chebi_id", "name", "synonyms", "merged_ids")
    columns = [facts.column(name).to_pylist() for name in wanted]
    for row, (id_, name, synonyms, merged) in enumerate(zip(*columns, strict=True)):
        yield row, name, 0
        for synonym in (*synonyms, *aliases.get(id_, ())):
            yield row, synonym, 1
        for other in (id_, *merged):
            yield row, other, 2


def _positioned(rows: Any) -> pa.RecordBatchReader:
    import numpy as np
    import pyarrow as pa

    positions = pa.array(np.arange(rows.num_rows), pa.int64())
    placed = rows.add_column(0, table.POSITION, positions)
    return pa.RecordBatchReader.from_batches(placed.schema, placed.to_batches(max_chunksize=16384))


def embedded_items() -> Iterator[dict[str, Any]]:
    """Rows of the embedded table as a source for `Library.build`, with what ChEBI states."""
    from molclip.datasets.facts import load_facts
    from molclip.datasets.ontology import Ontology

    ontology = Ontology.load()
    closures = Closures(ontology, term_numbers(ontology))
    for fact in load_facts():
        yield {
            "smiles": fact.smiles,
            "id": fact.chebi_id,
            "name": fact.name,
            "curated": fact.curated,
            "classes": list(fact.classes),
            "roles": list(fact.roles),
            "synonyms": list(fact.synonyms),
            FACTS: closures.facts(fact.chebi_id, fact.classes, fact.roles),
        }


def term_numbers(ontology: Ontology) -> dict[str, int]:
    """Numbers that `write_evidence` gives to the terms."""
    kinds = ("class", "role")
    terms = [term.id for term in ontology.terms.values() if term.kind in kinds]
    return {id_: number for number, id_ in enumerate(terms)}


def write_embedded_evidence(folder: Path) -> None:
    """Write the evidence files of the shipped ontology into a library built from its table."""
    from molclip.datasets.ontology import Ontology

    write_evidence(folder, Ontology.load(), [data_folder() / name for name in LEXICONS])
