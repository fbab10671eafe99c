"""A visitor's library and its hits as HTML; every name and cell of the file is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from molclip.chem.molecule import shorten
from molclip.search.columns import BASE_TYPES

from . import cards, markup
from .drawing import drawing
from .links import href
from .markup import text
from .own_form import COUNTS
from .own_search import PERCENTILE
from .question import DEEPEST, SORTED, Question

if TYPE_CHECKING:
    from .own_libraries import OwnLibrary
    from .question import Answer

SHOWN_FAILURES = 200
OWN_COLUMNS = 6
"""Columns of the file on a card."""
_CELL = 80

SEARCH_EMPTY = markup.message(
    "empty",
    "Your molecules appear here, ranked.",
    "Describe what you look for in words, or give a structure that hits should be like, or both.",
)


def working(name: str, done: int, whole: int) -> str:
    """How far the embedding is."""
    if not whole:
        return markup.message("busy", f"Reading {name} …")
    percent = 100 * done // whole
    return (
        f'<div class="mc-progress" role="progressbar" aria-label="Embedding" aria-valuemin="0" '
        f'aria-valuemax="{whole}" aria-valuenow="{done}"><p>Embedding {text(name)}: {done:,} of '
        f'{whole:,} rows</p><span class="mc-track"><i style="width: {percent}%"></i></span></div>'
    )


def about(own: OwnLibrary) -> str:
    """What became of the file, and how long it is kept."""
    found, bad = len(own.service.library), len(own.failures)
    rows = f"{own.rows:,} {'row' if own.rows == 1 else 'rows'}"
    molecules = f"{found:,} {'molecule' if found == 1 else 'molecules'}"
    could = f"{bad:,} could not be read" if bad else "all read"
    kept = (
        f"Embedded in {own.seconds:.1f} s. Only this browser tab can search them. They are deleted "
        "when you close it, when you press Remove, or after an hour without use."
    )
    lines = [
        f'<p class="mc-read">{text(own.name)}: {molecules} to search. {rows}, {could}.</p>',
        f'<p class="mc-facts">{kept}</p>',
    ]
    lines += [f'<p class="mc-remark">{text(shorten(remark, 300))}</p>' for remark in own.remarks]
    return f'<div class="mc-summary" role="status">{"".join(lines)}</div>{_failures(own)}'


def _failures(own: OwnLibrary) -> str:
    if not own.failures:
        return ""
    rows = "".join(
        f"<tr><td>{text(failure['row'])}</td><td>{text(_called(failure))}</td>"
        f"<td><code>{text(shorten(str(failure['input'] or '(empty)'), _CELL))}</code></td>"
        f"<td>{text(failure['reason'])} {text(failure['hint'])}</td></tr>"
        for failure in own.failures[:SHOWN_FAILURES]
    )
    count = len(own.failures)
    title = f"{count:,} bad {'row' if count == 1 else 'rows'}, with reasons"
    more = ""
    if count > SHOWN_FAILURES:
        more = f'<p class="mc-facts">The first {SHOWN_FAILURES} of {count:,}; the download has all.</p>'
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("Row", "Name", "Structure", "Why"))
    return (
        f'<details class="mc-failures" open><summary>{title}</summary>'
        '<div class="mc-scroll" tabindex="0" role="region" aria-label="Bad rows">'
        f'<table class="mc-table"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table></div>'
        f"{more}</details>"
    )


def _called(failure: dict[str, Any]) -> str:
    return shorten(str(failure["name"] or failure["id"] or ""), _CELL)


def own_columns(own: OwnLibrary) -> list[str]:
    """Columns that came with the file."""
    return [name for name in own.service.library.columns if name not in BASE_TYPES]


def sorts(own: OwnLibrary) -> list[tuple[str, str]]:
    """Orders to choose from: what they are called, and `Question.sort`."""
    kinds = own.service.library.columns
    names = [name for name in own_columns(own) if kinds[name] in ("double", "int64")]
    found = [("Best match", ""), ("Name", "name")]
    for name in [*names, "mol_weight", "logp", "tpsa"]:
        found += [(f"{name}, low to high", name), (f"{name}, high to low", f"-{name}")]
    return found


def summary(answer: Answer, own: OwnLibrary, background: int, filters: Sequence[str]) -> str:
    """How the question was read, and what the numbers mean."""
    info = answer.result.query
    facts = (
        f"{info.rows_searched:,} molecules of {own.name} searched",
        f"{1000 * info.seconds:.0f} ms",
        f"score: {info.score}",
    )
    lines = [
        f'<p class="mc-read">{text(answer.reading.said)}</p>',
        f'<p class="mc-facts">{text(" · ".join(facts))}</p>',
    ]
    if answer.reading.text is not None:
        lines.append(
            f'<p class="mc-facts">Percentile: how many of {background:,} molecules of the built-in '
            "library fit these words less well. A small file has a best hit for any question; the "
            "percentile says whether it is a good one.</p>"
        )
    kept = [*filters, *([f"with the substructure {info.smarts}"] if info.smarts else [])]
    if kept:
        lines.append(f'<p class="mc-facts">Filtered: {text("; ".join(kept))}</p>')
    if answer.near:
        near = text(", ".join(answer.near))
        lines.append(f'<p class="mc-remark">Names spelled alike: {near}.</p>')
    lines += [f'<p class="mc-facts">{text(note)}</p>' for note in info.notes]
    lines += [f'<p class="mc-remark">{text(warning)}</p>' for warning in info.warnings]
    return f'<div class="mc-summary" role="status">{"".join(lines)}</div>'


def results(answer: Answer, question: Question, own: OwnLibrary) -> str:
    """The hits of a page with their controls, or the sentence that there are none."""
    records = answer.result.records
    info = answer.result.query
    if not records:
        said = " ".join([*info.notes, *info.warnings]) or "No molecule of your file fits."
        return markup.message("none", "No result.", f"{said} Try fewer filters or other words.")
    columns = own_columns(own)[:OWN_COLUMNS]
    inner = "".join(
        _card(record, columns, info.words or "", info.smarts or "") for record in records
    )
    return (
        f'<div class="mc-found" id="own-found" tabindex="-1">{_toolbar(question, own)}'
        f'<ol class="mc-cards" aria-label="Results">{inner}</ol>'
        f'<div class="mc-below">{_pager(answer, question)}{_downloads(own)}</div></div>'
    )


def _card(record: dict[str, Any], columns: Sequence[str], words: str, smarts: str) -> str:
    name, smiles = cards.name_of(record), str(record["smiles"])
    score = markup.number(float(record["score"]), 3)
    target = href("describe", smiles=smiles)
    describe = f'<a href="{text(target)}" aria-label="Describe {text(name)}">Describe</a>'
    return f"""<li class="mc-card">
