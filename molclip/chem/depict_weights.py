"""Drawings of molecules whose atoms carry a value.

A disc behind each atom: its area tells how large the value is, its colour the sign. Negative discs
have a dashed rim as well, so that the sign does not hang on colour vision. Like all drawings here
they can be read on light and dark grounds.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.depict import _adapted, _drawn, _mol_and_smiles, _style, depict_svg
from molclip.errors import InputError

if TYPE_CHECKING:
    from PIL import Image
    from rdkit.Chem import Mol

    from molclip.chem.molecule import Molecule

POSITIVE, NEGATIVE = "#2F80D0", "#D9622B"
"""Blue and vermilion: far apart for every kind of colour vision, 3:1 on white and on dark grey."""
OPACITY = 0.45
DASH = "3 2"

_LARGEST = 0.48  # radius of the largest disc, in bond lengths: two of them just touch
_SMALLEST = 0.03  # of the largest value: less is not drawn
_ALONE = 16.0  # radius where there is no bond
_PADDING = 0.09  # of the picture: room for the discs of outer atoms
_PIXELS = 2


@dataclass(frozen=True)
class Disc:
    """A disc behind an atom; lengths in pixels of the drawing."""

    atom: int
    x: float
    y: float
    radius: float
    value: float

    @property
    def colour(self) -> str:
        """By sign."""
        return POSITIVE if self.value > 0 else NEGATIVE


def weighted_svg(
    molecule: str | Molecule | Mol,
    values: Sequence[float] | npt.NDArray[np.float64],
    width: int = 300,
    height: int = 220,
) -> str:
    """Draw a molecule with a disc behind each atom, as an SVG.

    Parameters
    ----------
    molecule
        As in `depict_svg`.
    values
        One number per atom, in the order of the molecule; the largest has the largest disc.
    width, height
        Size in pixels; the drawing scales without loss.

    Returns
    -------
    str
        One `<svg>` element as from `depict_svg`. Each disc has a `<title>` with atom and value.

    Raises
    ------
    InputError
        When the text is no molecule, or the number of values is another than that of the atoms.
    """
    from rdkit.Chem.Draw import rdMolDraw2D

    mol, smiles = _mol_and_smiles(molecule)
    _check(mol, values)
    drawer = rdMolDraw2D.MolDraw2DSVG(width, height)
    _style(drawer)
    _make_room(drawer)
    text = _drawn(drawer, mol, [])
    if text is None:
        return depict_svg(mol, width, height)
    circles = []
    for disc in _discs(drawer, mol, values):
        rim = "" if disc.value > 0 else f" stroke='{disc.colour}' stroke-dasharray='{DASH}'"
        symbol = escape(mol.GetAtomWithIdx(disc.atom).GetSymbol())
        circles.append(
            f"<circle cx='{disc.x:.1f}' cy='{disc.y:.1f}' r='{disc.radius:.1f}' "
            f"fill='{disc.colour}' fill-opacity='{OPACITY}'{rim}>"
            f"<title>atom {disc.atom} ({symbol}): {disc.value:+.4f}</title></circle>\n"
        )
    head, mark, body = _adapted(text, smiles).partition("<!-- END OF HEADER -->\n")
    return f"{head}{mark}<g class='molclip-values'>\n{''.join(circles)}</g>\n{body}"


def weighted_image(
    molecule: str | Molecule | Mol,
    values: Sequence[float] | npt.NDArray[np.float64],
    width: int = 300,
    height: int = 220,
) -> Image.Image:
    """As `weighted_svg`, as a picture on white of twice as many pixels each way.

    Raises
    ------
    InputError
        As `weighted_svg`, and where the molecule cannot be drawn.
    """
    from PIL import Image, ImageDraw
    from rdkit.Chem.Draw import rdMolDraw2D

    mol, smiles = _mol_and_smiles(molecule)
    _check(mol, values)
    size = (width * _PIXELS, height * _PIXELS)
    drawer = rdMolDraw2D.MolDraw2DCairo(*size)
    _style(drawer, _PIXELS)
    _make_room(drawer)
    drawn = _drawn(drawer, mol, [])
    if drawn is None:
        raise InputError(f"No drawing can be made of {smiles}.", "Write JSON instead.")
    ground = Image.new("RGBA", size, "white")
    layer = Image.new("RGBA", size, (255, 255, 255, 0))
    pen = ImageDraw.Draw(layer)
    for disc in _discs(drawer, mol, values):
        box = (
            *(disc.x - disc.radius, disc.y - disc.radius),
            *(disc.x + disc.radius, disc.y + disc.radius),
        )
        pen.ellipse(box, fill=disc.colour + f"{round(255 * OPACITY):02X}")
        if disc.value < 0:
            for start in range(0, 360, 30):
                pen.arc(box, start, start + 18, fill=disc.colour, width=_PIXELS)
    ground.alpha_composite(layer)
    ground.alpha_composite(Image.open(io.BytesIO(drawn)).convert("RGBA"))
    return ground.convert("RGB")


def _make_room(drawer: Any) -> None:
    options: Any = drawer.drawOptions()
    options.padding = _PADDING


def _check(mol: Mol, values: Sequence[float] | npt.NDArray[np.float64]) -> None:
    if len(values) != mol.GetNumAtoms():
        raise InputError(
            f"{len(values)} values do not fit a molecule of {mol.GetNumAtoms()} atoms.",
            "Give one value per atom, in the order of the molecule.",
        )


def _discs(drawer: Any, mol: Mol, values: Sequence[float] | npt.NDArray[np.float64]) -> list[Disc]:
    sizes = np.abs(np.asarray(values, dtype=np.float64))
    largest = sizes.max(initial=0.0)
    if not largest:
        return []
    places = [drawer.GetDrawCoords(index) for index in range(mol.GetNumAtoms())]
    lengths = [
        (places[bond.GetBeginAtomIdx()] - places[bond.GetEndAtomIdx()]).Length()
        for bond in mol.GetBonds()
    ]
    radius = _LARGEST * float(np.median(lengths)) if lengths else _ALONE
    return [
        Disc(index, place.x, place.y, radius * float(size / largest) ** 0.5, float(values[index]))
        for index, (place, size) in enumerate(zip(places, sizes, strict=True))
        if size >= _SMALLEST * largest
    ]
