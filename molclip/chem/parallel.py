"""Per-molecule work in worker processes: order kept, nothing lost, nothing waited for for ever.

Processes, not threads, because RDKit's log is global. A molecule that crashes its process or
takes longer than the time limit becomes a `ParseFailure` in its place; its neighbours are
answered. Where all together may take only so long, the molecules whose turn does not come become
failures too.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import sys
import time
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from molclip.chem.inputs import FINGERPRINT, Kind, input_of
from molclip.chem.molecule import Molecule, ParseFailure, is_missing
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

if TYPE_CHECKING:
    from rdkit.Chem import Mol

Result = TypeVar("Result")

TIME_LIMIT = 30.0
"""Seconds that one molecule may take."""

_CHUNK = 64
# White space (a name, an extension, a mol block) and InChI ask for the whole parser.
_NOT_PLAIN = (" ", "\t", "\n", "\r", "InChI", '"', "'")
# Up to so many short structures are worked on here: starting processes would take longer. A
# structure that RDKit never ends with is long or highly ringed, so long ones always get a process.
_FEW = 48
_SHORT = 400


def guarded_stream(
    work: Callable[[Any], Result],
    items: Iterable[Any],
    *,
    workers: int | None = None,
    time_limit: float = TIME_LIMIT,
    total_limit: float = math.inf,
) -> Iterator[Result | ParseFailure]:
    """Apply `work` to every item, in worker processes, one result per item in the same order.

    Parameters
    ----------
    work
        A picklable function of one item. What RDKit raises in it becomes a failure.
    items
        Any number of items; they are drawn as they are needed, so memory stays constant.
    workers
        Processes; one per core by default.
    time_limit
        Seconds that one item may take.
    total_limit
        Seconds that all items together may take, counted from the first that is asked for; those
        that are not done by then become failures.

    Yields
    ------
    What `work` returns, or a `ParseFailure`.
    """
    limits = _Limits(time_limit, total_limit, time.monotonic() + total_limit)
    workers = workers or available_cores()
    numbered = enumerate(items, start=1)
    head = list(islice(numbered, _FEW + 1))
    if len(head) <= _FEW and all(_is_short(item) for _, item in head):
        for one in head:
            yield from limits.too_late([one]) if limits.left <= 0 else _run_chunk(work, [one])
        return

    def all_items() -> Iterator[tuple[int, Any]]:
        yield from head
        yield from numbered

    yield from _run_pool(work, all_items(), workers, limits)


def featurize_stream(
    items: Iterable[Any],
    *,
    kind: Kind = FINGERPRINT,
    workers: int | None = None,
    time_limit: float = TIME_LIMIT,
) -> Iterator[Any]:
    """Encoder inputs of SMILES, InChI, molecules or records, row-aligned.

    Parameters
    ----------
    items, workers, time_limit
        As in `guarded_stream`.
    kind
        Of input, see `chem.inputs`: feature rows (uint8, ``(WIDTH,)``) by default.

    Yields
    ------
    An input, or a `ParseFailure`.
    """
    work = partial(_input_only, kind=kind)
    yield from guarded_stream(work, items, workers=workers, time_limit=time_limit)


def read_and_featurize(item: Any, kind: Kind = FINGERPRINT) -> tuple[Molecule, Any] | ParseFailure:
    """Parse one item as far as it is not parsed yet, and make its encoder input."""
    molecule = as_molecule(item)
    if isinstance(molecule, ParseFailure):
        return molecule
    made = input_of(molecule.mol, kind)
    if molecule is item:
        # The caller's own keeps its RDKit molecule, with the atoms in their order.
        return replace(molecule, mol=cast("Mol", None)), made
    molecule.drop_mol()
    return molecule, made


def as_molecule(item: Any, row: int = 1) -> Molecule | ParseFailure:
    """A `Molecule` from text, an RDKit molecule, a record of a reader, or as it is."""
    from molclip.chem.parse import parse_molecule

    if isinstance(item, (Molecule, ParseFailure)):
        return item
    if is_missing(item):
        item = ""
    if isinstance(item, str):
        return parse_molecule(item, row=row)
    if hasattr(item, "GetNumAtoms"):
        from rdkit import Chem

        # Read back from SMILES, so that a molecule with explicit hydrogens or without
        # sanitisation gives the same features as its text.
        with capture():
            try:
                text = Chem.MolToSmiles(item)
            except RDKIT_ERRORS as error:
                return _failure(item, row, f"does not write: {_first_line(error)}")
        return parse_molecule(text, row=row, format="smiles")
    if hasattr(item, "text") and hasattr(item, "row"):
        return parse_molecule(
            item.text,
            row=item.row,
            id=item.id,
            name=item.name,
            file=item.file,
            format=item.format,
            properties=item.properties,
        )
    return _failure(
        item,
        row,
        f"not a structure: a {type(item).__name__} was given.",
        "Give SMILES, InChI, a mol block or an RDKit molecule.",
    )


def available_cores() -> int:
    """Cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _input_only(item: Any, kind: Kind) -> Any:
    made = read_and_featurize(item, kind)
    return made if isinstance(made, ParseFailure) else made[1]


