"""Map a function over rows in worker processes that are killed when one row takes too long.

RDKit can hang inside C++ where no Python signal arrives, so only ending the process helps.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

CHUNK = 200


def guarded_map(
    function: Callable[[Any], Any],
    rows: Sequence[Any],
    *,
    workers: int = 2,
    time_limit: float = 120.0,
) -> list[Any]:
    """Results in the order of ``rows``; a row that raised or ran out of time gives its reason.

    Parameters
    ----------
    function
        Importable function of one row.
    rows
        Picklable rows.
    workers
        Processes.
    time_limit
        Seconds a single row may take before its process is killed.

    Returns
    -------
    list
        ``function(row)``, or ``str`` where that failed (so ``function`` must not return one).
    """
    context = multiprocessing.get_context("spawn")
    results: list[Any] = [None] * len(rows)
    chunks = [range(i, min(i + CHUNK, len(rows))) for i in range(0, len(rows), CHUNK)][::-1]
    crew: dict[Connection, _Worker] = {}

    def hire() -> None:
        worker = _Worker(context, function)
        crew[worker.pipe] = worker
        if chunks:
            worker.give(chunks.pop(), rows)

    for _ in range(max(1, min(workers, len(chunks)))):
        hire()
    while any(worker.todo for worker in crew.values()):
        for pipe in wait(list(crew), timeout=1.0):
            worker = crew[pipe]  # type: ignore[index]
            try:
                index, value = worker.pipe.recv()
            except EOFError:
                _dismiss(crew, worker, results, chunks, "the process died")
                hire()
                continue
            results[index] = value
            worker.advance()
            if not worker.todo and chunks:
                worker.give(chunks.pop(), rows)
        for worker in list(crew.values()):
            if worker.todo and time.monotonic() - worker.since > time_limit:
                _dismiss(crew, worker, results, chunks, f"took over {time_limit:g} s")
                hire()
    for worker in crew.values():
        worker.process.terminate()
        worker.process.join()
    return results


class _Worker:
    """A process, what it still has to do, and since when it has been at its present row."""

    def __init__(self, context: Any, function: Callable[[Any], Any]) -> None:
        self.pipe, far = context.Pipe()
        self.process = context.Process(target=_serve, args=(far, function), daemon=True)
        self.process.start()
        far.close()
        self.todo: list[int] = []
        self.since = time.monotonic()

    def give(self, chunk: range, rows: Sequence[Any]) -> None:
        self.todo = list(chunk)
        self.since = time.monotonic()
        self.pipe.send([(i, rows[i]) for i in chunk])

    def advance(self) -> None:
        self.todo.pop(0)
        self.since = time.monotonic()


def _dismiss(
    crew: dict[Connection, _Worker],
    worker: _Worker,
    results: list[Any],
    chunks: list[range],
    reason: str,
) -> None:
    """End a worker, blame its present row and hand back the rest of its chunk."""
    worker.process.kill()
    worker.process.join()
    del crew[worker.pipe]
    if worker.todo:
        blamed = worker.todo[0]
        results[blamed] = reason
        if len(worker.todo) > 1:
            chunks.append(range(blamed + 1, worker.todo[-1] + 1))


def _serve(pipe: Connection, function: Callable[[Any], Any]) -> None:
    while True:
        try:
            batch = pipe.recv()
        except EOFError:
            return
        for index, row in batch:
            try:
                value = function(row)
            except Exception as error:  # any failure of one row must leave the others alone
                value = f"{type(error).__name__}: {str(error).splitlines()[0][:200]}"
            pipe.send((index, value))
