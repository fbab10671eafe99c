"""Drawings of molecules.

SVGs have no background and are readable on light and dark pages alike. Every colour is of medium
lightness: its contrast is at least 3:1 (the WCAG threshold for graphics) on white as well as on
the dark grey of common dark themes. Carbon is drawn in `currentColor`, whose value a page can set
on the class `molclip-depiction`; without that it is a medium grey too.
"""

import hashlib
import random
import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, cast

from rdkit import Chem

from molclip.chem.layout import lay_out
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

CLASS = "molclip-depiction"
_CARBON = "#787B80"
_COLOURS = {
    -1: "#8A6FB0",  # every element that has no colour of its own
    1: _CARBON,
    5: "#B0684F",
    6: _CARBON,
    7: "#4F79DB",
    8: "#DD4B3E",
    9: "#3F8F4F",
    15: "#B8691E",
    16: "#96760F",
    17: "#3F8F4F",
    35: "#B3623F",
    53: "#9B5FC0",
}
_HIGHLIGHT = "#E0A020"
_HIGHLIGHT_OPACITY = 0.35
# A ring with letters, a stereocentre, and a charge.
_GOLDEN_SMILES = ("Oc1ccc(Br)cn1", "C[C@H](N)C(=O)O", "C[N+](C)(C)CC(=O)[O-]")
_LONGEST_BOND = 36  # pixels; without it three atoms fill the picture


def depict_svg(
    molecule: "str | Molecule | Mol",
    width: int = 300,
    height: int = 220,
    highlight_atoms: Sequence[int] = (),
) -> str:
    """Draw a molecule as an SVG that can stand in a page or a file.

    Parameters
    ----------
    molecule
        SMILES (or whatever `parse_molecule` reads), a `Molecule`, or an RDKit molecule.
    width, height
        Size in pixels; the drawing scales without loss.
    highlight_atoms
        Indices (from 0, in the order of the molecule) drawn on an amber ground, with the bonds
        between them.

    Returns
    -------
    str
        One `<svg>` element without XML declaration, with class `molclip-depiction`, transparent
        ground and the SMILES as its accessible label.

    Raises
    ------
    InputError
        When the text is no molecule or an index is out of range.
    """
    from rdkit.Chem.Draw import rdMolDraw2D

    mol, smiles = _mol_and_smiles(molecule)
    marked = sorted(set(highlight_atoms))
    if marked and not 0 <= marked[0] <= marked[-1] < mol.GetNumAtoms():
        raise InputError(
            f"Atom {marked[-1]} cannot be highlighted: the molecule has {mol.GetNumAtoms()} atoms.",
            "Atoms are counted from 0.",
        )
    drawer = rdMolDraw2D.MolDraw2DSVG(width, height)
    _style(drawer)
    text = _drawn(drawer, mol, marked)
    if text is None:
        body = (
            "<text x='50%' y='50%' text-anchor='middle' font-family='sans-serif' "
            "font-size='12' fill='currentColor'>no drawing of this molecule</text>\n</svg>\n"
        )
        text = (
            f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}px' height='{height}px' "
            f"viewBox='0 0 {width} {height}'>\n{body}"
        )
    return _adapted(text, smiles)


def _style(drawer: Any, scale: int = 1) -> None:
    """Give a drawing its colours and sizes; `scale` is pixels per unit."""
    options: Any = drawer.drawOptions()
    options.clearBackground = False
    options.fixedBondLength = _LONGEST_BOND * scale
    options.standardColoursForHighlightedAtoms = True
    options.setAtomPalette({element: _rgb(colour) for element, colour in _COLOURS.items()})
    options.setHighlightColour(_rgb(_HIGHLIGHT))
    for set_colour in (
        options.setAnnotationColour,
        options.setAtomNoteColour,
        options.setBondNoteColour,
        options.setLegendColour,
        options.setQueryColour,
        options.setSymbolColour,
        options.setVariableAttachmentColour,
    ):
        set_colour(_rgb(_CARBON))
    options.addStereoGroupAnnotation = True


