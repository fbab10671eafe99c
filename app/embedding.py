"""A visitor's file on its way to a library: in a thread of its own, watched, and to be cancelled."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, MolclipError

from .histograms import histograms
from .limits import OWN_BYTES, OWN_ROWS, OWN_SECONDS
from .own_libraries import OwnLibraries, OwnLibrary
from .remedies import here
from .service import Service
from .uploads import read_upload

if TYPE_CHECKING:
    from molclip.chem.readers import Record

COMMAND = "molclip library build"
_BATCH = 256
"""Molecules between two signs of progress."""


class _CancelledError(Exception):
    """Ends a build from within."""


class Embedding:
    """One file being embedded.

    Parameters
    ----------
    path
        The uploaded file.
    main
        Service of the page: its model embeds.
    libraries
        Where the result is kept.
    session
        The visitor's browser tab.
    cancelled
        Ends the work when it is set.
    structure, standardise
        As in `Library.build`.
    """

    def __init__(
        self,
        path: Path,
        main: Service,
        libraries: OwnLibraries,
        session: str,
        *,
        cancelled: threading.Event,
        structure: str | None = None,
        standardise: str = "none",
    ) -> None:
        self.name = path.name
        self.done, self.whole = 0, 0
        self.cancelled = cancelled
        self.secret: str | None = None
        """Of the finished library."""
        self._path = path
        self._main = main
        self._libraries = libraries
        self._session = session
        self._structure = structure
        self._standardise = standardise
        self._problem: Exception | None = None
        self._deadline = 0.0

    def run(self, look: float = 0.3) -> Iterator[tuple[int, int]]:
        """Work; now and then yield how many rows are done, and of how many.

        Afterwards `secret` is set, unless it was cancelled.

        Raises
        ------
        InputError
            When the file cannot be used, or takes too long.
        """
        worker = threading.Thread(target=self._work, name="embedding", daemon=True)
        worker.start()
        try:
            while worker.is_alive():
                worker.join(look)
                yield self.done, self.whole
        except GeneratorExit:
            # Whoever watched is gone.
            self.cancelled.set()
            raise
        if self._problem is not None:
            raise self._problem

    def _work(self) -> None:
        try:
            self._deadline = time.monotonic() + OWN_SECONDS
            self._go_on()
            rows = read_upload(
                self._path,
                most_rows=OWN_ROWS,
                most_bytes=OWN_BYTES,
                command=COMMAND,
                structure=self._structure,
                titled=True,
            )
            self.whole = len(rows)
            folder = self._libraries.new_folder()
            try:
                made = self._built(rows, folder)
            except BaseException:
                self._libraries.drop_folder(folder)
                raise
            self.secret = self._libraries.keep(made, self._session)
        except _CancelledError:
            pass
        except MolclipError as problem:
            # Its traceback would keep the worker processes of the build alive.
            self._problem = problem.with_traceback(None)
        except Exception as problem:  # raised again where it is waited for
            self._problem = problem

    def _built(self, rows: list[Record | ParseFailure], folder: Path) -> OwnLibrary:
        from molclip.search.library import Library

        begun = time.monotonic()
        library = Library.build(
            folder / "library",
            self._watched(rows),
            model=self._main.library.model,
            standardise=self._standardise,
            batch_size=_BATCH,
            progress=self._told,
        )
        failures = list(library.failures())
        if not len(library):
            first = failures[0]["reason"] if failures else ""
            raise InputError(
                f"None of the {len(rows):,} rows of {self.name} could be read. The first: {first}",
                "Is the right column taken for the structure? Options has a field for its title.",
            )
        kept = ("row", "id", "name", "input", "reason", "hint")
        return OwnLibrary(
            name=self.name,
            folder=folder,
            service=Service(library),
            rows=len(rows),
            failures=[
                {key: failure.get(key) for key in kept} | {"hint": here(failure.get("hint") or "")}
                for failure in failures
            ],
            remarks=_remarks(library.info().report),
            histograms=histograms(library),
            seconds=time.monotonic() - begun,
        )

    def _watched(self, rows: list[Record | ParseFailure]) -> Iterator[Any]:
        """The rows, until the work is cancelled."""
        for row in rows:
            self._go_on()
            yield row

    def _go_on(self) -> None:
        if self.cancelled.is_set():
            raise _CancelledError

    def _told(self, stage: str, done: int, _: int | None) -> None:
        self._go_on()
        if time.monotonic() > self._deadline:
            raise InputError(
                f"{self.name} took more than {OWN_SECONDS:g} s; this page gives a file no more.",
                f"Split it, or run `{COMMAND}` on your own machine: it has no such limit.",
            )
        if stage == "molecules embedded":
            self.done = done


def _remarks(report: Any) -> list[str]:
    said = list(report.warnings)
    said += [f"{count:,} × {remark}." for remark, count in report.remarks.items()]
    return [remark.replace("; see replaced.jsonl", "") for remark in said]


class Running:
    """What each browser tab has embedding, so that it can be cancelled while it works or waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flags: dict[str, threading.Event] = {}

    def begin(self, session: str) -> None:
        """A tab asks for an embedding; an older one of it ends."""
        self.cancel(session)
        with self._lock:
            self._flags[session] = threading.Event()

    def flag(self, session: str) -> threading.Event:
        """Set when the tab's embedding is to end; set already for a tab that has asked for none."""
        with self._lock:
            flag = self._flags.get(session)
        if flag is None:
            flag = threading.Event()
            flag.set()
        return flag

    def cancel(self, session: str) -> None:
        """End what a tab has embedding."""
        with self._lock:
            flag = self._flags.get(session)
        if flag is not None:
            flag.set()

    def forget(self, session: str) -> None:
        """A tab was closed."""
        self.cancel(session)
        with self._lock:
            self._flags.pop(session, None)
