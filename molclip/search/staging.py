"""Embedded batches on their way into a library: each is safe on disk before the next begins."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.descriptors import PROPERTY_COLUMNS
from molclip.chem.failures import kinds_of
from molclip.search.columns import (
    BASE_TYPES,
    arrow_type,
    column_name,
    convert,
    join_kinds,
    kind_of,
)
from molclip.search.manifest import replace_json
from molclip.search.rows import FACTS, PATTERN, map_table, write_table
from molclip.search.substructure import PATTERN_BITS

if TYPE_CHECKING:
    import pyarrow as pa

    from molclip.chem.molecule import ParseFailure
    from molclip.search.describe import Described

STATE_FILE = "state.json"
FAILURES_FILE = "failures.jsonl"
REPLACED_FILE = "replaced.jsonl"

_EXTRA = "_extra"


@dataclass
class State:
    """How far the work has come; written after every batch."""

    fingerprint: dict[str, Any]
    """What the work depends on; another one starts anew."""
    rows_read: int = 0
    batches: list[int] = field(default_factory=list)
    """Rows in each batch."""
    failed: int = 0
    failures_bytes: int = 0
    """Length of the failures file at the last batch; what follows was not committed."""
    ids_given: int = 0
    kinds: dict[str, str] = field(default_factory=dict)
    """Types of the user's columns so far."""
    renamed: dict[str, str] = field(default_factory=dict)
    remarks: dict[str, int] = field(default_factory=dict)
    """How many embedded rows carry each kind of warning."""
    done: bool = False
    """Whether the source was read to its end."""


