"""Rows of a library as a file for the next tool."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from molclip.errors import InputError
from molclip.search.index import Index

FORMATS = ("csv", "tsv", "jsonl", "sdf", "parquet")
_BATCH = 4096


def export(
    index: Index,
    path: Path,
    *,
    format: str | None = None,
    where: str | None = None,
    columns: list[str] | None = None,
) -> int:
    """Write rows in library order; see `Library.export`."""
    kind = (format or path.suffix.lstrip(".")).lower()
    if kind not in FORMATS:
        raise InputError(
            f"A library cannot be written as {kind or path.name!r}.",
            f"Use one of {', '.join(FORMATS)}.",
        )
    wanted = list(columns) if columns is not None else index.columns
    unknown = [name for name in wanted if name not in index.columns]
    if unknown:
        raise InputError(
            f"The library has no column {unknown[0]!r}.", f"Columns: {', '.join(index.columns)}."
        )
    mask = index.alive if where is None else index.alive & index.where(where)
    rows = np.flatnonzero(mask).tolist()
    if kind == "parquet":
        return _write_parquet(index, path, rows, wanted)
    from molclip.chem import writers

    records = (index.record(row) for row in rows)
    with writers.open_for_writing(path) as stream:
        if kind == "jsonl":
            return writers.write_jsonl(records, stream, wanted)
        if kind == "sdf":
            return writers.write_sdf(records, stream, wanted)
        return writers.write_csv(records, stream, wanted, delimiter="," if kind == "csv" else "\t")


def _write_parquet(index: Index, path: Path, rows: list[int], columns: list[str]) -> int:
    import pyarrow as pa
    import pyarrow.parquet as pq

    from molclip.search.columns import arrow_type

    kinds = index.manifest.columns
    schema = pa.schema([(name, arrow_type(kinds[name])) for name in columns])

    def batches() -> Iterator[Any]:
        for start in range(0, len(rows), _BATCH):
            records = [index.record(row) for row in rows[start : start + _BATCH]]
            yield pa.RecordBatch.from_pylist(
                [{name: record[name] for name in columns} for record in records], schema=schema
            )

    try:
        with pq.ParquetWriter(path, schema) as writer:
            for batch in batches():
                writer.write_batch(batch)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error}.", "Check the folder.") from error
    return len(rows)
