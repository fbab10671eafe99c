"""One writer at a time: a lock that the operating system drops when its process dies."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from molclip.errors import LibraryError


def _try_lock(handle: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


@contextmanager
def exclusive(path: Path, wait: float = 0.0) -> Iterator[None]:
    """Hold the lock file `path` while the block runs.

    Parameters
    ----------
    path
        Created if needed, and left behind: removing it would let two processes lock two files.
    wait
        Seconds to wait for another holder.

    Raises
    ------
    LibraryError
        When another process still holds it.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + wait
    with path.open("a+b") as file:
        while not _try_lock(file.fileno()):
            if time.monotonic() >= deadline:
                raise LibraryError(
                    f"Another process is writing to {path.parent}.",
                    "Wait until it has finished, then try again.",
                )
            time.sleep(0.05)
        yield  # closing the file releases the lock
