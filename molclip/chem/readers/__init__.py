"""Files to rows: one module per family of formats, one stream of records."""

from collections.abc import Iterator

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.chem.readers.formats import FORMATS, SUFFIXES, format_of
from molclip.chem.readers.record import Record, Records, Wanted
from molclip.chem.readers.source import PathOrFile, Source
from molclip.chem.standardize import check_profile, standardize

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "PathOrFile",
    "Record",
    "Records",
    "read_molecules",
    "read_records",
]


def read_records(
    path: PathOrFile,
    *,
    structure: str | None = None,
    id: str | None = None,
    name: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
) -> Records:
    r"""Open a file of molecules and yield its rows unparsed, each in its place.

    Reading streams: memory does not grow with the file. A row that cannot be told apart from its
    neighbours (broken JSON, an open quotation mark, the end of a damaged gzip file) comes as a
    `ParseFailure`.

    Parameters
    ----------
    path
        A path, "-" for standard input, or an open file. Gzip is recognised by its content.
    structure, id, name
        Titles of the columns (data fields in an SD file). Without them columns are found by title
        and content; `Records.columns` says which.
    format
        One of `FORMATS`; by default the extension decides, and the first bytes where there is no
        path.
    encoding
        Of text files; by default UTF-8 or what a byte-order mark says, and Latin-1 for lines that
        are not valid UTF-8.

    Raises
    ------
    InputError
        At once, for a file that is missing, empty, a folder, of unknown format, or without the
        column asked for.

    Examples
    --------
    >>> import io
    >>> [record.text for record in read_records(io.StringIO("CCO ethanol\nC methane\n"))]
    ['CCO ethanol', 'C methane']
    """
    source = Source(path)
    try:
        records = _open(source, format_of(source, format), Wanted(structure, id, name), encoding)
    except BaseException:
        source.close()
        raise
    records.rows = _closing(records.rows, source)
    return records


def read_molecules(
    path: PathOrFile,
    *,
    structure: str | None = None,
    id: str | None = None,
    name: str | None = None,
    format: str | None = None,
    encoding: str | None = None,
    standardise: str = "none",
) -> Iterator[Molecule | ParseFailure]:
    """Open a file of molecules and yield one `Molecule` or `ParseFailure` for each row, in order.

    Parameters
    ----------
    path, structure, id, name, format, encoding
        As in `read_records`.
    standardise
        A profile of `molclip.chem.standardize.PROFILES`.

    Raises
    ------
    InputError
        At once, as in `read_records`, and for an unknown profile.
    """
    check_profile(standardise)
    records = read_records(
        path, structure=structure, id=id, name=name, format=format, encoding=encoding
    )
    return (
        item if isinstance(item, ParseFailure) else parse_record(item, standardise)
        for item in records
    )


def parse_record(record: Record, standardise: str = "none") -> Molecule | ParseFailure:
    """Parse one record; what the reader noticed about it comes first among the warnings."""
    parsed = parse_molecule(
        record.text,
        row=record.row,
        id=record.id,
        name=record.name,
        file=record.file,
        format=record.format,
        properties=record.properties,
    )
    if isinstance(parsed, ParseFailure):
        return parsed
    if record.warnings:
        parsed.warnings = (*record.warnings, *parsed.warnings)
    return parsed if standardise == "none" else standardize(parsed, standardise)


def _open(source: Source, format: str, wanted: Wanted, encoding: str | None) -> Records:
    # One format is read per call; the others' modules stay unloaded.
    if format == "sdf":
        from molclip.chem.readers.sdf import read_sdf

        return read_sdf(source, wanted, encoding)
    if format == "smi":
        from molclip.chem.readers.smi import read_smi

        return read_smi(source, wanted, encoding)
    if format == "jsonl":
        from molclip.chem.readers.jsonl import read_jsonl

        return read_jsonl(source, wanted, encoding)
    if format == "parquet":
        from molclip.chem.readers.parquet import read_parquet

        return read_parquet(source, wanted)
    if format == "xlsx":
        from molclip.chem.readers.excel import read_excel

        return read_excel(source, wanted)
    from molclip.chem.readers.delimited import read_delimited

    return read_delimited(source, format, wanted, encoding)


def _closing(
    rows: Iterator[Record | ParseFailure], source: Source
) -> Iterator[Record | ParseFailure]:
    try:
        yield from rows
    finally:
        source.close()
