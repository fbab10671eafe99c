"""How like its training molecules and texts something is to the model, as parts of the page.

`service.library.applicability(molecules)` and `.text_applicability(texts)` give what is shown here;
the answer to a search holds them too (`result.query.text_applicability`, a dictionary).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import markup
from .markup import text

if TYPE_CHECKING:
    from molclip.search.applicability import MoleculeApplicability, TextApplicability

_BADGES = {
    "outside": ("outside the domain", "none"),
    "edge": ("edge of the domain", "weak"),
    "inside": ("inside the domain", "seen"),
}
_INSIDE = "The model was trained on molecules like this one."


def badge(found: MoleculeApplicability | TextApplicability) -> str:
    """The status as a badge with its reasons on hover; nothing where it is not known."""
    if found.status not in _BADGES:
        return ""
    label, kind = _BADGES[found.status]
    return markup.badge(label, kind, found.remark or _INSIDE)


def remark(found: MoleculeApplicability | TextApplicability) -> str:
    """A paragraph that says what is unlike training; nothing for what is inside."""
    return f'<p class="mc-remark">{text(found.remark)}</p>' if found.remark else ""


def nearest(found: MoleculeApplicability) -> str:
    """A paragraph on the most similar training molecule; nothing where none was looked for."""
    if found.nearest is None or found.similarity is None:
        return ""
    name = found.nearest.name or found.nearest.id or found.nearest.smiles
    said = f"Most similar training molecule: {text(name)}, similarity "
    said += _with_percent(found.similarity, found.similarity_percentile)
    if found.cosine is not None:
        said += f"; cosine of the nearest {_with_percent(found.cosine, found.cosine_percentile)}"
    trained = " The model was trained on this very molecule." if found.seen else ""
    return f'<p class="mc-facts">{said}.{trained}</p>'


def rows(found: list[Any]) -> list[dict[str, Any]]:
    """Status, similarity and remark of each molecule for a table or a download; bad rows empty."""
    return [
        {
            "domain": getattr(item, "status", None),
            "training similarity": getattr(item, "similarity", None),
            "domain remark": getattr(item, "remark", None) or None,
        }
        for item in found
    ]


def _with_percent(value: float, percent: float | None) -> str:
    shown = markup.number(value)
    if percent is None:
        return shown
    return f"{shown} (higher than {percent:.0f} % of molecules held out from training)"
