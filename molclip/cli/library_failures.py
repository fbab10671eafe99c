"""Failures of a library brought into the log that counts them and writes the failures file."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from molclip.chem.failures import FailureLog
    from molclip.search.library import Library


def record_failures(
    log: FailureLog, library: Library, earlier: int, ids: Mapping[str, str] | None = None
) -> None:
    """Log what failed after the first `earlier` failures, and count the rows that did not.

    Parameters
    ----------
    log
        Counts rows and failures.
    library
        Library after the rows came in.
    earlier
        Failures that the library had before the rows in question came.
    ids
        Ids to write, by id in the library, where they differ.
    """
    from molclip.chem.molecule import ParseFailure

    for failure in islice(library.failures(), earlier, None):
        failure["id"] = (ids or {}).get(failure["id"], failure["id"])
        for _ in log.watch([ParseFailure(**failure)]):
            pass
    log.rows += len(library)
