"""A file searched as it is: embedded into a library that lives as long as the command."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molclip.cli.reading import InputOptions
    from molclip.search.applicability import Applicability
    from molclip.search.library import Library
    from molclip.search.result import SearchResult

ROW = "file_row"
"""Column that holds the row number while the file is a library."""


class FileLibrary:
    """The rows of one file, each findable whatever its id; hits say their row.

    Parameters
    ----------
    library
        Library whose ids are the keys of `places`.
    ids
        Ids in the file, by id in the library; rows without an id are not among them.
    """

    def __init__(self, library: Library, ids: dict[str, str]) -> None:
        self._library = library
        self._ids = ids

    @property
    def judge(self) -> Applicability:
        """Says how like its training molecules something is to the model."""
        return self._library.judge

    def has_name(self, name: str) -> bool:
        """As `Library.has_name`."""
        return self._library.has_name(name)

    def identifier(self, text: str) -> str | None:
        """As `Library.identifier`."""
        return self._library.identifier(text)

    def similar_names(self, name: str) -> list[str]:
        """As `Library.similar_names`."""
        return self._library.similar_names(name)

    def search(self, query: str | None = None, **options: Any) -> SearchResult:
        """As `Library.search`; records begin with `rank` and `row`."""
        result = self._library.search(query, **options)
        records = []
        for record in result.records:
            first = {"rank": record.pop("rank"), "row": record.pop(ROW)}
            records.append({**first, **record, "id": self._ids.get(record["id"])})
        result.records[:] = records
        return result


def open_file(
    file: str,
    options: InputOptions,
    model: str | None,
    on_invalid: str,
    failures: Path | None,
    stack: ExitStack,
) -> FileLibrary:
    """Embed a file; what failed is counted on stderr and written to `failures`.

    Parameters
    ----------
    file
        Path, or "-" for standard input.
    options
        How it is read.
    model
        Name or folder; None is the built-in model.
    on_invalid
        `raise` stops at the first row that cannot be used.
    failures
        File for the rows that failed, or None.
    stack
        Removes the temporary files at its end.
    """
    from molclip.chem.failures import FailureLog
    from molclip.cli.console import progress, say
    from molclip.cli.library_failures import record_failures
    from molclip.cli.reading import open_records
    from molclip.search.library import Library

    log = stack.enter_context(FailureLog(failures))
    records = open_records(file, options)
    ids: dict[str, str] = {}
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="molclip-")))
    with progress() as show:
        library = Library.build(
            folder / "library",
            _with_own_ids(records, ids),
            model=model,
            standardise=options.standardise,
            # The failures are wanted for the failures file even where they are skipped.
            on_invalid="raise" if on_invalid == "raise" else "keep",
            workers=options.workers,
            progress=show,
        )
    record_failures(log, library, 0, ids)
    log.remarks.update(library.info().report.remarks)
    say(log.summary())
    return FileLibrary(library, ids)


def _with_own_ids(records: Any, ids: dict[str, str]) -> Iterator[Any]:
    """Give each row its number and an id of its own: a library keeps one row per id."""
    for record in records:
        if not hasattr(record, "text"):
            yield record  # a failure of the reader
            continue
        unique = record.id
        if unique is not None:
            if unique in ids:
                unique = f"{unique} (row {record.row})"
            ids[unique] = record.id
        yield replace(record, id=unique, properties={**record.properties, ROW: str(record.row)})