def depict_png(
    molecule: "str | Molecule | Mol",
    size: int = 224,
    seed: int | None = None,
    *,
    vary_style: bool = False,
) -> bytes:
    """Draw a molecule as a square PNG, black and coloured on white, for image encoders.

    Parameters
    ----------
    molecule
        As in `depict_svg`.
    size
        Side in pixels.
    seed
        Turns the drawing by a random angle that depends on the seed alone; None keeps RDKit's
        orientation. It is never mirrored: that would draw the other enantiomer.
    vary_style
        With a seed: also draw line width, letter size, colours and the like from it, as programs
        and journals differ in them.

    Raises
    ------
    InputError
        When the text is no molecule, or the molecule cannot be drawn.
    """
    from rdkit.Chem.Draw import rdMolDraw2D

    mol, smiles = _mol_and_smiles(molecule)
    drawer = rdMolDraw2D.MolDraw2DCairo(size, size)
    if seed is not None:
        options: Any = drawer.drawOptions()
        rng = random.Random(seed)
        options.rotate = rng.uniform(0.0, 360.0)
        if vary_style:
            _vary(options, rng)
    image = _drawn(drawer, mol, [])
    if image is None:
        raise InputError(f"No drawing can be made of {smiles}.", "Leave this molecule out.")
    return cast("bytes", image)


def golden_hash() -> str:
    """Hash of a few drawings: changes when RDKit, or our own code, draws in another way."""
    digest = hashlib.sha256()
    for smiles in _GOLDEN_SMILES:
        digest.update(depict_png(smiles))
    return digest.hexdigest()[:16]


def _vary(options: Any, rng: random.Random) -> None:
    """Draw the style of a picture; it stays one that a chemist would read the same."""
    palettes = (
        None,
        options.useBWAtomPalette,
        options.useAvalonAtomPalette,
        options.useCDKAtomPalette,
    )
    palette = rng.choice(palettes)
    if palette is not None:
        palette()
    options.bondLineWidth = rng.uniform(1.0, 3.5)
    options.scaleBondWidth = False
    options.baseFontSize = rng.uniform(0.45, 0.75)
    options.multipleBondOffset = rng.uniform(0.1, 0.2)
    options.padding = rng.uniform(0.02, 0.12)
    options.additionalAtomLabelPadding = rng.uniform(0.0, 0.1)
    options.explicitMethyl = rng.random() < 0.2


def _mol_and_smiles(molecule: "str | Molecule | Mol") -> tuple["Mol", str]:
    if isinstance(molecule, str):
        parsed = parse_molecule(molecule)
        if isinstance(parsed, ParseFailure):
            raise InputError(f"Nothing to draw: {parsed.reason}", parsed.hint)
        molecule = parsed
    if isinstance(molecule, Molecule):
        return molecule.mol, molecule.smiles
    with capture():
        return molecule, Chem.MolToSmiles(molecule)


def _drawn(drawer: Any, mol: "Mol", marked: list[int]) -> Any:
    """Return the drawing, or None where RDKit cannot lay the molecule out."""
    from rdkit.Chem.Draw import rdMolDraw2D

    chosen = set(marked)
    bonds = [
        bond.GetIdx()
        for bond in (mol.GetBonds() if chosen else ())
        if bond.GetBeginAtomIdx() in chosen and bond.GetEndAtomIdx() in chosen
    ]
    with capture():
        for kekulize in (True, False):
            try:
                flat = Chem.Mol(mol)
                if not flat.GetNumConformers() or flat.GetConformer().Is3D():
                    lay_out(flat)
                flat = rdMolDraw2D.PrepareMolForDrawing(flat, kekulize=kekulize)
                drawer.drawOptions().prepareMolsBeforeDrawing = False
                drawer.DrawMolecule(flat, highlightAtoms=marked, highlightBonds=bonds)
                drawer.FinishDrawing()
                return drawer.GetDrawingText()
            except RDKIT_ERRORS:
                continue
    return None


def _adapted(svg: str, smiles: str) -> str:
    """Give RDKit's SVG its class, label and adaptable colours."""
    svg = re.sub(r"<\?xml[^>]*\?>\s*", "", svg)
    # RDKit draws the dots of radicals in black whatever the palette says.
    svg = svg.replace(_CARBON, "currentColor").replace("#000000", "currentColor")
    label = escape(smiles, quote=True)
    svg = svg.replace(
        "<svg ", f"<svg class='{CLASS}' color='{_CARBON}' role='img' aria-label='{label}' ", 1
    )
    lines = svg.splitlines(keepends=True)
    grounds = [line for line in lines if _HIGHLIGHT in line]
    if not grounds:
        return svg
    first = lines.index(grounds[0])
    rest = [line for line in lines[first:] if _HIGHLIGHT not in line]
    # One group, so that overlapping shapes do not add up to darker patches.
    group = [f"<g opacity='{_HIGHLIGHT_OPACITY}'>\n", *grounds, "</g>\n"]
    return "".join(lines[:first] + group + rest)


def _rgb(colour: str) -> tuple[float, float, float]:
    red, green, blue = (int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5))
    return red, green, blue
