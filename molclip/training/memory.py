"""How much memory a piece of work takes at most."""

from __future__ import annotations

import threading
from types import TracebackType
from typing import Self

_EVERY = 0.1
"""Seconds between two looks at the resident memory."""


class PeakMemory:
    """Context manager that notes the most memory held while it is open.

    `peak` is in bytes: what torch allocated on the GPU if it was used; otherwise the resident set
    of the process, looked at ten times a second, shared data and memory-mapped files included.
    """

    def __init__(self) -> None:
        self.peak: int | None = None
        self._done = threading.Event()
        self._watcher: threading.Thread | None = None

    def __enter__(self) -> Self:
        import torch

        self._done.clear()
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        self._watcher = threading.Thread(target=self._watch, daemon=True)
        self._watcher.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        import torch

        assert self._watcher is not None
        self._done.set()
        self._watcher.join()
        if torch.cuda.is_available() and torch.cuda.max_memory_allocated():
            self.peak = torch.cuda.max_memory_allocated()

    def _watch(self) -> None:
        import psutil

        process = psutil.Process()
        while True:
            held: int = process.memory_info().rss
            self.peak = max(self.peak or 0, held)
            if self._done.wait(_EVERY):
                return
