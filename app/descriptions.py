"""A description as HTML: who the molecule is, then what is said of it and by whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import markup
from .drawing import drawing
from .links import href
from .markup import text

if TYPE_CHECKING:
    from molclip.describe import Description, Statement

_TITLES = {
    "recorded": "ChEBI states it, or it follows from what ChEBI states",
    "predicted": "No source states it; the model ranks it high for this molecule",
    "calculated": "Calculated from the structure with RDKit",
}
_SECTIONS = (
    ("classes", "Classes", "What it is.", "class"),
    ("roles", "Roles", "What it does in chemistry, in organisms or as a medicine.", "role"),
    ("uses", "Uses", "What it may be used for in products.", "use"),
    ("definitions", "Definitions", "What the classes and uses above mean, as people wrote it.", ""),
    ("captions", "Captions", "Sentences made from the statements above and from properties.", ""),
)
_SEEN = {
    True: "The model was trained on this molecule.",
    False: "The model has not seen this molecule.",
    None: "",
}


def summary(said: str, found: Description) -> str:
    """How the input was read, remarks, and what the numbers mean."""
    lines = [f'<p class="mc-read">{text(said)}</p>']
    lines += [f'<p class="mc-remark">{text(remark)}</p>' for remark in found.remarks]
    lines.append(
        f'<p class="mc-facts">Percentile: how many of {found.background:,} molecules of the '
        "library fit the words less well. A class or role is predicted when the molecule stands "
        "clearly higher among them than as many molecules as have it recorded.</p>"
    )
    return f'<div class="mc-summary" role="status">{"".join(lines)}</div>'


def description(found: Description) -> str:
    """Everything that is said of the molecule."""
    sections = "".join(_section(found, *section) for section in _SECTIONS)
    return f'<article class="mc-described">{_who(found)}{sections}</article>'


def _who(found: Description) -> str:
    molecule, record = found.molecule, found.record
    name = record.name if record else molecule.name or ""
    title = name or "No name recorded"
    if record:
        target = f"https://www.ebi.ac.uk/chebi/{quote(record.id, safe=':')}"
        known = (
            f'Recorded in ChEBI as <a href="{text(target)}" target="_blank" '
            f'rel="noopener noreferrer">{text(record.id)}</a>'
            f"{'' if record.curated else ', not checked by a curator'}."
        )
    else:
        known = "Not in the library: nothing is recorded, every class and role is predicted."
    links = (
        ("Search for molecules like it", href("search", smiles=molecule.smiles)),
        ("Classify it by words of your own", href("classify", smiles=molecule.smiles)),
    )
    linked = "".join(f'<a href="{text(target)}">{label}</a>' for label, target in links)
    return f"""<header class="mc-who">
