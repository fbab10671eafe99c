"""The embedded library's facts: one row per molecule, read without `datasets` or RDKit."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

LIBRARY_FILE = "library.parquet"


@dataclass(frozen=True)
class Fact:
    """What the source says about one molecule.

    Parameters
    ----------
    chebi_id, name, smiles, inchikey
        Identity; ``smiles`` is RDKit's canonical isomeric form.
    curated
        Whether ChEBI's curators checked the entry (three stars).
    classes, roles
        Ids of direct ``is_a`` parents and of roles.
    relations
        Pairs of relation type and target id.
    synonyms
        Other names.
    merged_ids
        Other ChEBI entries that have the same SMILES.
    structure_source
        ``pubchem``, ``repaired`` or ``inchi``; see the data card.
    """

    chebi_id: str
    name: str
    smiles: str
    inchikey: str
    curated: bool
    classes: tuple[str, ...]
    roles: tuple[str, ...]
    relations: tuple[tuple[str, str], ...]
    synonyms: tuple[str, ...]
    merged_ids: tuple[str, ...]
    structure_source: str


class Facts(Sequence[Fact]):
    """The library's rows in file order, as an Arrow table with a few look-ups.

    Parameters
    ----------
    table
        Arrow table with the columns of `Fact`.
    """

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice):
            return [_fact(row) for row in self.table[index].to_pylist()]
        size = len(self)
        if not -size <= index < size:
            raise IndexError(f"row {index} of {size}")
        return _fact(self.table.slice(index % size, 1).to_pylist()[0])

    def __iter__(self) -> Iterator[Fact]:
        for batch in self.table.to_batches(max_chunksize=4096):
            for row in batch.to_pylist():
                yield _fact(row)

    def column(self, name: str) -> list[Any]:
        """One column as a list of Python values, N long."""
        return list(self.table.column(name).to_pylist())

    @cached_property
    def row_of_id(self) -> dict[str, int]:
        """0-based row of every ChEBI id, those of merged entries included."""
        rows: dict[str, int] = {}
        for row, others in enumerate(self.column("merged_ids")):
            for id_ in others:
                rows[id_] = row
        rows.update((id_, row) for row, id_ in enumerate(self.column("chebi_id")))
        return rows

    @cached_property
    def rows_of_inchikey(self) -> dict[str, tuple[int, ...]]:
        """0-based rows of every InChIKey; a zwitterion shares the key of its neutral form."""
        rows: dict[str, list[int]] = {}
        for row, key in enumerate(self.column("inchikey")):
            rows.setdefault(key, []).append(row)
        return {key: tuple(found) for key, found in rows.items()}


@lru_cache(maxsize=1)
def _shipped() -> Facts:
    with as_file(files("molclip.data") / LIBRARY_FILE) as path:
        return _read(path)


def load_facts(path: str | PathLike[str] | None = None) -> Facts:
    """The embedded library's facts (read once), or those of another Parquet file.

    Raises
    ------
    molclip.errors.InputError
        When the file is missing, damaged, or lacks a column.
    """
    return _shipped() if path is None else _read(Path(path))


def _read(path: Path) -> Facts:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # ParquetFile, because read_table imports pandas, half a second.
        with pq.ParquetFile(path) as file:
            table = file.read(columns=list(Fact.__dataclass_fields__))
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            f"Cannot read the library's facts {path}: {str(error).splitlines()[0]}.",
            "Reinstall molclip, or build the table again.",
        ) from error
    missing = [name for name in Fact.__dataclass_fields__ if name not in table.column_names]
    if missing:
        raise InputError(f"{path} lacks the column {missing[0]!r}.", "Build the table again.")
    return Facts(table)


def _fact(row: dict[str, Any]) -> Fact:
    return Fact(
        chebi_id=row["chebi_id"],
        name=row["name"],
        smiles=row["smiles"],
        inchikey=row["inchikey"],
        curated=row["curated"],
        classes=tuple(row["classes"]),
        roles=tuple(row["roles"]),
        relations=tuple((r["type"], r["target"]) for r in row["relations"]),
        synonyms=tuple(row["synonyms"]),
        merged_ids=tuple(row["merged_ids"]),
        structure_source=row["structure_source"],
    )
