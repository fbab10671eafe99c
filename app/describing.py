"""Words for a molecule, for the page: the labels are read once, in the background."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from molclip.describe import Describer
from molclip.describe.describing import MARGIN, TOP

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule
    from molclip.describe import Description
    from molclip.search.library import Library

    from .service import Service


class Describing:
    """Describes for all visitors of one library (`describing_of`).

    Parameters
    ----------
    library
        The library.
    """

    def __init__(self, library: Library) -> None:
        self._describer = Describer(library, self._told)
        self._lock = threading.Lock()
        self._ready = threading.Event()
        self._thread: threading.Thread | None = None
        self._problem: Exception | None = None
        self.done, self.whole = 0, 0
        """Labels read so far, and of how many; zero where nothing needs reading."""

    def start(self) -> None:
        """Begin to read the labels, if that has not begun; returns at once."""
        with self._lock:
            if self._thread is None:
                self._ready.clear()
                self._problem = None
                self._thread = threading.Thread(target=self._read, name="labels", daemon=True)
                self._thread.start()

    def ready(self, seconds: float) -> bool:
        """Whether the labels are read, waiting so long for it.

        Raises
        ------
        Exception
            What went wrong with the reading; the next call tries again.
        """
        self.start()
        if not self._ready.wait(seconds):
            return False
        if self._problem is not None:
            problem = self._problem
            with self._lock:
                self._thread = None
            raise problem
        return True

    def describe(self, molecule: Molecule, margin: float = MARGIN, top: int = TOP) -> Description:
        """Describe one molecule; waits until the labels are read."""
        while not self.ready(60.0):
            pass
        return self._describer.describe(molecule, margin=margin, top=top)

    def _read(self) -> None:
        try:
            self._describer.index  # noqa: B018 - what is wanted is that it is computed
        except Exception as problem:  # said to whoever asks next
            self._problem = problem
        finally:
            self._ready.set()

    def _told(self, _: str, done: int, whole: int | None) -> None:
        self.done, self.whole = done, whole or 0


_lock = threading.Lock()
_all: WeakKeyDictionary[Library, Describing] = WeakKeyDictionary()


def describing_of(service: Service) -> Describing:
    """The one of a service's library."""
    with _lock:
        found = _all.get(service.library)
        if found is None:
            # The describer refers to its library, which then lives as long as the process; so do
            # the libraries of pages.
            found = _all[service.library] = Describing(service.library)
        return found
