"""Drawings for the page, kept since the same molecules are found again and again."""

from __future__ import annotations

from functools import lru_cache

from molclip.chem.depict import depict_svg
from molclip.errors import MolclipError

from .markup import text

WIDTH, HEIGHT = 280, 190


@lru_cache(maxsize=4096)
def drawing(smiles: str, name: str = "") -> str:
    """An SVG of the molecule, described by its name; a sentence where none can be made."""
    try:
        svg = depict_svg(smiles, WIDTH, HEIGHT)
    except MolclipError:
        return '<p class="mc-undrawn">No drawing of this molecule</p>'
    if name:
        before, _, rest = svg.partition("aria-label='")
        _, _, after = rest.partition("'")
        svg = f"{before}aria-label='Structure of {text(name)}'{after}"
    return svg.replace("\n", " ")
