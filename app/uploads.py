"""A visitor's file, checked before anything in it is worked on."""

from __future__ import annotations

import zipfile
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, MolclipError

from .limits import FILE_BYTES, FILE_ROWS, UNPACKED_BYTES, structure_limit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from molclip.chem.readers import Record

SUFFIXES = (".sdf", ".smi", ".smiles", ".txt", ".csv", ".tsv", ".parquet", ".xlsx")
LIMITS = f"up to {FILE_ROWS:,} rows and {FILE_BYTES // 1024**2} MB"


def read_upload(
    path: Path,
    *,
    most_rows: int = FILE_ROWS,
    most_bytes: int = FILE_BYTES,
    command: str = "molclip classify",
    structure: str | None = None,
    titled: bool = False,
) -> list[Record | ParseFailure]:
    """Rows of a file, bad ones in their place.

    Parameters
    ----------
    path
        The uploaded file.
    most_rows, most_bytes
        Limits.
    command
        What does the same on the visitor's own machine, without limits.
    structure
        Column of the structures; found by title and content where left out.
    titled
        Keep the columns that are taken for id and name among the others too, under their titles.

    Raises
    ------
    InputError
        When the file is of another kind, too large, or has too many rows. Paths of the server
        are never part of the message.
    """
    name = path.name
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{name} is of a kind this page does not read.", f"It reads {_kinds()}.")
    _check_size(path, most_bytes, command)
    from molclip.chem.readers import read_records

    try:
        records = read_records(path, structure=structure)
        rows = list(_bounded(islice(records, most_rows + 1), name))
    except MolclipError as problem:
        message = problem.message.replace(str(path), name)
        raise InputError(message, problem.hint.replace(str(path), name)) from None
    if len(rows) > most_rows:
        raise InputError(f"{name} has more than {most_rows:,} rows.", _elsewhere(command))
    if not rows:
        raise InputError(f"{name} holds no rows.", "Is it the right file?")
    roles = records.columns if titled else {}
    titles = {
        role: title
        for role in ("id", "name")
        if (title := roles.get(role)) and title.strip().lower() != role
    }
    return [_checked(_titled(row, titles)) for row in rows]


def _bounded(rows: Iterator[Record | ParseFailure], name: str) -> Iterator[Record | ParseFailure]:
    """The rows, as long as they are not too much together.

    A text that a file holds once may stand in every row, which its size does not tell.
    """
    characters = 0
    for row in rows:
        text = row.input if isinstance(row, ParseFailure) else row.text
        cells = (text, row.id, row.name, *row.properties.values())
        characters += sum(len(cell) for cell in cells if cell)
        if characters > UNPACKED_BYTES:
            raise InputError(
                f"{name} unpacks to more than {UNPACKED_BYTES // 1024**2} MB, as much as this "
                "page takes.",
                "Save only the columns that are needed.",
            )
        yield row


def _titled(row: Record | ParseFailure, titles: dict[str, str]) -> Record | ParseFailure:
    kept = {title: value for role, title in titles.items() if (value := getattr(row, role))}
    return replace(row, properties=kept | row.properties) if kept else row


def _kinds() -> str:
    return ", ".join(SUFFIXES)


def _elsewhere(command: str) -> str:
    return f"Split it, or run `{command}` on your own machine: it has no such limit."


def _check_size(path: Path, most: int, command: str) -> None:
    size = path.stat().st_size
    if size > most:
        raise InputError(
            f"{path.name} has {size / 1024**2:.1f} MB; this page takes {most // 1024**2} MB.",
            _elsewhere(command),
        )
    with path.open("rb") as file:
        start = file.read(4)
    if start.startswith(b"\x1f\x8b"):
        raise InputError(f"{path.name} is compressed with gzip.", "Unpack it first.")
    # A small compressed file may unpack to gigabytes; both kinds say beforehand how much it is.
    if start == b"PK\x03\x04":
        try:
            with zipfile.ZipFile(path) as archive:
                unpacked = sum(part.file_size for part in archive.infolist())
        except zipfile.BadZipFile:
            raise InputError(f"{path.name} is damaged.", "Save it again.") from None
        _check_unpacked(path, unpacked)
    elif start == b"PAR1":
        _check_parquet(path)


def _check_parquet(path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata: Any = pq.read_metadata(path)
    except (OSError, pa.ArrowException):
        raise InputError(f"{path.name} is damaged.", "Save it again.") from None
    groups = range(metadata.num_row_groups)
    _check_unpacked(path, sum(metadata.row_group(group).total_byte_size for group in groups))


def _check_unpacked(path: Path, size: int) -> None:
    if size > UNPACKED_BYTES:
        raise InputError(
            f"{path.name} unpacks to {size / 1024**2:,.0f} MB; this page takes "
            f"{UNPACKED_BYTES // 1024**2} MB.",
            "Save only the columns that are needed.",
        )


def _checked(row: Record | ParseFailure) -> Record | ParseFailure:
    if isinstance(row, ParseFailure):
        return row
    limit = structure_limit(row.text)
    if len(row.text) <= limit:
        return row
    return ParseFailure(
        file=None,
        row=row.row,
        id=row.id,
        input=row.text[:200],
        reason=f"too long: {len(row.text):,} characters, this page takes {limit:,}.",
        hint="Use the command line for larger molecules.",
        name=row.name,
    )
