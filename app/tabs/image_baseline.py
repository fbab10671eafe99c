"""Image baseline: the same question to open_clip, which looks at pictures, beside molclip."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr

from molclip.errors import ModelError

from .. import comparison, markup
from ..links import Link
from ..picture_search import LARGEST, MOLECULES, picture_search_of, question
from ..presets import PICTURES
from ..service import Service
from .guard import said

TITLE = "Image baseline"

_EMPTY = markup.message(
    "empty",
    "Two answers appear here.",
    "On the left what CLIP, trained on photographs and their captions, finds among drawings of "
    "molecules; on the right what molclip finds among the same molecules.",
)


def build(service: Service) -> Link:
    """Lay out the tab."""
    pictures = picture_search_of(service)
    with gr.Group(elem_classes="mc-form"), gr.Row(equal_height=True):
        words = gr.Textbox(
            label="Words",
            placeholder="e.g. steroid hormone",
            scale=6,
            min_width=240,
            max_lines=4,
            elem_id="image-words",
        )
        start = gr.Button(
            "Compare", variant="primary", scale=1, min_width=110, elem_id="image-start"
        )
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        chips = [gr.Button(label, size="sm", scale=0, min_width=0) for label in PICTURES]
    gr.HTML(
        f"Both search the same {MOLECULES} molecules, drawn once from the curated ones with a "
        f"recorded role and up to {LARGEST} heavy atoms; both get the words as they are typed.",
        elem_classes="mc-hint",
    )
    with gr.Row(elem_classes="mc-start"):
        status = gr.HTML(elem_id="image-status")
        cancel = gr.Button("Cancel", visible=False, scale=0, min_width=110, elem_id="image-cancel")
    answer = gr.HTML(_EMPTY, elem_id="image-answer")

    def compare(words: str) -> Iterator[tuple[Any, ...]]:
        idle = gr.Button(visible=False)
        yield markup.message("busy", "Loading the model of pictures …"), gr.skip(), gr.skip()
        try:
            question(words or "")
            found: Any
            try:
                found = pictures.baseline()
            except ModelError as problem:
                found = problem
            else:
                for done, total in pictures.prepare(found):
                    yield comparison.progress(done, total), gr.skip(), gr.skip()
            shown = comparison.compared(pictures.compare(words or "", found), pictures.records)
            yield "", shown, idle
        except Exception as problem:
            yield "", said(problem), idle

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}

    def waiting() -> tuple[Any, ...]:
        return markup.message("busy", "Waiting for a turn …"), gr.Button(visible=True)

    link = Link("image-baseline", {"q": words})
    running = []
    events = [words.submit, start.click, link.opened]
    for chip, text in zip(chips, PICTURES, strict=True):
        events.append(chip.click(None, None, words, js=f"() => {json.dumps(text)}").then)
    for event in events:
        done = event(waiting, None, [status, cancel], queue=False, **quiet).then(
            compare,
            words,
            [status, answer, cancel],
            concurrency_limit=2,
            concurrency_id="pictures",
            trigger_mode="always_last",
            **quiet,
        )
        link.remember(done.then)
        running.append(done)

    def cancelled() -> tuple[Any, ...]:
        return markup.message("busy", "Cancelled; what is drawn stays drawn."), gr.Button(
            visible=False
        )

    cancel.click(cancelled, None, [status, cancel], cancels=running, queue=False, **quiet)
    return link
