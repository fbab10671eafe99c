"""Molecules of the map as HTML: one beside it, and those a question was placed by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from .drawing import drawing
from .links import href
from .markup import number, text

if TYPE_CHECKING:
    from .library_view import LibraryView, Placed

SHOWN = 6


def card(record: dict[str, Any]) -> str:
    """One molecule: structure, name, class, links."""
    name = str(record.get("name") or record.get("id") or record["smiles"])
    smiles = str(record["smiles"])
    links = [f'<a href="{text(href("search", smiles=smiles))}">More like this</a>']
    id_ = str(record.get("id") or "")
    if id_.startswith("CHEBI:"):
        links.append(
            f'<a href="https://www.ebi.ac.uk/chebi/{quote(id_, safe=":")}" target="_blank" '
            f'rel="noopener noreferrer" aria-label="{text(name)} in ChEBI">ChEBI</a>'
        )
    return (
        f'<div class="mc-figure">{drawing(smiles, name)}</div><div class="mc-map-name">'
        f"<strong>{text(name)}</strong><span>{text(record['group'])}</span></div>"
        f'<p class="mc-links">{"".join(links)}</p>'
    )


def placed(view: LibraryView, found: Placed) -> str:
    """How a question was read, how it was placed, and by which molecules."""
    place = found.place
    records = [view.record(point) for point in place.nearest[:SHOWN].tolist()]
    items = "".join(
        f'<li class="mc-card"><div class="mc-map-card">{card(record)}<p class="mc-score">cosine '
        f"{number(score, 3)} · weight {number(100 * weight, 0)} %</p></div></li>"
        for record, score, weight in zip(
            records, found.scores.tolist(), place.weights.tolist(), strict=False
        )
    )
    apart = (
        "<p class='mc-remark'>These molecules lie in several parts of the map: the star between "
        "them stands for no region.</p>"
        if found.scattered
        else ""
    )
    count = len(place.nearest)
    return f"""<div class="mc-summary" role="status"><p class="mc-read">{text(found.said)}</p>
<p class="mc-facts">The star is the mean place of the {count} molecules of the map (ringed) that are
nearest to “{text(found.label)}”, weighted as the softmax of training weighs them: a question has no
place of its own. The first {len(records)}:</p>{apart}</div>
<ol class="mc-cards mc-map-nearest" aria-label="Nearest molecules of the map">{items}</ol>"""