def _input_of_text(text: str, row: int, kind: Kind) -> Any:
    """Input alone: text that RDKit reads as it stands needs no canonical form or caution."""
    mol = _plain_smiles(text)
    return input_of(mol, kind) if mol is not None else _input_only(as_molecule(text, row), kind)


def _plain_smiles(text: str) -> Any:
    """RDKit molecule of a bare SMILES; None for everything that `parse_molecule` must look at."""
    from rdkit import Chem

    from molclip.chem.outline import many_rings

    if not text.isascii() or "\\\\" in text or any(mark in text for mark in _NOT_PLAIN):
        return None
    if many_rings(text):
        return None
    mol = Chem.MolFromSmiles(text)
    return mol if mol is not None and mol.GetNumAtoms() else None


class _Limits(NamedTuple):
    """Seconds for one item, for all, and when these are over."""

    one: float
    all: float
    ends: float

    @property
    def left(self) -> float:
        """Seconds for all that are not used up."""
        return self.ends - time.monotonic()

    def too_late(self, chunk: list[tuple[int, Any]]) -> list[ParseFailure]:
        """Failures of items whose turn did not come; what had failed before keeps its reason."""
        reason = f"no time left: {self.all:g} s for all structures were over before this one."
        hint = "Give fewer structures at once, or leave out those that take long."
        return [
            item if isinstance(item, ParseFailure) else _failure(item, number, reason, hint)
            for number, item in chunk
        ]


def _run_chunk(work: Callable[[Any], Any], chunk: list[tuple[int, Any]]) -> list[Any]:
    """Results of a few numbered items in this process."""
    results = []
    for number, item in chunk:
        with capture():
            try:
                results.append(_worked(work, item, number))
            except RDKIT_ERRORS as error:
                reason = f"features cannot be calculated: {_first_line(error)}"
                results.append(_failure(item, number, reason))
    return results


def _worked(work: Callable[[Any], Any], item: Any, number: int) -> Any:
    if isinstance(item, ParseFailure):
        return item
    if isinstance(work, partial) and work.func is _input_only and isinstance(item, str):
        return _input_of_text(item, number, **work.keywords)
    if isinstance(item, str) or hasattr(item, "GetNumAtoms"):
        ready = as_molecule(item, number)
        return ready if isinstance(ready, ParseFailure) else work(ready)
    made = work(item)
    # What is no text, molecule or record carries no row of its own.
    if isinstance(made, ParseFailure) and not hasattr(item, "row"):
        made = replace(made, row=number)
    return made


