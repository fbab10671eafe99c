"""Why: which atoms and which words carry a match, and a neighbour that lacks it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr

from .. import counter_examples, explanations, markup
from ..downloads import write_text
from ..explaining import above, counter, explained, read_match
from ..limits import EXPLAINED_ATOMS, EXPLAINED_PIECES
from ..links import Link
from ..presets import MATCHES
from ..service import Service
from .guard import said

TITLE = "Why"

_EMPTY = markup.message(
    "empty",
    "An explanation appears here.",
    "Give a molecule and words that may fit it: the structure shows which atoms raise or lower the "
    "match, the words which of them count, and a molecule much like it shows what the match hangs "
    "on.",
)


def build(service: Service) -> Link:
    """Lay out the tab."""
    with gr.Group(elem_classes="mc-form"), gr.Row(equal_height=True):
        molecule = gr.Textbox(
            label="A molecule",
            placeholder="SMILES, InChI or a name",
            scale=5,
            min_width=240,
            max_lines=4,
            elem_id="why-molecule",
        )
        words = gr.Textbox(
            label="Words",
            placeholder="e.g. beta-lactam antibiotic",
            scale=5,
            min_width=240,
            max_lines=4,
            elem_id="why-words",
        )
        start = gr.Button("Explain", variant="primary", scale=1, min_width=110, elem_id="why-start")
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        chips = [gr.Button(label, size="sm", scale=0, min_width=0) for label, *_ in MATCHES]
    gr.HTML(
        f"Up to {EXPLAINED_ATOMS} atoms and words of up to {EXPLAINED_PIECES} pieces, for every "
        "atom and every word is weighed on its own. What is explained is this model’s score, "
        "neither chemistry nor biology.",
        elem_classes="mc-hint",
    )
    with gr.Row(elem_classes="mc-start"):
        status = gr.HTML(elem_id="why-summary")
        cancel = gr.Button("Cancel", visible=False, scale=0, min_width=110, elem_id="why-cancel")
    answer = gr.HTML(_EMPTY, elem_id="why-answer")
    beside = gr.HTML(elem_id="why-counter")
    with gr.Row(elem_classes="mc-downloads"):
        figure, values = (
            gr.DownloadButton(
                f"Download {kind}",
                visible=False,
                size="sm",
                scale=0,
                min_width=150,
                elem_id=f"why-{kind.lower()}",
            )
            for kind in ("SVG", "JSON")
        )

    def explain(molecule: str, words: str) -> Iterator[tuple[Any, ...]]:
        hidden, idle = gr.DownloadButton(visible=False), gr.Button(visible=False)
        yield (_busy("Weighing atoms and words …"), gr.skip(), "", gr.skip(), hidden, hidden)
        try:
            match = read_match(service, molecule or "", words or "")
            found = explained(service, match)
            higher = above(service, match, found.score)
            top = explanations.summary(match, found, higher, len(service.background))
            files = (
                gr.DownloadButton(value=write_text(content, name), visible=True)
                for content, name in (
                    (found.to_svg(), "molclip-why.svg"),
                    (found.to_json(), "molclip-why.json"),
                )
            )
            looking = _busy("Looking for a counter-example …")
            yield (top, explanations.explanation(found), looking, gr.skip(), *files)
        except Exception as problem:
            yield "", said(problem), "", idle, hidden, hidden
            return
        try:
            other = counter(service, match)
            shown = (
                counter_examples.nothing(match)
                if other is None
                else counter_examples.counter(match, other, found)
            )
        except Exception as problem:
            shown = said(problem)
        yield gr.skip(), gr.skip(), shown, idle, gr.skip(), gr.skip()

    inputs = [molecule, words]
    outputs = [status, answer, beside, cancel, figure, values]
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

    def waiting() -> tuple[Any, ...]:
        return _busy("Waiting for a turn …"), gr.Button(visible=True)

    link = Link("why", {"smiles": molecule, "text": words})
    running = []
    events = [molecule.submit, words.submit, start.click, link.opened]
    for chip, (_, smiles, text) in zip(chips, MATCHES, strict=True):
        filled = chip.click(None, None, inputs, js=f"() => {json.dumps([smiles, text])}")
        events.append(filled.then)
    for event in events:
        done = event(waiting, None, [status, cancel], queue=False, **quiet).then(
            explain,
            inputs,
            outputs,
            concurrency_limit=2,
            concurrency_id="why",
            trigger_mode="always_last",
            **quiet,
        )
        link.remember(done.then)
        running.append(done)

    def cancelled() -> tuple[Any, ...]:
        return markup.message("busy", "Cancelled."), "", gr.Button(visible=False)

    cancel.click(cancelled, None, [status, beside, cancel], cancels=running, queue=False, **quiet)
    return link


def _busy(what: str) -> str:
    return markup.message("busy", what)
