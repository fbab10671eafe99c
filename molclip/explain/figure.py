"""The figure of an explanation as a list of shapes; `figure_svg` and `figure_png` draw them."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from molclip.chem.depict_weights import NEGATIVE, OPACITY, POSITIVE
from molclip.chem.molecule import shorten

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from molclip.explain.attribution import Attribution
    from molclip.explain.explanation import Explanation

FloatArray = npt.NDArray[np.float64]

_PANEL, _PANEL_HEIGHT = 360, 240
_MARGIN = 16
_LINE = 18
_CHIP = 40
_MOST_TITLE = 3
# Of sans-serif letters, in their size: on the wide side, since SVG viewers choose the font.
_LETTER = 0.58
_FAINTEST = 0.06

_CAPTIONS = {
    "occlusion": ("Occlusion", "score minus the score without it"),
    "gradient": ("Integrated gradients", "share of the score above that of no molecule"),
}
_KINDS = {
    "maccs": "structural keys",
    "shape": "counts and charge",
    "ladder": "size classes",
    "morgan": "environments",
    "torsion": "torsions",
    "atompair": "atom pairs",
    "elements": "elements",
}


@dataclass(frozen=True)
class Words:
    """A line of text; `x`, `y` is where its baseline starts, or its middle."""

    x: float
    y: float
    text: str
    size: int = 12
    bold: bool = False
    middle: bool = False


@dataclass(frozen=True)
class Patch:
    """A rectangle, or with `round` a disc in it; `dashed` gives it a dashed rim."""

    x: float
    y: float
    width: float
    height: float
    colour: str
    opacity: float
    dashed: bool = False
    round: bool = False


@dataclass(frozen=True, eq=False)
class Structure:
    """A molecule with values on its atoms."""

    x: float
    y: float
    width: int
    height: int
    mol: Mol
    values: FloatArray


@dataclass
class Figure:
    """Shapes in the order in which they are drawn; lengths in pixels."""

    width: int
    label: str
    """What the figure says, for those who cannot see it."""
    shapes: list[Words | Patch | Structure] = field(default_factory=list)
    height: int = _MARGIN

    def line(self, text: str, size: int = 12, *, bold: bool = False, x: float = _MARGIN) -> None:
        """Add a line of text below everything."""
        self.height += _LINE
        self.shapes.append(Words(x, self.height - 4, text, size, bold))

    def paragraph(self, text: str, size: int = 12, *, bold: bool = False, most: int = 0) -> None:
        """Add a text of several lines; more than `most` lines end in an ellipsis."""
        lines = wrapped(text, (self.width - 2 * _MARGIN) / (size * _LETTER))
        if most and len(lines) > most:
            lines = [*lines[: most - 1], lines[most - 1][:-1] + "…"]
        for text_line in lines:
            self.line(text_line, size, bold=bold)


def figure(explanation: Explanation) -> Figure:
    """Lay an explanation out: structures side by side, then words, sums, legend and remarks."""
    atoms, words = explanation.atoms, explanation.word_values
    methods = [name for name in _CAPTIONS if getattr(atoms, name) is not None]
    text, smiles = printable(explanation.text), shorten(explanation.molecule.smiles, 90)
    made = Figure(
        len(methods) * _PANEL + 2 * _MARGIN,
        f"Match of {smiles} with “{shorten(text)}”: {explanation.score:.3f}",
    )
    made.paragraph(f"“{text}”", 15, bold=True, most=_MOST_TITLE)
    made.paragraph(f"{smiles} · match (cosine) {explanation.score:+.3f}", most=2)
    top = made.height + 8
    for place, name in enumerate(methods):
        x = _MARGIN + place * _PANEL
        title, what = _CAPTIONS[name]
        made.shapes += [
            Words(x, top + _LINE, title, 13, bold=True),
            Words(x, top + 2 * _LINE, what, 11),
            Structure(
                *(x, top + 2 * _LINE, _PANEL, _PANEL_HEIGHT),
                explanation.molecule.mol,
                getattr(atoms, name),
            ),
        ]
    made.height = top + 2 * _LINE + _PANEL_HEIGHT
    if atoms.gradient is not None:
        made.paragraph(_sum_line("Atoms", "no molecule", atoms), 11)
    for name in methods:
        made.height += 6
        made.line(f"Words · {_CAPTIONS[name][0]}", 13, bold=True)
        _chips(made, [printable(word) for word in explanation.words], getattr(words, name))
    if words.gradient is not None:
        made.paragraph(_sum_line("Words", "no words", words), 11)
    _legend(made)
    agreements = [
        f"{what} {found.agreement:+.2f}"
        for what, found in (("atoms", atoms), ("words", words))
        if found.agreement is not None
    ]
    if agreements:
        made.paragraph(f"Rank correlation of the two methods: {', '.join(agreements)}", 11)
    for remark in explanation.remarks:
        made.paragraph(f"Note: {printable(remark)}", 11)
    made.height += _MARGIN
    return made


def _sum_line(what: str, nothing: str, found: Attribution) -> str:
    assert found.gradient is not None
    assert found.baseline is not None
    parts = [f"{what} {found.gradient.sum():+.3f}"]
    parts += [
        f"{_KINDS.get(kind, kind)} {value:+.3f} (of no atom)"
        for kind, value in found.remainder.items()
    ]
    return f"{', '.join(parts)}: from {found.baseline:+.3f} for {nothing} to {found.score:+.3f}."


def _chips(made: Figure, words: list[str], values: FloatArray) -> None:
    """Words on patches whose strength is their value, with the value below."""
    largest = float(np.abs(values).max(initial=0.0)) or 1.0
    x = float(_MARGIN)
    top = made.height + 4
    for word, value in zip(words, values.tolist(), strict=True):
        shown = shorten(word, 40)
        width = max(len(shown), 6) * 13 * _LETTER + 10
        if x > _MARGIN and x + width > made.width - _MARGIN:
            x, top = float(_MARGIN), top + _CHIP
        share = abs(value) / largest
        if share > _FAINTEST:
            colour = POSITIVE if value > 0 else NEGATIVE
            made.shapes.append(Patch(x, top, width, 22, colour, OPACITY * share, dashed=value < 0))
        made.shapes += [
            Words(x + width / 2, top + 15, shown, 13, middle=True),
            Words(x + width / 2, top + 34, f"{value:+.3f}", 10, middle=True),
        ]
        x += width + 6
    made.height = int(top) + _CHIP


def _legend(made: Figure) -> None:
    made.height += 6
    y = made.height + 4
    made.shapes += [
        Patch(_MARGIN, y, 12, 12, POSITIVE, OPACITY, round=True),
        Words(_MARGIN + 18, y + 10, "raises the match", 11),
        Patch(_MARGIN + 140, y, 12, 12, NEGATIVE, OPACITY, dashed=True, round=True),
        Words(_MARGIN + 158, y + 10, "lowers it", 11),
        Words(_MARGIN + 230, y + 10, "area: how much", 11),
    ]
    made.height += 20


def printable(text: str) -> str:
    """One line of text without the control characters that XML refuses."""
    line = " ".join(text.split())
    return "".join(
        letter if unicodedata.category(letter) not in ("Cc", "Cs", "Cn") else "\ufffd"
        for letter in line
    )


def wrapped(text: str, letters: float) -> list[str]:
    """Lines of about so many letters; a longer word is cut."""
    import textwrap

    return textwrap.wrap(text, max(10, int(letters))) or [""]