<div class="mc-figure">{drawing(smiles, name, smarts)}</div>
<div class="mc-body">
<h3 title="{text(name)}">{text(name)}</h3>
<p class="mc-score"><span class="mc-rank">{record["rank"]}</span> score {score}{cards.similarity(record)}</p>
<p class="mc-badges">{_percentile(record)}{cards.badges(record)}</p>
{_own_values(record, columns)}
<p class="mc-links">{describe}{cards.links(record, words)}</p>
</div></li>"""


def _percentile(record: dict[str, Any]) -> str:
    value = record.get(PERCENTILE)
    if value is None:
        return ""
    # Cut, not rounded: 99.97 is not 100.
    shown = f"percentile {int(10 * value) / 10:.1f}"
    return markup.badge(shown, "seen", "Of the built-in library's molecules, for these words")


def _own_values(record: dict[str, Any], columns: Sequence[str]) -> str:
    pairs = [
        (name, shorten(str(record[name]), _CELL))
        for name in columns
        if record.get(name) not in (None, "")
    ]
    inner = "".join(
        f"<div><dt>{text(shorten(name, 40))}</dt><dd>{text(value)}</dd></div>"
        for name, value in pairs
    )
    return f'<dl class="mc-properties mc-own">{inner}</dl>' if inner else ""


def _toolbar(question: Question, own: OwnLibrary) -> str:
    note = f'<span class="mc-facts">among the best {SORTED}</span>' if question.sort else ""
    counts = [(str(count), str(count)) for count in COUNTS]
    return (
        '<div class="mc-toolbar">'
        f'<label>Sort <select id="own-sort" data-act="sort">{_options(sorts(own), question.sort)}'
        f"</select></label>{note}"
        f'<label>Show <select id="own-count" data-act="count">'
        f"{_options(counts, str(question.count))}</select></label></div>"
    )


def _options(choices: Sequence[tuple[str, str]], chosen: str) -> str:
    return "".join(
        f'<option value="{text(value)}"{" selected" if value == chosen else ""}>{text(label)}</option>'
        for label, value in choices
    )


def _pager(answer: Answer, question: Question) -> str:
    first = (question.page - 1) * question.count + 1
    last = first + len(answer.result.records) - 1
    end = SORTED if question.sort else DEEPEST
    note = f" Pages end at hit {end:,}." if not answer.more and last >= end else ""
    return (
        '<nav class="mc-pager" aria-label="Pages">'
        f"{_turn('Previous', question.page - 1, question.page > 1)}"
        f'<span class="mc-facts">Hits {first:,} to {last:,}.{note}</span>'
        f"{_turn('Next', question.page + 1, answer.more)}</nav>"
    )


def _turn(label: str, page: int, there: bool) -> str:
    return (
        f'<button type="button" class="mc-plain-button" id="own-{label.lower()}" '
        f'data-act="page" data-value="{page}"{"" if there else " disabled"}>{label}</button>'
    )


def _downloads(own: OwnLibrary) -> str:
    buttons = "".join(
        f'<button type="button" class="mc-plain-button" id="own-{kind}" data-act="take" '
        f'data-value="{kind}">{kind.upper()}</button>'
        for kind in ("csv", "sdf")
    )
    whole = f"all {len(own.service.library):,} that fit the filters"
    scopes = _options([("this page", "page"), (whole, "all")], "page")
    return (
        '<div class="mc-take" role="group" aria-label="Download"><label>Download '
        f'<select id="own-scope">{scopes}</select></label> as {buttons}</div>'
    )
