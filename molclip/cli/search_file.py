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
    from molclip.search.library import Library
    from molclip.search.result import SearchResult


class FileLibrary:
    """The rows of one file, each findable whatever its id; hits say their row.

    Parameters
    ----------
    library
        Library whose ids are the keys of `places`.
    places
        Row number and the id in the file, by id in the library.
    """

    def __init__(self, library: Library, places: dict[str, tuple[int, str | None]]) -> None:
        self._library = library
        self._places = places

    def search(self, query: str | None = None, **options: Any) -> SearchResult:
        """As `Library.search`; records begin with `rank` and `row`."""
        result = self._library.search(query, **options)
        records = []
        for record in result.records:
            row, id_ = self._places[record["id"]]
            rest = {key: value for key, value in record.items() if key not in ("rank", "id")}
            records.append({"rank": record["rank"], "row": row, "id": id_, **rest})
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
    places: dict[str, tuple[int, str | None]] = {}
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="molclip-")))
    with progress() as show:
        library = Library.build(
            folder / "library",
            _with_own_ids(records, places),
            model=model,
            standardise=options.standardise,
            # The failures are wanted for the failures file even where they are skipped.
            on_invalid="raise" if on_invalid == "raise" else "keep",
            workers=options.workers,
            progress=show,
        )
    record_failures(log, library, 0)
    say(log.summary())
    return FileLibrary(library, places)


def _with_own_ids(records: Any, places: dict[str, tuple[int, str | None]]) -> Iterator[Any]:
    """Give each row an id of its own: a library keeps one row per id, a file may not."""
    for record in records:
        unique = record.id or f"row {record.row}"
        if unique in places:
            unique = f"{unique} (row {record.row})"
        places[unique] = (record.row, record.id)
        yield replace(record, id=unique) if hasattr(record, "text") else record
