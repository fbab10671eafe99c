"""Hits of a search as cards."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from . import markup
from .drawing import drawing
from .markup import text

if TYPE_CHECKING:
    from .service import Answer

LEVELS = {
    "strong": ("strong match", "Scores above 99 % of the best hits of questions without answer."),
    "plausible": ("plausible", "Scores above 90 % of the best hits of questions without answer."),
    "weak": ("weak", "Scores little better than the best hits of questions without answer."),
    "none": ("no better than nonsense", "Nonsense questions reach this score too."),
}
_RECORDED = "ChEBI states this of the molecule"
_PREDICTED = "No source states this of the molecule; the model predicts it"


def summary(answer: Answer) -> str:
    """How the question was read, what was searched, and remarks, above the cards."""
    info, hits = answer.result.query, answer.result.records
    pool = "curated molecules" if info.curated_only else "molecules"
    count = f"{len(hits)} of {info.rows_searched:,} {pool}"
    took = f"{1000 * info.seconds:.0f} ms"
    lines = [
        f'<p class="mc-read">{text(answer.reading.said)}</p>',
        f'<p class="mc-facts">{count} · {took} · score: {text(info.score)}</p>',
    ]
    asked = ", ".join(dict.fromkeys(term["name"] for term in info.asked_terms))
    if asked:
        lines.append(f'<p class="mc-facts">Looked up in ChEBI: {text(asked)}</p>')
    if answer.near:
        lines.append(
            f'<p class="mc-remark">Names spelled alike: {text(", ".join(answer.near))}.</p>'
        )
    lines += [f'<p class="mc-remark">{text(warning)}</p>' for warning in info.warnings]
    return f'<div class="mc-summary" role="status">{"".join(lines)}</div>'


def cards(answer: Answer) -> str:
    """All hits, or the sentence that there are none."""
    records = answer.result.records
    if not records:
        said = " ".join(answer.result.query.warnings) or "No molecule of the library fits."
        return markup.message("none", "No result.", f"{said} Try fewer filters or other words.")
    inner = "".join(card(record) for record in records)
    return f'<ol class="mc-cards" aria-label="Results">{inner}</ol>'


def card(record: dict[str, Any]) -> str:
    """One hit."""
    name = str(record.get("name") or record.get("id") or record["smiles"])
    score = markup.number(float(record["score"]), 3)
    return f"""<li class="mc-card">
<div class="mc-figure">{drawing(str(record["smiles"]), name)}</div>
<div class="mc-body">
<h3 title="{text(name)}">{text(name)}</h3>
<p class="mc-score"><span class="mc-rank">{record["rank"]}</span> score {score}{_similarity(record)}</p>
<p class="mc-badges">{_badges(record)}</p>
{_properties(record)}
<p class="mc-links">{_links(record, name)}</p>
</div></li>"""


def _similarity(record: dict[str, Any]) -> str:
    value = record.get("similarity")
    if value is None:
        return ""
    title = "Count Tanimoto of Morgan environments, 1 is identical"
    return f' · <span title="{title}">similarity {markup.number(float(value))}</span>'


def _badges(record: dict[str, Any]) -> str:
    badges = []
    if record.get("match_level") in LEVELS:
        label, title = LEVELS[record["match_level"]]
        badges.append(markup.badge(label, record["match_level"], title))
    if str(record.get("matched_by") or "").startswith("exact"):
        badges.append(markup.badge("has this name", "recorded", str(record["matched_name"])))
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


def _links(record: dict[str, Any], name: str) -> str:
    links = []
    if str(record.get("id") or "").startswith("CHEBI:"):
        target = f"https://www.ebi.ac.uk/chebi/{quote(str(record['id']), safe=':')}"
        links.append(_link(target, "ChEBI", f"{name} in ChEBI"))
    if record.get("inchikey"):
        target = f"https://pubchem.ncbi.nlm.nih.gov/#query={quote(str(record['inchikey']))}"
        links.append(_link(target, "PubChem", f"{name} in PubChem"))
    links.append(
        f'<button type="button" class="mc-more" data-smiles="{text(record["smiles"])}" '
        f'aria-label="More molecules like {text(name)}">More like this</button>'
    )
    return "".join(links)


def _link(target: str, label: str, title: str) -> str:
    return (
        f'<a href="{text(target)}" target="_blank" rel="noopener noreferrer" '
        f'aria-label="{text(title)}">{label}</a>'
    )
