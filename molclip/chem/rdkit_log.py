"""RDKit's log, captured per call and per thread, and what RDKit raises.

RDKit writes to one log for the whole process. Its Python route calls back on the thread that
caused the message, so a thread-local list is enough to keep messages of two molecules apart.
"""

import logging
import sys
import threading

from rdkit import rdBase

RDKIT_ERRORS = (RuntimeError, ValueError, TypeError, LookupError, ArithmeticError, MemoryError)
"""What RDKit raises on odd molecules, C++ exceptions included. Not Exception: a time limit or an
interrupt that arrives inside an RDKit call must get through."""

_LEVELS = ("rdApp.debug", "rdApp.info", "rdApp.warning", "rdApp.error")
_lock = threading.Lock()
_here = threading.local()
_depth = 0
_disabled_before: tuple[str, ...] = ()


class _Divert(logging.Filter):
    """Puts a record into the list of its thread; lets it pass where no list is open."""

    def filter(self, record: logging.LogRecord) -> bool:
        sink: list[str] | None = getattr(_here, "sink", None)
        if sink is None:
            return True
        message = record.getMessage()
        if message.startswith("["):  # the time stamp, which no reader of a reason needs
            message = message.partition("] ")[2]
        sink.append(message)
        return False


_divert = _Divert()


class capture:  # noqa: N801 - used like a function
    """Collect what RDKit logs on this thread instead of printing it.

    May be nested: the inner list then gets the messages. Messages of other threads that are not
    capturing go where they went before. On leaving, the log's state (levels a user has disabled,
    printing in a notebook) is what it was, which costs a few microseconds in all.

    Entering gives the list of messages in order, without time stamp, filled while the block runs.

    Examples
    --------
    >>> from rdkit import Chem
    >>> with capture() as messages:
    ...     molecule = Chem.MolFromSmiles("c1cc1")
    >>> messages[0]
    "Can't kekulize mol.  Unkekulized atoms: 0 1 2"
    """

    # A class, because a generator behind contextlib costs more than the switch itself.
    __slots__ = ("_outer",)

    def __enter__(self) -> list[str]:
        self._outer: list[str] | None = getattr(_here, "sink", None)
        messages: list[str] = []
        _enter()
        _here.sink = messages
        return messages

    def __exit__(self, *error: object) -> None:
        _here.sink = self._outer
        _leave()


def _enter() -> None:
    global _depth, _disabled_before
    with _lock:
        _depth += 1
        if _depth == 1:
            status = rdBase.LogStatus()
            _disabled_before = tuple(name for name in _LEVELS if f"{name}:disabled" in status)
            logger = logging.getLogger("rdkit")
            if _divert not in logger.filters:
                logger.addFilter(_divert)
            rdBase.LogToPythonLogger()


def _leave() -> None:
    global _depth
    with _lock:
        _depth -= 1
        if _depth == 0:
            if "rdkit.Chem.Draw.IPythonConsole" in sys.modules:
                rdBase.LogToPythonStderr()
            else:
                rdBase.LogToCppStreams()
            for name in _disabled_before:
                rdBase.DisableLog(name)
