"""A figure as SVG: transparent, crisp, text as text."""

from __future__ import annotations

from html import escape

from molclip.chem.depict import CLASS
from molclip.chem.depict_weights import DASH, weighted_svg
from molclip.explain.figure import Figure, Patch, Structure, Words

_FONT = "system-ui, 'Segoe UI', 'DejaVu Sans', sans-serif"
_INK = "#787B80"  # as the drawings: 3:1 on white and on dark grey, until a page sets its own


def svg(figure: Figure) -> str:
    """One `<svg>` element; texts in it are escaped."""
    body = "".join(_shape(shape) for shape in figure.shapes)
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' class='{CLASS} molclip-explanation' "
        f"color='{_INK}' fill='currentColor' font-family=\"{_FONT}\" role='img' "
        f"aria-label='{escape(figure.label, quote=True)}' width='{figure.width}' "
        f"height='{figure.height}' viewBox='0 0 {figure.width} {figure.height}'>\n{body}</svg>\n"
    )


def _shape(shape: Words | Patch | Structure) -> str:
    if isinstance(shape, Words):
        weight = " font-weight='bold'" if shape.bold else ""
        anchor = " text-anchor='middle'" if shape.middle else ""
        return (
            f"<text x='{shape.x:.1f}' y='{shape.y:.1f}' font-size='{shape.size}'"
            f"{weight}{anchor}>{escape(shape.text)}</text>\n"
        )
    if isinstance(shape, Patch):
        corner = min(shape.width, shape.height) / 2 if shape.round else 4
        rim = f" stroke='{shape.colour}' stroke-dasharray='{DASH}'" if shape.dashed else ""
        return (
            f"<rect x='{shape.x:.1f}' y='{shape.y:.1f}' width='{shape.width:.1f}' "
            f"height='{shape.height:.1f}' rx='{corner:.1f}' fill='{shape.colour}' "
            f"fill-opacity='{shape.opacity:.3f}'{rim}/>\n"
        )
    inner = weighted_svg(shape.mol, shape.values, shape.width, shape.height)
    return inner.replace("<svg ", f"<svg x='{shape.x:.1f}' y='{shape.y:.1f}' ", 1)
