"""What stands below the search form: how the question was read, the hits, and what to do with them.

The controls are plain HTML with `data-act` and `data-value`; `static/results.js` reports them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from . import cards, markup
from .histograms import LABELS
from .hit_table import table
from .links import href
from .markup import text
from .question import DEEPEST, SORTED, Answer, Question

COUNTS = (12, 24, 48)
VIEWS = ("cards", "table")
FORMATS = ("csv", "sdf", "json")

EMPTY = markup.message(
    "empty",
    "Molecules appear here.",
    "Describe one in words, or give a name or a structure. Words and a structure together find "
    "molecules that fit both.",
)
BUSY = markup.message("busy", "Searching …")
WAITING = f'<div class="mc-waiting" aria-hidden="true">{"<i></i>" * 8}</div>'
"""Shown where no hits have stood yet, so that little moves when they come."""


@dataclass(frozen=True)
class Shown:
    """How hits are shown."""

    view: str = "cards"
    columns: Sequence[str] = ()
    """Number columns of the library."""


def script() -> str:
    """JavaScript that reports `more`, `turn` and `take` to the page."""
    path = Path(__file__).parent / "static" / "results.js"
    return path.read_text(encoding="utf-8")


def sorts(columns: Sequence[str]) -> list[tuple[str, str]]:
    """Orders to choose from: what they are called, and `Question.sort`."""
    found = [("Best match", ""), ("Name", "name")]
    for column in columns:
        label = LABELS.get(column, (column, ""))[0]
        found += [(f"{label}, low to high", column), (f"{label}, high to low", f"-{column}")]
    return found


def summary(answer: Answer, filters: Sequence[str] = ()) -> str:
    """How the question was read, what was searched, and remarks."""
    info = answer.result.query
    pool = "curated molecules" if info.curated_only else "molecules"
    facts = (
        f"{info.rows_searched:,} {pool} searched{', recorded only' if info.recorded_only else ''}",
        f"{1000 * info.seconds:.0f} ms",
        f"score: {info.score}",
    )
    lines = [
        f'<p class="mc-read">{text(answer.reading.said)}</p>',
        f'<p class="mc-facts">{text(" · ".join(facts))}</p>',
    ]
    asked = ", ".join(dict.fromkeys(term["name"] for term in info.asked_terms))
    if asked:
        lines.append(f'<p class="mc-facts">Looked up in ChEBI: {text(asked)}</p>')
    kept = [*filters, *([f"with the substructure {info.smarts}"] if info.smarts else [])]
    if kept:
        lines.append(f'<p class="mc-facts">Filtered: {text("; ".join(kept))}</p>')
    if answer.near:
        names = ", ".join(
            f'<a href="{text(href("search", q=name))}">{text(name)}</a>' for name in answer.near
        )
        lines.append(f'<p class="mc-remark">Names spelled alike: {names}.</p>')
    lines += [f'<p class="mc-facts">{text(note)}</p>' for note in info.notes]
    lines += [f'<p class="mc-remark">{text(warning)}</p>' for warning in info.warnings]
    return f'<div class="mc-summary" role="status">{"".join(lines)}</div>'


def results(answer: Answer, question: Question, shown: Shown) -> str:
    """The hits with their controls, or the sentence that there are none."""
    records = answer.result.records
    if not records:
        info = answer.result.query
        said = " ".join([*info.notes, *info.warnings]) or "No molecule of the library fits."
        return markup.message("none", "No result.", f"{said} Try fewer filters or other words.")
    hits = (
        table(answer, shown.columns, question.sort)
        if shown.view == "table"
        else cards.cards(answer)
    )
    return (
        '<div class="mc-found" id="results-found" tabindex="-1"><h2 class="mc-unseen">Hits</h2>'
        f"{_toolbar(question, shown)}{hits}"
        f'<div class="mc-below">{_pager(answer, question)}{_downloads(answer)}</div></div>'
    )


def _toolbar(question: Question, shown: Shown) -> str:
    orders = _options(sorts(shown.columns), question.sort)
    counts = _options([(str(count), str(count)) for count in COUNTS], str(question.count))
    views = "".join(
        f'<button type="button" id="results-{view}" data-act="view" data-value="{view}" '
        f'aria-pressed="{"true" if view == shown.view else "false"}">{view.title()}</button>'
        for view in VIEWS
    )
    note = f'<span class="mc-facts">among the best {SORTED}</span>' if question.sort else ""
    return (
        '<div class="mc-toolbar">'
        f'<label>Sort <select id="results-sort" data-act="sort">{orders}</select></label>{note}'
        f'<label>Show <select id="results-count" data-act="count">{counts}</select></label>'
        f'<span class="mc-views" role="group" aria-label="View">{views}</span>'
        '<button type="button" class="mc-plain-button" data-copy-link>Copy link</button></div>'
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
        f'<button type="button" class="mc-plain-button" id="results-{label.lower()}" '
        f'data-act="page" data-value="{page}"{"" if there else " disabled"}>{label}</button>'
    )


def _downloads(answer: Answer) -> str:
    count = len(answer.result.records)
    scopes = _options(
        [(f"this page ({count})", "page"), (f"the best {SORTED}", "best")],
        "page",
    )
    buttons = "".join(
        f'<button type="button" class="mc-plain-button" id="search-{kind}" data-act="take" '
        f'data-value="{kind}">{kind.upper()}</button>'
        for kind in FORMATS
    )
    return (
        '<div class="mc-take" role="group" aria-label="Download"><label>Download '
        f'<select id="results-scope">{scopes}</select></label> as {buttons}</div>'
    )
