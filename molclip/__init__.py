"""molclip: molecules and plain language in one space.

The names below are imported on first use, so that `import molclip` stays instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule, ParseFailure
    from molclip.chem.parse import parse_molecule
    from molclip.chem.readers import read_molecules
    from molclip.errors import MolclipError
    from molclip.models.molclip import MolCLIP
    from molclip.search.library import Library

__version__ = "0.1.0"

_HOMES = {
    "Library": "molclip.search.library",
    "MolCLIP": "molclip.models.molclip",
    "MolclipError": "molclip.errors",
    "Molecule": "molclip.chem.molecule",
    "ParseFailure": "molclip.chem.molecule",
    "parse_molecule": "molclip.chem.parse",
    "read_molecules": "molclip.chem.readers",
}

__all__ = [
    "Library",
    "MolCLIP",
    "MolclipError",
    "Molecule",
    "ParseFailure",
    "__version__",
    "parse_molecule",
    "read_molecules",
]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'molclip' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
