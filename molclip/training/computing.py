"""Work on many structures, in processes that a bad one cannot stop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

from molclip.chem.molecule import ParseFailure
from molclip.chem.parallel import guarded_stream

Result = TypeVar("Result")

SHARD_ROWS = 50_000
"""Rows computed before they are put on disk: what a killed run loses, and what memory holds."""

_TELL_EVERY = 500


class _Structure(NamedTuple):
    """SMILES that is handed to the work as it stands, not as a parsed molecule."""

    text: str


def computed(
    work: Callable[[str], Result],
    smiles: Sequence[str],
    failed: Result,
    workers: int | None,
    told: Callable[[int], None],
) -> Iterator[Result]:
    """Apply `work` to every SMILES, order kept.

    Parameters
    ----------
    work
        A picklable function of one SMILES.
    smiles
        N structures.
    failed
        Stands for a structure that raises, takes too long or ends its process.
    workers
        Processes; one per core by default.
    told
        Called with the number done, now and then.
    """
    items = (_Structure(text) for text in smiles)
    made = guarded_stream(partial(_worked, work=work), items, workers=workers)
    for done, row in enumerate(made, start=1):
        if done % _TELL_EVERY == 0:
            told(done)
        yield failed if isinstance(row, ParseFailure) else row


def _worked(item: _Structure, work: Callable[[str], Result]) -> Result:
    return work(item.text)
