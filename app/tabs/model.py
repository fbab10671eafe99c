"""Model: what it was trained on, how good it is, how its space looks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from molclip.errors import MolclipError

from .. import map_card, markup, model_page, plot_script
from ..library_view import LibraryView
from ..links import Link
from ..model_facts import model_facts
from ..presets import PLACES
from ..service import Service
from .guard import said

TITLE = "Model"

_SCRIPT = (Path(__file__).parents[1] / "static" / "map.js").read_text(encoding="utf-8")
_MAP = """<div class="mc-library-map">
<div class="mc-map-stage"><div class="mc-map-plot" role="img" aria-label="@label"></div>
<div class="mc-map-ring" hidden></div>
<p class="mc-map-status" role="status">Drawing the map …</p>
<div class="mc-map-buttons" hidden>
<button type="button" data-zoom="0.6" aria-label="Zoom in">+</button>
<button type="button" data-zoom="1.6667" aria-label="Zoom out">−</button>
<button type="button" data-zoom="0">Whole map</button></div></div>
<div class="mc-map-side" aria-live="polite"><p class="mc-facts">Point at a molecule to see it, click
to keep it here. Drag to move; wheel after a click on the map, or the buttons, to zoom.</p></div>
<ul class="mc-map-legend" aria-label="Classes: press to hide or show"></ul></div>"""


def build(service: Service) -> Link:
    """Lay out the tab."""
    view = LibraryView(service)
    facts = model_facts(service)
    gr.HTML(model_page.head(facts))
    gr.HTML(_introduction(view), elem_classes="mc-section-head")
    with gr.Group(elem_classes="mc-form"), gr.Row(equal_height=True):
        words = gr.Textbox(
            label="Where on the map do these words lie?",
            placeholder="Words, a name or a structure",
            scale=6,
            min_width=240,
            max_lines=3,
            elem_id="model-words",
        )
        start = gr.Button(
            "Show on the map", variant="primary", scale=1, min_width=190, elem_id="model-start"
        )
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        chips = [gr.Button(label, size="sm", scale=0, min_width=0) for label in PLACES]

    def map_points(_: Any = None) -> dict[str, Any]:
        try:
            return {"groups": view.groups()}
        except Exception as problem:
            return {"error": said(problem)}

    def map_molecule(point: Any) -> str:
        try:
            return map_card.card(view.record(point))
        except Exception as problem:
            return said(problem)

    drawn = gr.HTML(
        "",
        html_template=_MAP.replace(
            "@label", "Map of molecules; the nearest ones to words are listed below it."
        ),
        js_on_load=f"const PLOTLY = {json.dumps(plot_script.address())};\n{_SCRIPT}",
        server_functions=[map_points, map_molecule],
        elem_id="model-map",
    )
    nearest = gr.HTML(elem_id="model-nearest")
    for part in ("results", "geometry", "training_curves", "training", "rest"):
        gr.HTML(getattr(model_page, part)(facts), elem_id=f"model-{part.replace('_', '-')}")

    def place(words: str) -> Iterator[tuple[Any, ...]]:
        yield gr.skip(), markup.message("busy", "Looking …")
        try:
            found = view.place(words or "")
            where = {
                "x": found.place.x,
                "y": found.place.y,
                "nearest": found.place.nearest.tolist(),
                "scattered": found.scattered,
            }
            yield json.dumps(where), map_card.placed(view, found)
        except Exception as problem:
            yield "", said(problem)

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    link = Link("model", {"q": words})
    events = [words.submit, start.click, link.opened]
    for chip, text in zip(chips, PLACES, strict=True):
        events.append(chip.click(None, None, words, js=f"() => {json.dumps(text)}").then)
    for event in events:
        done = event(
            place,
            words,
            [drawn, nearest],
            concurrency_limit=4,
            concurrency_id="map",
            trigger_mode="always_last",
            **quiet,
        )
        link.remember(done.then)
    return link


def _introduction(view: LibraryView) -> str:
    try:
        count = len(view.map)
    except MolclipError as problem:
        return f"<h2>Map of the library</h2>{markup.error(problem)}"
    total = view.service.library.info().curated_rows or len(view.service.library)
    return (
        f'<h2>Map of the library</h2><p class="mc-facts">{count:,} of {total:,} curated molecules, '
        "laid out by t-SNE of their vectors and coloured by what ChEBI calls them. Molecules side "
        "by side are alike to the model; distances further off, and the size of a cluster, mean "
        "nothing.</p>"
    )
