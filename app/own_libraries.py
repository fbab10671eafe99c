"""Libraries of visitors: each in a private folder, found by a secret only, and deleted after.

A browser tab keeps the secret of its library. A library and the files made from it are deleted when
its visitor removes it, two minutes after its tab was closed (a reloaded page has claimed it again by
then), or after an hour without use.
"""

from __future__ import annotations

import atexit
import os
import secrets
import shutil
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError

from .downloads import remove_download
from .limits import OWN_LIBRARIES

if TYPE_CHECKING:
    from .histograms import Histogram
    from .service import Service

IDLE_SECONDS = 3600.0
CLOSED_SECONDS = 120.0
_LOOK_SECONDS = 20.0


@dataclass
class OwnLibrary:
    """One visitor's library."""

    name: str
    """Of the file, without its path."""
    folder: Path
    """Private; deleted with the library."""
    service: Service
    """Answers from this library."""
    rows: int
    """Rows of the file, bad ones included."""
    failures: list[dict[str, Any]]
    """Bad rows: `row`, `id`, `name`, `input`, `reason`, `hint`."""
    remarks: list[str]
    """What became of columns and repeated ids, as sentences."""
    histograms: list[Histogram]
    """Of its columns of numbers, which may be filtered by."""
    seconds: float
    """What embedding took."""
    session: str = ""
    """Browser tab that used it last, as Gradio names it."""
    used: float = 0.0
    closed: float | None = None
    """When that tab was closed; None while it is open."""
    downloads: list[str] = field(default_factory=list)
    """Files made from it, deleted with it."""
    removed: bool = False


class OwnLibraries:
    """All visitors' libraries of one page.

    Parameters
    ----------
    clock
        Seconds that only grow.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._held: dict[str, OwnLibrary] = {}
        self._reserved = 0
        self._watch: threading.Thread | None = None
        self._root: Path | None = None

    def __len__(self) -> int:
        return len(self._held)

    def new_folder(self) -> Path:
        """A private folder for a library that is about to be made.

        Outside of where Gradio keeps files, for it serves those to whoever knows their path.

        Raises
        ------
        InputError
            When as many libraries are kept as the page keeps at once.
        """
        self.sweep()
        with self._lock:
            if len(self._held) + self._reserved >= OWN_LIBRARIES:
                raise InputError(
                    f"{OWN_LIBRARIES} visitors have a library here at the moment, which is as many "
                    "as this page keeps.",
                    "Try again in some minutes, or run `molclip library build` on your own machine.",
                )
            if self._root is None or not self._root.is_dir():
                self._root = Path(tempfile.mkdtemp(prefix="molclip-libraries-"))
                atexit.register(_remove, self._root, os.getpid())
            self._reserved += 1
        return Path(tempfile.mkdtemp(dir=self._root))

    def drop_folder(self, folder: Path) -> None:
        """Give a folder of `new_folder` back that became no library."""
        with self._lock:
            self._reserved -= 1
        shutil.rmtree(folder, ignore_errors=True)

    def keep(self, library: OwnLibrary, session: str) -> str:
        """Keep a library made in a folder of `new_folder`; return its secret."""
        secret = secrets.token_urlsafe(24)
        library.session, library.used = session, self._clock()
        with self._lock:
            self._reserved -= 1
            self._held[secret] = library
            if self._watch is None or not self._watch.is_alive():
                self._watch = threading.Thread(target=self._sweep_on, name="libraries", daemon=True)
                self._watch.start()
        return secret

    def get(self, secret: str, session: str) -> OwnLibrary | None:
        """The library of a secret, used now by this tab; None where there is none any more."""
        with self._lock:
            library = self._held.get(secret)
            if library is not None:
                library.session, library.used, library.closed = session, self._clock(), None
        return library

    def remove(self, secret: str) -> bool:
        """Delete a library; says whether there was one."""
        with self._lock:
            library = self._held.pop(secret, None)
            if library is not None:
                library.removed = True
        if library is not None:
            shutil.rmtree(library.folder, ignore_errors=True)
            for path in library.downloads:
                remove_download(path)
        return library is not None

    def attach(self, library: OwnLibrary, path: str) -> bool:
        """Note a file that was made from a library, to be deleted with it.

        Says whether the library is there still; where it was removed meanwhile, so is the file.
        """
        with self._lock:
            if not library.removed:
                library.downloads.append(path)
        if library.removed:
            remove_download(path)
        return not library.removed

    def close(self, session: str) -> None:
        """Note that a tab was closed or reloaded."""
        with self._lock:
            for library in self._held.values():
                if library.session == session:
                    library.closed = self._clock()

    def sweep(self) -> None:
        """Delete what is old, or whose tab is closed."""
        now = self._clock()
        with self._lock:
            old = [
                secret
                for secret, library in self._held.items()
                if now - library.used >= IDLE_SECONDS
                or (library.closed is not None and now - library.closed >= CLOSED_SECONDS)
            ]
        for secret in old:
            self.remove(secret)

    def _sweep_on(self) -> None:
        while True:
            time.sleep(_LOOK_SECONDS)
            self.sweep()
            with self._lock:
                if not self._held:
                    self._watch = None
                    return


def _remove(folder: Path, owner: int) -> None:
    # Worker processes are forks and run the same exit handlers.
    if os.getpid() == owner:
        shutil.rmtree(folder, ignore_errors=True)
