"""A figure as PNG, for what cannot show SVG."""

from __future__ import annotations

import io
import unicodedata
from typing import Any

from PIL import Image, ImageDraw, ImageFont

from molclip.chem.depict_weights import weighted_image
from molclip.explain.figure import Figure, Patch, Structure, Words

_PIXELS = 2  # per unit, as in weighted_image
_INK = "#33363B"
_GREEK = "GREEK SMALL LETTER "


def png(figure: Figure) -> bytes:
    """PNG on white, two pixels per unit.

    Pillow's own font has no Greek letters: they are spelt out (α: alpha).
    """
    picture = Image.new("RGB", (figure.width * _PIXELS, figure.height * _PIXELS), "white")
    for shape in figure.shapes:
        if isinstance(shape, Structure):
            drawn = weighted_image(shape.mol, shape.values, shape.width, shape.height)
            picture.paste(drawn, (round(shape.x * _PIXELS), round(shape.y * _PIXELS)))
    pen = ImageDraw.Draw(picture, "RGBA")
    for shape in figure.shapes:
        if isinstance(shape, Words):
            _write(pen, shape)
        elif isinstance(shape, Patch):
            _fill(pen, shape)
    stream = io.BytesIO()
    picture.save(stream, "PNG", optimize=True)
    return stream.getvalue()


def spelt(text: str) -> str:
    """The text with Greek letters spelt out."""
    return "".join(
        name.removeprefix(_GREEK).lower() if name.startswith(_GREEK) else letter
        for letter in text
        for name in [unicodedata.name(letter, "")]
    )


def _write(pen: Any, words: Words) -> None:
    font = ImageFont.load_default(size=words.size * _PIXELS)
    pen.text(
        (words.x * _PIXELS, words.y * _PIXELS),
        spelt(words.text),
        fill=_INK,
        font=font,
        anchor="ms" if words.middle else "ls",
        stroke_width=int(words.bold),  # the font has no bold face
    )


def _fill(pen: Any, patch: Patch) -> None:
    left, top = patch.x * _PIXELS, patch.y * _PIXELS
    right, bottom = left + patch.width * _PIXELS, top + patch.height * _PIXELS
    radius = min(right - left, bottom - top) / 2 if patch.round else 4 * _PIXELS
    filled = patch.colour + f"{round(255 * patch.opacity):02X}"
    pen.rounded_rectangle((left, top, right, bottom), radius, fill=filled)
    if patch.dashed and patch.round:
        for start in range(0, 360, 60):
            pen.arc((left, top, right, bottom), start, start + 36, fill=patch.colour, width=2)
    elif patch.dashed:
        for x in range(round(left), round(right), 10):
            end = min(x + 6, right)
            pen.line((x, top, end, top), fill=patch.colour, width=2)
            pen.line((x, bottom, end, bottom), fill=patch.colour, width=2)