<figure class="mc-molecule">{drawing(molecule.smiles, name)}</figure>
<div><h3>{text(title)}</h3>
<p>{known} {_SEEN[found.seen]}</p>
{_properties(found.properties)}
<p class="mc-links">{linked}</p></div></header>"""


def _properties(values: dict[str, Any]) -> str:
    pairs = []
    if values.get("formula"):
        pairs.append(("Formula", markup.formula(str(values["formula"]))))
    for key, label, digits, unit in (
        ("mol_weight", "Weight", 1, " g/mol"),
        ("logp", "logP", 1, ""),
        ("tpsa", "TPSA", 0, " Å²"),
    ):
        if values.get(key) is not None:
            pairs.append((label, markup.number(float(values[key]), digits) + unit))
    for key, label in (
        ("hbd", "H donors"),
        ("hba", "H acceptors"),
        ("rings", "Rings"),
        ("formal_charge", "Charge"),
    ):
        if values.get(key) is not None:
            pairs.append((label, markup.number(float(values[key]), 0)))
    inner = "".join(f"<div><dt>{label}</dt><dd>{value}</dd></div>" for label, value in pairs)
    return (
        f'<dl class="mc-properties">{inner}</dl>'
        f'<p class="mc-facts">{markup.badge("calculated", "seen", _TITLES["calculated"])} '
        "from the structure, RDKit</p>"
    )


def _section(found: Description, key: str, title: str, about: str, one: str) -> str:
    entries: Sequence[Statement] = getattr(found, key)
    rows = "".join(_statement(entry, found.molecule.smiles) for entry in entries)
    listed = f'<ol class="mc-said" aria-label="{title}">{rows}</ol>' if rows else ""
    none = ""
    if key in found.silent:
        recorded = bool(entries)
        none = f"The model adds none: no other {one} passes the threshold."
        if not recorded:
            none = f"None: no {one} passes the threshold{'' if key == 'uses' else _nothing(found)}."
    elif not entries and not one:
        none = "None of the classes and uses above has a written definition here."
    said = f'<p class="mc-nothing">{none}</p>' if none else ""
    return (
        f'<section class="mc-part mc-{key}"><h4>{title}</h4>'
        f'<p class="mc-facts">{about}</p>{listed}{said}</section>'
    )


def _nothing(found: Description) -> str:
    return ", and none is recorded" if found.record else ""


def _statement(entry: Statement, smiles: str) -> str:
    words = text(entry.text)
    if entry.of:
        words = f"<strong>{text(entry.of)}</strong> {words}"
    elif entry.kind in ("class", "role", "use"):
        words = f'<a href="{text(href("search", q=entry.text))}">{words}</a>'
    kind = "seen" if entry.evidence == "calculated" else entry.evidence
    badge = markup.badge(entry.evidence, kind, _TITLES[entry.evidence])
    return (
        f'<li class="mc-{entry.kind}"><div class="mc-statement"><p class="mc-words">{words}</p>'
        f'<p class="mc-origin">{badge}<span>{text(_source(entry))}</span>{_why(entry, smiles)}</p>'
        f"</div>"
        f"{_percentile(entry)}{_more(entry)}</li>"
    )


def _source(entry: Statement) -> str:
    return f"{entry.source}, through {entry.via}" if entry.via else entry.source


def _why(entry: Statement, smiles: str) -> str:
    if entry.kind == "definition":
        return ""
    target = href("why", smiles=smiles, text=entry.text)
    return f'<a href="{text(target)}" aria-label="Why {text(entry.text[:80])}">Why?</a>'


def _percentile(entry: Statement) -> str:
    if entry.percentile is None:
        return '<p class="mc-percentile mc-facts">too rare to rank</p>'
    # Cut, not rounded: 99.97 is not 100.
    shown = markup.number(int(entry.percentile * 10) / 10, 1)
    return (
        f'<p class="mc-percentile"><span class="mc-track" role="img" aria-label="percentile {shown}">'
        f'<i style="width: {entry.percentile:.1f}%"></i></span><span>{shown}</span></p>'
    )


def _more(entry: Statement) -> str:
    parts = []
    if entry.plain:
        parts.append(f"In plain words: {', '.join(entry.plain[:2])}.")
    if entry.share and entry.kind != "use":
        parts.append(f"Recorded for 1 in {max(1, round(1 / entry.share)):,} molecules of ChEBI.")
    if entry.broader:
        parts.append(f"Above it: {', '.join(entry.broader[:4])}.")
    return f'<p class="mc-more-said">{text(" ".join(parts))}</p>' if parts else ""


def rows_for_download(found: Description) -> list[dict[str, Any]]:
    """One flat record for each statement."""
    rows = []
    for key, *_ in _SECTIONS:
        for entry in getattr(found, key):
            rows.append(
                {
                    "smiles": found.molecule.smiles,
                    "kind": entry.kind,
                    "text": entry.text,
                    "of": entry.of,
                    "id": entry.id,
                    "evidence": entry.evidence,
                    "source": _source(entry),
                    "score": entry.score and round(entry.score, 4),
                    "percentile": entry.percentile and round(entry.percentile, 3),
                    "margin": entry.margin and round(entry.margin, 3),
                    "share": entry.share and round(entry.share, 6),
                    "plain": "; ".join(entry.plain),
                    "broader": "; ".join(entry.broader),
                }
            )
    return rows
