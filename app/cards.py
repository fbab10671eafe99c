"""Hits of a search as cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import markup
from .drawing import drawing
from .links import href
from .markup import text
from .question import named_exactly

if TYPE_CHECKING:
    from .question import Answer

LEVELS = {
    "strong": ("strong match", "Scores above 99 % of the best hits of questions without answer."),
    "plausible": ("plausible", "Scores above 90 % of the best hits of questions without answer."),
    "weak": ("weak", "Scores little better than the best hits of questions without answer."),
    "none": ("no better than nonsense", "Nonsense questions reach this score too."),
}
_RECORDED = "ChEBI states this of the molecule"
_PREDICTED = "No source states this of the molecule; the model predicts it"


def cards(answer: Answer) -> str:
    """All hits of a page."""
    info = answer.result.query
    inner = "".join(
        card(record, info.words or "", info.smarts or "") for record in answer.result.records
    )
    return f'<ol class="mc-cards" aria-label="Results">{inner}</ol>'


def card(record: dict[str, Any], words: str = "", smarts: str = "") -> str:
    """One hit of a question; the atoms that match `smarts` are marked."""
    name = name_of(record)
    score = markup.number(float(record["score"]), 3)
    return f"""<li class="mc-card">
<div class="mc-figure">{drawing(str(record["smiles"]), name, smarts)}</div>
<div class="mc-body">
<h3 title="{text(name)}">{text(name)}</h3>
<p class="mc-score"><span class="mc-rank">{record["rank"]}</span> score {score}{similarity(record)}</p>
<p class="mc-badges">{badges(record)}</p>
{_properties(record)}
<p class="mc-links">{links(record, words)}</p>
</div></li>"""


def name_of(record: dict[str, Any]) -> str:
    """What a hit is called on the page."""
    return str(record.get("name") or record.get("id") or record["smiles"])


def similarity(record: dict[str, Any]) -> str:
    """Beside the score, where a structure was asked for."""
    value = record.get("similarity")
    if value is None:
        return ""
    title = "Count Tanimoto of Morgan environments, 1 is identical"
    return f' · <span title="{title}">similarity {markup.number(float(value))}</span>'


def badges(record: dict[str, Any]) -> str:
    """Match level, recorded or predicted, seen in training or not."""
    badges = []
    if record.get("match_level") in LEVELS:
        label, title = LEVELS[record["match_level"]]
        badges.append(markup.badge(label, record["match_level"], title))
    if named_exactly(record):
        _, what = str(record["matched_by"]).split(" ", 1)
        kind = what if what in ("formula", "InChIKey") else "name"
        badges.append(markup.badge(f"has this {kind}", "recorded", str(record["matched_name"])))
    elif record.get("evidence") == "recorded":
        terms = ", ".join(record.get("recorded_terms") or [])
        badges.append(markup.badge("recorded", "recorded", f"{_RECORDED}: {terms}"))
    elif record.get("evidence") == "predicted":
        badges.append(markup.badge("predicted", "predicted", _PREDICTED))
    if record.get("seen") is not None:
        label = "seen in training" if record["seen"] else "not seen in training"
        badges.append(markup.badge(label, "seen"))
    if record.get("curated") is False:
        badges.append(markup.badge("not curated", "seen"))
    return "".join(badges)


def _properties(record: dict[str, Any]) -> str:
    pairs = []
    if record.get("formula"):
        pairs.append(("Formula", markup.formula(str(record["formula"])), True))
    for key, label, digits, unit, hidden in (
        ("mol_weight", "Weight", 1, " g/mol", True),
        ("logp", "logP", 1, "", False),
        ("tpsa", "TPSA", 0, " Å²", False),
    ):
        if record.get(key) is not None:
            pairs.append((label, markup.number(float(record[key]), digits) + unit, hidden))
    for key, label in (("hbd", "donors"), ("hba", "acceptors")):
        if record.get(key) is not None:
            pairs.append((f"H {label}", str(int(record[key])), False))
    if record.get("formal_charge"):
        charge = f"{int(record['formal_charge']):+d}".replace("-", "\u2212")
        pairs.append(("charge", charge, False))
    inner = "".join(
        f"<div><dt{' class=mc-unseen' if hidden else ''}>{label}</dt><dd>{value}</dd></div>"
        for label, value, hidden in pairs
    )
    return f'<dl class="mc-properties">{inner}</dl>' if inner else ""


def links(record: dict[str, Any], words: str = "") -> str:
    """The hit elsewhere: sources, molecules like it, and why it fits the words."""
    name, smiles = name_of(record), str(record["smiles"])
    found = []
    if str(record.get("id") or "").startswith("CHEBI:"):
        target = f"https://www.ebi.ac.uk/chebi/{quote(str(record['id']), safe=':')}"
        found.append(_link(target, "ChEBI", f"{name} in ChEBI"))
    if record.get("inchikey"):
        target = f"https://pubchem.ncbi.nlm.nih.gov/#query={quote(str(record['inchikey']))}"
        found.append(_link(target, "PubChem", f"{name} in PubChem"))
    if words:
        target = href("why", smiles=smiles, text=words)
        found.append(f'<a href="{text(target)}" aria-label="Why {text(name)} fits">Why?</a>')
    found.append(
        f'<button type="button" class="mc-more" data-smiles="{text(smiles)}" '
        f'aria-label="More molecules like {text(name)}">More like this</button>'
    )
    return "".join(found)


def _link(target: str, label: str, title: str) -> str:
    return (
        f'<a href="{text(target)}" target="_blank" rel="noopener noreferrer" '
        f'aria-label="{text(title)}">{label}</a>'
    )
