"""What a reader hands on: one record per row, still unparsed."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from molclip.chem.molecule import ParseFailure

TextFormat = Literal["auto", "molblock"]


@dataclass(frozen=True)
class Record:
    """One row of a file, with its structure as text."""

    file: str | None
    row: int
    """Row in its file, counted from 1 (records, not lines; a header is not a row)."""
    id: str | None
    name: str | None
    text: str
    """The structure as written; empty where the row has none."""
    format: TextFormat = "auto"
    """What `parse_molecule` should take the text for."""
    properties: dict[str, str] = field(default_factory=dict)
    """The other columns or data fields, in file order."""
    warnings: tuple[str, ...] = ()

    def failure(self, reason: str, hint: str = "") -> ParseFailure:
        """Return a failure that stands in this record's place."""
        return ParseFailure(
            file=self.file,
            row=self.row,
            id=self.id,
            input=self.text,
            reason=reason,
            hint=hint,
            name=self.name,
            properties=self.properties,
        )


@dataclass(frozen=True)
class Wanted:
    """Columns or data fields the user named; None where they are to be found."""

    structure: str | None = None
    id: str | None = None
    name: str | None = None


@dataclass
class Records:
    """The rows of one source, in order, and what was found out about them on opening.

    Iterate it once. Reading streams: only a few rows are in memory at any time.
    """

    rows: Iterator[Record | ParseFailure]
    file: str | None
    format: str
    """smi, csv, tsv, sdf, jsonl, parquet or xlsx."""
    columns: dict[str, str | None] = field(default_factory=dict)
    """Column used for `structure`, `id` and `name`; empty where the format has no columns."""

    def __iter__(self) -> Iterator[Record | ParseFailure]:
        return self.rows

    def __next__(self) -> Record | ParseFailure:
        return next(self.rows)