class Staging:
    """A folder of finished batches.

    Parameters
    ----------
    folder
        Made if needed.
    fingerprint
        What the work depends on. Batches made under the same one are kept.
    ids_given
        Ids made up so far in the library, for rows of iterables.
    keep_failures
        Whether failures are written to a file, or only counted.
    """

    def __init__(
        self,
        folder: Path,
        fingerprint: dict[str, Any],
        *,
        ids_given: int = 0,
        keep_failures: bool = True,
    ) -> None:
        self.folder = folder
        self._keep_failures = keep_failures
        folder.mkdir(parents=True, exist_ok=True)
        self.state = State(fingerprint, ids_given=ids_given)
        stored = self._stored()
        if stored is not None and stored.fingerprint == fingerprint:
            self.state = stored
        else:
            for path in folder.glob("batch-*"):
                path.unlink()
        failures = folder / FAILURES_FILE
        failures.touch()
        os.truncate(failures, self.state.failures_bytes)

    def _stored(self) -> State | None:
        try:
            return State(**json.loads((self.folder / STATE_FILE).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            return None

    @property
    def rows(self) -> int:
        """Embedded rows so far, repeated ids included."""
        return sum(self.state.batches)

    def commit(
        self,
        rows: list[Described],
        vectors: npt.NDArray[np.float32],
        failures: list[ParseFailure],
        rows_read: int,
    ) -> None:
        """Put one batch on disk.

        Parameters
        ----------
        rows
            Described rows, in order.
        vectors
            Their vectors, `(len(rows), D)`.
        failures
            Rows of the batch that have none.
        rows_read
            Rows of the source up to the end of the batch.
        """
        state = self.state
        number = len(state.batches)
        columns: dict[str, list[Any]] = {name: [] for name in self._schema().names}
        for row in rows:
            columns["row"].append(row.row)
            columns["id"].append(row.id if row.id is not None else self._made_up(row))
            columns["given"].append(row.id is None)
            columns["name"].append(row.name)
            columns["smiles"].append(row.smiles)
            columns["inchikey"].append(row.inchikey)
            columns[PATTERN].append(row.pattern)
            for name in PROPERTY_COLUMNS:
                columns[name].append(row.properties.get(name))
            columns[_EXTRA].append(json.dumps(self._extra(row.extra), ensure_ascii=False))
            for kind in kinds_of(row.warnings):
                state.remarks[kind] = state.remarks.get(kind, 0) + 1
        import pyarrow as pa

        schema = self._schema()
        batch = pa.RecordBatch.from_pydict(columns, schema=schema)
        write_table(self._path(number, "arrow"), schema, [batch])
        np.save(self._path(number, "npy"), vectors.astype(np.float16))
        with (self.folder / FAILURES_FILE).open("a", encoding="utf-8") as file:
            for failure in failures if self._keep_failures else ():
                file.write(json.dumps(failure.to_dict(), ensure_ascii=False) + "\n")
        state.failures_bytes = (self.folder / FAILURES_FILE).stat().st_size
        state.failed += len(failures)
        state.rows_read = rows_read
        state.batches.append(len(rows))
        replace_json(self.folder / STATE_FILE, asdict(state))

    def finish_reading(self) -> None:
        """Note that the source was read to its end."""
        self.state.done = True
        replace_json(self.folder / STATE_FILE, asdict(self.state))

    def _made_up(self, row: Described) -> str:
        if row.file:
            return f"{Path(row.file).name}:{row.row}"
        self.state.ids_given += 1
        return f"molecule:{self.state.ids_given}"

    def _extra(self, extra: dict[str, Any]) -> dict[str, Any]:
        kept = {}
        for key, value in extra.items():
            name = FACTS if key == FACTS else column_name(key)
            if key not in (name, FACTS):
                self.state.renamed[key] = name
            known = self.state.kinds.get(name, "null")
            self.state.kinds[name] = join_kinds(known, kind_of(value))
            kept[name] = value
        return kept

    def _path(self, number: int, suffix: str) -> Path:
        return self.folder / f"batch-{number:06d}.{suffix}"

    def _schema(self) -> pa.Schema:
        import pyarrow as pa

        base = [(name, arrow_type(kind)) for name, kind in BASE_TYPES.items()]
        return pa.schema(
            [
                ("row", pa.int64()),
                ("given", pa.bool_()),
                *base,
                (PATTERN, pa.binary(PATTERN_BITS // 8)),
                (_EXTRA, pa.string()),
            ]
        )

    # Reading back ------------------------------------------------------------------------------

    def survivors(self) -> tuple[list[npt.NDArray[np.int64]], list[dict[str, Any]]]:
        """Places of the rows to keep in each batch, and the rows a later one replaced.

        Of rows with the same id the last one stays.
        """
        last: dict[str, tuple[int, int]] = {}
        places: list[set[int]] = [set() for _ in self.state.batches]
        replaced = []
        for number in range(len(self.state.batches)):
            table = map_table(self._path(number, "arrow")).select(["row", "id", "smiles"])
            for place, entry in enumerate(table.to_pylist()):
                before = last.get(entry["id"])
                if before is not None:
                    places[before[0]].discard(before[1])
                    replaced.append({"id": entry["id"], "replaced_by_row": entry["row"]})
                last[entry["id"]] = (number, place)
                places[number].add(place)
        return [np.array(sorted(kept), dtype=np.int64) for kept in places], replaced

    def given(self) -> int:
        """Number of rows that had no id."""
        tables = (map_table(self._path(n, "arrow")) for n in range(len(self.state.batches)))
        return sum(sum(table.column("given").to_pylist()) for table in tables)

    def batches(
        self, survivors: list[npt.NDArray[np.int64]], kinds: dict[str, str]
    ) -> Iterator[pa.RecordBatch]:
        """Batches with the user's columns in their final types.

        Parameters
        ----------
        survivors
            Result of `survivors`.
        kinds
            Types of the user's columns.
        """
        import pyarrow as pa

        for number, kept in enumerate(survivors):
            if not len(kept):
                continue
            table = map_table(self._path(number, "arrow")).take(pa.array(kept))
            extra = [json.loads(text) for text in table.column(_EXTRA).to_pylist()]
            table = table.drop_columns(["row", "given", _EXTRA])
            for name, kind in kinds.items():
                values = [convert(row.get(name), kind) for row in extra]
                table = table.append_column(name, pa.array(values, arrow_type(kind)))
            yield from table.combine_chunks().to_batches()

    def vectors(self, survivors: list[npt.NDArray[np.int64]]) -> Iterable[npt.NDArray[np.float32]]:
        """Vectors of the rows that stay, batch by batch."""
        for number, kept in enumerate(survivors):
            if len(kept):
                yield np.load(self._path(number, "npy"))[kept].astype(np.float32)
