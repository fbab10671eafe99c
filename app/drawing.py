"""Drawings for the page, kept since the same molecules are found again and again."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from molclip.chem.depict import depict_svg
from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.errors import MolclipError
from molclip.search.substructure import parse_smarts

from .markup import text

WIDTH, HEIGHT = 280, 190
_UNDRAWN = '<p class="mc-undrawn">No drawing of this molecule</p>'
_MATCHES = 20
"""Places of a substructure that are marked; more would colour everything."""


@lru_cache(maxsize=4096)
def drawing(smiles: str, name: str = "", smarts: str = "") -> str:
    """An SVG of the molecule, described by its name; a sentence where none can be made.

    Atoms that match `smarts` are marked.
    """
    try:
        parsed = parse_molecule(smiles)
        if isinstance(parsed, ParseFailure):
            return _UNDRAWN
        svg = depict_svg(parsed, WIDTH, HEIGHT, matched_atoms(parsed.mol, smarts))
    except MolclipError:
        return _UNDRAWN
    if name:
        before, _, rest = svg.partition("aria-label='")
        _, _, after = rest.partition("'")
        svg = f"{before}aria-label='Structure of {text(name)}'{after}"
    return svg.replace("\n", " ")


def matched_atoms(mol: Any, smarts: str) -> tuple[int, ...]:
    """Indices of the atoms of a molecule that a SMARTS matches, ascending.

    Raises
    ------
    InputError
        When the SMARTS cannot be read.
    """
    if not smarts.strip():
        return ()
    # The same reading as the filter's, so that every hit has something to mark.
    found = mol.GetSubstructMatches(parse_smarts(smarts.strip()), maxMatches=_MATCHES)
    return tuple(sorted({atom for match in found for atom in match}))
