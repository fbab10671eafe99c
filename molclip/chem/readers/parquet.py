"""Parquet files, read by small batches."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from molclip.chem.readers.record import Records, Wanted
from molclip.chem.readers.source import Source
from molclip.chem.readers.table import Row, as_text, table_records, titles_of
from molclip.errors import InputError

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

_BATCH_ROWS = 1024


def read_parquet(source: Source, wanted: Wanted) -> Records:
    """Read a Parquet file; all columns but structure, id and name become properties.

    Raises
    ------
    InputError
        When the file is no Parquet file, no column holds structures, or one that was named is
        missing.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        # Without pre-buffering only the pages of the current batch are held, not a row group.
        file = pq.ParquetFile(source.seekable(), pre_buffer=False)
    except (pa.ArrowException, OSError) as error:
        raise InputError(
            f"{source.shown} is not a readable Parquet file: {' '.join(str(error).split())}.",
            "Write it again, or give another format.",
        ) from None
    if file.metadata.num_rows == 0:
        raise InputError(f"{source.shown} has no rows.", "Give a file with at least one row.")
    return table_records(
        _rows(file),
        format="parquet",
        file=source.name,
        shown=source.shown,
        wanted=wanted,
    )


def _rows(file: "ParquetFile") -> Iterator[Row]:
    import pyarrow as pa

    titles = titles_of(file.schema_arrow.names)
    try:
        for batch in file.iter_batches(_BATCH_ROWS, use_threads=False):
            columns = [[as_text(value) for value in column.to_pylist()] for column in batch.columns]
            for cells in zip(*columns, strict=True):
                yield Row(dict(zip(titles, cells, strict=True)))
    except (pa.ArrowException, OSError) as error:
        problem = (
            f"the Parquet file is damaged from here on: {' '.join(str(error).split())}.",
            "Copy or write the file again.",
        )
        yield Row({}, problem=problem)
