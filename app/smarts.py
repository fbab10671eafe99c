"""A SMARTS is tried out before the whole library is compared with it.

Matching a pattern may take a time that grows exponentially with its length, and RDKit cannot be
stopped. So it is first matched with some molecules in a process of its own, which can.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from molclip.chem.parallel import _context, _quiet_fork
from molclip.errors import InputError
from molclip.search.substructure import parse_smarts, quick_mol

if TYPE_CHECKING:
    from molclip.search.library import Library

SECONDS = 3
"""Of a processor; on a busy machine more may pass on the wall."""
LONGEST = 60.0
"""Seconds on the wall."""
DRAWN, TRIED = 600, 150
"""Rows drawn from the library, and how many of them, the largest, are tried."""
REMEMBERED = 256
"""Quick patterns of one library."""


@dataclass
class _Known:
    """What is known of one library."""

    tried: tuple[str, ...]
    """SMILES that patterns are tried with."""
    quick: dict[str, None] = field(default_factory=dict)
    """Patterns found to be quick, the oldest first."""


# Visitors' libraries come and go; what is known of one goes with it.
_libraries: WeakKeyDictionary[Library, _Known] = WeakKeyDictionary()
_lock = threading.Lock()


def check_smarts(smarts: str, library: Library) -> None:
    """Refuse a SMARTS that takes too long; what was found to be quick is remembered.

    Raises
    ------
    InputError
        When it cannot be read, or is too slow.
    """
    parse_smarts(smarts)
    known = _known(library)
    if smarts in known.quick:
        return
    if not _in_time(smarts, known.tried, SECONDS):
        raise InputError(
            f"The SMARTS takes longer than {SECONDS} s to compare with {len(known.tried)} "
            "molecules.",
            "Make it shorter, or say more about its atoms and bonds.",
        )
    with _lock:
        if len(known.quick) >= REMEMBERED:
            del known.quick[next(iter(known.quick))]
        known.quick[smarts] = None


def _known(library: Library) -> _Known:
    with _lock:
        known = _libraries.get(library)
        if known is None:
            known = _libraries[library] = _Known(_largest(library))
    return known


def _largest(library: Library) -> tuple[str, ...]:
    index: Any = library._index
    alive = np.flatnonzero(index.alive)
    places = np.unique(np.linspace(0, max(0, len(alive) - 1), DRAWN).astype(int))
    rows = alive[places] if len(alive) else []
    smiles = sorted((str(index.rows.value(int(row), "smiles")) for row in rows), key=len)
    return tuple(smiles[-TRIED:])


def _in_time(smarts: str, structures: tuple[str, ...], seconds: int) -> bool:
    from pebble import ProcessExpired, ProcessPool

    with _quiet_fork():
        pool = ProcessPool(1, context=_context())
        try:
            work = pool.schedule(_match, args=[smarts, structures, seconds], timeout=LONGEST)
            work.result()
        except (TimeoutError, ProcessExpired):
            return False
        finally:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()
    return True


def _match(smarts: str, structures: tuple[str, ...], seconds: int) -> int:
    try:
        import resource
    except ImportError:  # Windows: the wall clock alone
        pass
    else:
        # The system ends the process there.
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))
    query = parse_smarts(smarts)
    mols = (quick_mol(smiles) for smiles in structures)
    return sum(mol is not None and mol.HasSubstructMatch(query) for mol in mols)
