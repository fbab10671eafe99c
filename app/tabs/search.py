"""Search: words, a name, a structure, or words and a structure, to molecules."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr

from .. import cards, markup
from ..downloads import write_download
from ..links import Link
from ..presets import SEARCHES
from ..service import Question, Service, read_weight
from .guard import said

TITLE = "Search"

# Only buttons inside cards do something; other clicks on the page are the reader's own.
_MORE = """
element.addEventListener('click', (event) => {
  const button = event.target.closest('.mc-more');
  if (button) trigger('select', { smiles: button.dataset.smiles });
});
"""
_EMPTY = markup.message(
    "empty",
    "Molecules appear here.",
    "Describe one in words, or give a name or a structure. Words and a structure together find "
    "molecules that fit both.",
)
_TO_TOP = "() => { document.querySelector('#search-summary').scrollIntoView({block: 'center'}); }"


def build(service: Service) -> Link:
    """Lay out the tab."""
    with gr.Group(elem_classes="mc-form"), gr.Row(equal_height=True):
        words = gr.Textbox(
            label="Words, a name or a structure",
            placeholder="e.g. beta-lactam antibiotic, caffeine, or a SMILES",
            scale=6,
            min_width=260,
            max_lines=4,
            autofocus=True,
            elem_id="search-words",
        )
        structure = gr.Textbox(
            label="and like this structure (optional)",
            placeholder="SMILES, InChI or a name",
            scale=4,
            min_width=220,
            max_lines=4,
            elem_id="search-structure",
        )
        start = gr.Button(
            "Search", variant="primary", scale=1, min_width=110, elem_id="search-start"
        )
    chips = _examples()
    with gr.Accordion("Filters and options", open=False, elem_classes="mc-options"):
        with gr.Row():
            count = gr.Radio([12, 24, 48], value=12, label="Results", min_width=200)
            lightest = gr.Textbox(
                label="Weight from, g/mol", placeholder="any", max_lines=1, min_width=130
            )
            heaviest = gr.Textbox(
                label="Weight to, g/mol", placeholder="any", max_lines=1, min_width=130
            )
            smarts = gr.Textbox(
                label="Must contain (SMARTS)",
                placeholder="e.g. C1CCN1",
                min_width=180,
                max_lines=1,
                elem_id="search-smarts",
            )
        with gr.Row():
            curated = gr.Checkbox(
                label="Curated molecules only",
                info="Entries that a curator has checked.",
                value=True,
                min_width=220,
            )
            weight = gr.Slider(
                0,
                1,
                value=0.5,
                step=0.05,
                label="Share of the words",
                info="Where words and a structure are given.",
                min_width=220,
            )
    summary = gr.HTML(elem_id="search-summary")
    found = gr.HTML(_EMPTY, elem_id="search-results", js_on_load=_MORE)
    with gr.Row(elem_classes="mc-downloads"):
        table = gr.DownloadButton(
            "Download CSV", visible=False, size="sm", scale=0, min_width=150, elem_id="search-csv"
        )
        records = gr.DownloadButton(
            "Download SDF", visible=False, size="sm", scale=0, min_width=150, elem_id="search-sdf"
        )
    hits = gr.State([])

    def search(
        words: str,
        structure: str,
        count: int,
        lightest: str,
        heaviest: str,
        smarts: str,
        curated: bool,
        weight: float,
    ) -> Iterator[tuple[Any, ...]]:
        hidden = gr.DownloadButton(visible=False)
        busy = markup.message("busy", "Searching …")
        yield busy, gr.skip(), [], hidden, hidden
        try:
            question = Question(
                words or "",
                structure or "",
                int(count),
                read_weight(lightest or ""),
                read_weight(heaviest or ""),
                smarts or "",
                bool(curated),
                float(weight),
            )
            answer = service.search(question)
            yield cards.summary(answer), cards.cards(answer), answer.result.records, hidden, hidden
        except Exception as problem:
            yield "", said(problem), [], hidden, hidden

    def files(hits: list[dict[str, Any]]) -> tuple[Any, Any]:
        if not hits:
            return gr.skip(), gr.skip()
        names = ("molclip-search.csv", "molclip-search.sdf")
        first, second = (write_download(hits, name) for name in names)
        return (
            gr.DownloadButton(value=first, visible=True),
            gr.DownloadButton(value=second, visible=True),
        )

    inputs = [words, structure, count, lightest, heaviest, smarts, curated, weight]
    outputs = [summary, found, hits, table, records]

    def answering(event: Any) -> None:
        """Search after this event, then write the files while the cards are read already."""
        done = event(
            search,
            inputs,
            outputs,
            show_progress="hidden",
            api_visibility="private",
            concurrency_limit=4,
            concurrency_id="search",
            trigger_mode="always_last",
        )
        link.remember(done.then)
        done.then(
            files,
            hits,
            [table, records],
            show_progress="hidden",
            api_visibility="private",
            concurrency_limit=2,
            concurrency_id="files",
        )

    def like(event: gr.EventData) -> tuple[str, str]:
        return "", str(event._data["smiles"])

    link = Link(
        "search",
        {
            "q": words,
            "smiles": structure,
            "n": count,
            "from": lightest,
            "to": heaviest,
            "smarts": smarts,
            "curated": curated,
            "share": weight,
        },
        starts=("q", "smiles"),
    )
    answering(link.opened)
    answering(words.submit)
    answering(structure.submit)
    for field in (lightest, heaviest, smarts):
        answering(field.submit)
    answering(start.click)
    for chip, (_, text, smiles) in zip(chips, SEARCHES, strict=True):
        answering(_filled(chip, [words, structure], [text, smiles]).then)
    answering(
        found.select(
            like, None, [words, structure], show_progress="hidden", api_visibility="private"
        )
        .then(None, None, None, js=_TO_TOP)
        .then
    )
    return link


def _examples() -> list[gr.Button]:
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        return [gr.Button(label, size="sm", scale=0, min_width=0) for label, _, _ in SEARCHES]


def _filled(chip: gr.Button, fields: list[Any], values: list[str]) -> Any:
    """Fill the form in the browser, without a way to the server and back."""
    return chip.click(None, None, fields, js=f"() => {json.dumps(values)}")
