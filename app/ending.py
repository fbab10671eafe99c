"""A server that is told to end cleans up first.

Folders of visitors' files are removed when the interpreter ends, which the signal of a service
manager, SIGTERM, would not let it do.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from functools import cache
from typing import Any


def end_on_sigterm() -> None:
    """Turn SIGTERM into an ordinary end of this process, unless something else is done with it."""
    if threading.current_thread() is not threading.main_thread():
        return
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        _spare_workers()
        signal.signal(signal.SIGTERM, _end)


def _end(number: int, _: Any) -> None:
    # Told again, it goes on cleaning up.
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)


@cache
def _spare_workers() -> None:
    """Let forked workers end at once: within RDKit no handler of Python's would be run."""
    if hasattr(os, "register_at_fork"):
        os.register_at_fork(after_in_child=_as_usual)


def _as_usual() -> None:
    if signal.getsignal(signal.SIGTERM) in (_end, signal.SIG_IGN):
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
