"""Parquet files, read by small batches."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from molclip.chem.readers.record import Records, Wanted
from molclip.chem.readers.source import Source
from molclip.chem.readers.table import Row, as_text, table_records, titles_of
from molclip.errors import InputError

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetFile

# A small file may hold a long text once and name it in every row, so few rows are unpacked at once.
_BATCH_ROWS = 64
_BY_NUMBER = frozenset(("PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"))


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
        stream = source.seekable()
        shared = _shared(pq.read_metadata(stream))
        stream.seek(0)
        # Without pre-buffering only the pages of the current batch are held, not a row group.
        file = pq.ParquetFile(stream, pre_buffer=False, read_dictionary=shared)
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


def _shared(metadata: Any) -> list[str]:
    """Columns whose repeated texts are stored once, and can be held once."""
    chunks = [
        metadata.row_group(group).column(column)
        for group in range(metadata.num_row_groups)
        for column in range(metadata.num_columns)
    ]
    columns = [metadata.schema.column(number) for number in range(metadata.num_columns)]
    # Not those within lists and the like, for which Arrow cannot do it.
    texts = {c.path for c in columns if c.logical_type.type == "STRING" and c.path == c.name}
    # Arrow does not read the other encodings, which may follow each other in a column, this way.
    other = {chunk.path_in_schema for chunk in chunks if not _BY_NUMBER.issuperset(chunk.encodings)}
    return sorted(texts - other)


def _rows(file: "ParquetFile") -> Iterator[Row]:
    import pyarrow as pa

    titles = titles_of(file.schema_arrow.names)
    try:
        for batch in file.iter_batches(_BATCH_ROWS, use_threads=False):
            columns = [_cells(column) for column in batch.columns]
            for cells in zip(*columns, strict=True):
                yield Row(dict(zip(titles, cells, strict=True)))
    except (pa.ArrowException, OSError) as error:
        problem = (
            f"the Parquet file is damaged from here on: {' '.join(str(error).split())}.",
            "Copy or write the file again.",
        )
        yield Row({}, problem=problem)


def _cells(column: Any) -> list[str]:
    """Cells as text; those that are stored once become one object."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return [as_text(value) for value in column.to_pylist()]
    places = column.indices.to_pylist()
    texts = {
        place: "" if place is None else as_text(column.dictionary[place].as_py())
        for place in set(places)
    }
    return [texts[place] for place in places]