def _run_pool(
    work: Callable[[Any], Any], items: Iterator[tuple[int, Any]], workers: int, limits: _Limits
) -> Iterator[Any]:
    from pebble import ProcessPool

    with _quiet_fork():
        pool = ProcessPool(workers, initializer=_start_worker, context=_context())
        waiting: deque[tuple[list[tuple[int, Any]], Any]] = deque()
        try:
            for chunk in iter(lambda: list(islice(items, _CHUNK)), []):
                waiting.append((chunk, _schedule(pool, work, chunk, limits)))
                # A few chunks ahead keep every worker busy; more would only fill memory.
                if len(waiting) > 3 * workers:
                    yield from _collect(pool, work, *waiting.popleft(), limits)
            while waiting:
                yield from _collect(pool, work, *waiting.popleft(), limits)
        finally:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()


def _schedule(
    pool: Any, work: Callable[[Any], Any], chunk: list[tuple[int, Any]], limits: _Limits
) -> Any:
    """Future of the results of a chunk; None where its turn does not come."""
    if limits.left <= 0:
        return None
    return pool.schedule(_run_chunk, args=[work, chunk], timeout=limits.one)


def _collect(
    pool: Any,
    work: Callable[[Any], Any],
    chunk: list[tuple[int, Any]],
    future: Any,
    limits: _Limits,
) -> list[Any]:
    """Results of a chunk; if it died or ran out of time, of its items one by one."""
    from pebble import ProcessExpired

    if future is None:
        return limits.too_late(chunk)
    try:
        left = None if limits.left == math.inf else max(limits.left, 0.0)
        return list(future.result(timeout=left))
    except (TimeoutError, ProcessExpired) as error:
        if limits.left <= 0:
            return limits.too_late(chunk)
        if len(chunk) == 1:
            number, item = chunk[0]
            if isinstance(error, TimeoutError):
                reason = f"takes too long: over {limits.one:g} s."
            else:
                reason = "crashes RDKit: its process ended."
            return [_failure(item, number, reason, "Leave this structure out.")]
    # All at once, so that several that take long do so side by side.
    again = [(one, _schedule(pool, work, [one], limits)) for one in chunk]
    return [made for one, future in again for made in _collect(pool, work, [one], future, limits)]


def _start_worker() -> None:
    import signal
    import threading

    from molclip.chem import rdkit_log

    # The fork may have caught the lock of the parent's log in another thread's hands.
    rdkit_log._lock = threading.Lock()
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _context() -> Any:
    # Fork where it is safe: a spawned worker would run a user's script again unless that has a
    # main guard. Workers touch RDKit and numpy only, no thread pool of the parent.
    return multiprocessing.get_context("fork" if sys.platform == "linux" else "spawn")


class _quiet_fork(warnings.catch_warnings):  # noqa: N801 (a context manager reads as a verb)
    """Hides the warnings of Python and Lance about forking; see `_context` for why it is safe."""

    def __enter__(self) -> Any:
        entered = super().__enter__()
        warnings.filterwarnings("ignore", message=r".*fork.*")
        return entered


def _is_short(item: Any) -> bool:
    from molclip.chem.outline import many_rings_in

    text = getattr(item, "smiles", None) or getattr(item, "text", None) or item
    if isinstance(text, str):
        short = len(text) <= (50 * _SHORT if "\n" in text else _SHORT)
        return short and not many_rings_in(text.strip(" "))
    return not hasattr(text, "GetNumAtoms") or text.GetNumAtoms() <= 150


def _failure(item: Any, number: int, reason: str, hint: str = "") -> ParseFailure:
    text = getattr(item, "input", None) or getattr(item, "text", None) or item
    return ParseFailure(
        file=getattr(item, "file", None),
        row=getattr(item, "row", number),
        id=getattr(item, "id", None),
        input=text if isinstance(text, str) else repr(text),
        reason=reason,
        hint=hint,
        name=getattr(item, "name", None),
        properties=dict(getattr(item, "properties", {}) or {}),
    )


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0] if lines else type(error).__name__
