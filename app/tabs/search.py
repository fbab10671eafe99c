"""Search: words, a name, a structure, or words and a structure, to molecules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import gradio as gr

from .. import markup, results
from ..filters import changed
from ..filters import said as filters_said
from ..histograms import histograms
from ..hit_files import write_hits
from ..links import Link
from ..presets import SEARCHES
from ..question import SORTED, Question
from ..results import Shown
from ..search_form import NAME, form, question
from ..service import Service
from .guard import said

TITLE = "Search"

_SCRIPT = results.script()
_TO_TOP = "() => { document.querySelector('#search-summary').scrollIntoView({block: 'center'}); }"
_SAVE = "() => { document.querySelector('button#search-file, #search-file button')?.click(); }"


def build(service: Service) -> Link:
    """Lay out the tab."""
    shown = histograms(service.library)
    columns = [histogram.column for histogram in shown]
    fields = form(service, shown)
    with gr.Column(elem_classes="mc-status"):
        busy = gr.HTML(elem_id="search-busy")
        summary = gr.HTML(elem_id="search-summary")
    found = gr.HTML(results.EMPTY, elem_id="search-results", js_on_load=_SCRIPT)
    note = gr.HTML(elem_id="search-note")
    file = gr.DownloadButton("Download", visible="hidden", elem_id="search-file")
    asked = gr.State(None)
    link = fields.link()

    def search(asked: Question | None, *values: Any) -> Iterator[tuple[Any, ...]]:
        # The last answer stays until the next is there, so that the page does not jump.
        yield results.BUSY, gr.skip(), gr.skip() if asked else results.WAITING, gr.skip(), ""
        try:
            wanted, view = question(shown, values), str(values[-2])
            answer = service.search(wanted)
            yield (
                "",
                results.summary(answer, filters_said(wanted.bounds, shown)),
                results.results(answer, wanted, Shown(view, columns)),
                wanted if answer.result.records else None,
                gr.skip(),
            )
        except Exception as problem:
            yield "", "", said(problem), None, gr.skip()

    def again(asked: Question | None, *values: Any) -> Iterator[tuple[Any, ...]]:
        """After a filter was moved: only where something is asked already."""
        words, structure, *_ = values
        if (words or "").strip() or (structure or "").strip():
            yield from search(asked, *values)
        else:
            yield (gr.skip(),) * 5

    def like(event: gr.EventData) -> tuple[str, str, int]:
        return "", str(event._data["smiles"]), 1

    def turn(event: gr.EventData) -> list[Any]:
        """The fields that a control among the hits sets; a new order or number starts over."""
        act, value = str(event._data.get("act")), str(event._data.get("value"))
        orders = [key for _, key in results.sorts(columns)]
        if act == "sort" and value in orders:
            return [value, gr.skip(), gr.skip(), 1]
        if act == "count" and value in map(str, results.COUNTS):
            return [gr.skip(), int(value), gr.skip(), 1]
        if act == "view" and value in results.VIEWS:
            return [gr.skip(), gr.skip(), value, gr.skip()]
        if act == "page" and value.isdecimal() and len(value) <= 3:
            return [gr.skip(), gr.skip(), gr.skip(), int(value)]
        return [gr.skip()] * 4

    def take(event: gr.EventData, asked: Question | None) -> Iterator[tuple[Any, ...]]:
        kind = str(event._data.get("format"))
        if asked is None or kind not in results.FORMATS:
            yield gr.skip(), gr.DownloadButton(value=None)
            return
        name = f"molclip-search.{kind}"
        yield markup.message("busy", f"Writing {name} …"), gr.skip()
        try:
            whole = str(event._data.get("scope")) == "best"
            wanted = replace(asked, page=1, count=SORTED) if whole else asked
            answer = service.search(wanted)
            path = write_hits(answer, name)
            count = len(answer.result.records)
            yield (
                markup.message(
                    "busy", f"{name}: {count} {'molecule' if count == 1 else 'molecules'}."
                ),
                gr.DownloadButton(value=path),
            )
        except Exception as problem:
            yield said(problem), gr.DownloadButton(value=None)

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    inputs, outputs = [asked, *fields.inputs], [busy, summary, found, asked, note]

    def answering(event: Any, answer: Any = search) -> None:
        """Search after this event."""
        done = event(
            answer,
            inputs,
            outputs,
            concurrency_limit=4,
            concurrency_id="search",
            trigger_mode="always_last",
            **quiet,
        )
        link.remember(done.then)

    def afresh(event: Any, answer: Any = search) -> None:
        """A new question starts at its first page."""
        answering(event(None, None, fields.page, js="() => 1", **quiet).then, answer)

    answering(link.opened)
    for event in (fields.words.submit, fields.structure.submit, fields.smarts.submit):
        afresh(event)
    for event in (fields.start.click, fields.board.search):
        afresh(event)
    moved = fields.panel.changed(None, None, fields.bounds, js=changed(NAME), **quiet)
    boxes = (fields.curated.input, fields.recorded.input)
    for event in (moved.then, *boxes, fields.share.release):
        afresh(event, again)
    for chip, (_, words, smiles) in zip(fields.chips, SEARCHES, strict=True):
        filled = f"() => {json.dumps([words, smiles])}"
        afresh(chip.click(None, None, [fields.words, fields.structure], js=filled, **quiet).then)
    more = found.more(like, None, [fields.words, fields.structure, fields.page], **quiet)
    answering(more.then(None, None, None, js=_TO_TOP).then)
    answering(found.turn(turn, None, fields.turned, **quiet).then)
    written = found.take(
        take, asked, [note, file], concurrency_limit=2, concurrency_id="files", **quiet
    )
    written.success(None, None, None, js=_SAVE, **quiet)
    return link
