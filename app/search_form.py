"""The fields of the search tab and what they make of a question."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from .board import drawing_board
from .filters import panel, read_bounds
from .histograms import Histogram
from .limits import SMARTS_LENGTH
from .links import Link
from .presets import SEARCHES
from .question import DEEPEST, Question
from .results import COUNTS, VIEWS, sorts

if TYPE_CHECKING:
    from .service import Service

NAME = "search"
_NOTES = (Path(__file__).parent / "static" / "box-notes.js").read_text(encoding="utf-8")


@dataclass(frozen=True)
class Form:
    """The fields; those of `turned` are set by controls among the results."""

    words: gr.Textbox
    structure: gr.Textbox
    start: gr.Button
    board: gr.HTML
    chips: list[gr.Button]
    panel: gr.HTML
    bounds: gr.Textbox
    smarts: gr.Textbox
    curated: gr.Checkbox
    recorded: gr.Checkbox
    share: gr.Slider
    sort: gr.Dropdown
    count: gr.Radio
    view: gr.Radio
    page: gr.Number

    @property
    def turned(self) -> list[Any]:
        """Fields that say how hits are shown: order, number, view and page."""
        return [self.sort, self.count, self.view, self.page]

    @property
    def inputs(self) -> list[Any]:
        """What `question` takes."""
        asked = [self.words, self.structure, self.bounds, self.smarts, self.curated, self.recorded]
        return [*asked, self.share, *self.turned]

    def link(self) -> Link:
        """What the address of a search says."""
        return Link(
            NAME,
            {
                "q": self.words,
                "smiles": self.structure,
                "filter": self.bounds,
                "smarts": self.smarts,
                "curated": self.curated,
                "recorded": self.recorded,
                "share": self.share,
                "sort": self.sort,
                "n": self.count,
                "view": self.view,
                "part": self.page,
            },
            starts=("q", "smiles"),
        )


def form(service: Service, shown: Sequence[Histogram]) -> Form:
    """Lay the fields out; `shown` are the columns to filter and sort by."""
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
    board = drawing_board(service, structure)
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        chips = [gr.Button(label, size="sm", scale=0, min_width=0) for label, _, _ in SEARCHES]
    with gr.Accordion(
        "Filters and options", open=False, elem_classes="mc-options", elem_id="search-options"
    ):
        ranges, bounds = panel(NAME, shown)
        with gr.Row():
            smarts = gr.Textbox(
                label="Must contain (SMARTS)",
                info="Marked in the drawings.",
                placeholder="e.g. C1CCN1",
                min_width=220,
                max_lines=1,
                max_length=SMARTS_LENGTH + 1,
                elem_id="search-smarts",
            )
            curated = gr.Checkbox(
                label="Curated molecules only",
                info="Entries that a curator has checked.",
                value=True,
                min_width=220,
                elem_id="search-curated",
            )
            recorded = gr.Checkbox(
                label="Recorded only",
                info="Molecules of which ChEBI states what is asked.",
                value=False,
                min_width=220,
                elem_id="search-recorded",
            )
            share = gr.Slider(
                0,
                1,
                value=0.5,
                step=0.05,
                label="Share of the words",
                info="Where words and a structure are given.",
                min_width=220,
            )
    gr.HTML("", visible="hidden", js_on_load=_NOTES)
    columns = [histogram.column for histogram in shown]
    return Form(
        words, structure, start, board, chips, ranges, bounds, smarts, curated, recorded,
        share,
        sort=gr.Dropdown(sorts(columns), value="", visible=False, label="Sort"),
        count=gr.Radio(list(COUNTS), value=COUNTS[0], visible=False, label="Hits on a page"),
        view=gr.Radio(list(VIEWS), value=VIEWS[0], visible=False, label="View"),
        page=gr.Number(
            1, visible=False, precision=0, minimum=1, maximum=DEEPEST // min(COUNTS), label="Page"
        ),
    )  # fmt: skip


def question(shown: Sequence[Histogram], values: Sequence[Any]) -> Question:
    """The question that the fields hold.

    Parameters
    ----------
    shown
        Of the columns that may be filtered by.
    values
        Of `Form.inputs`.

    Raises
    ------
    InputError
        For filters that cannot be used.
    """
    words, structure, bounds, smarts, curated, recorded, share, sort, count, _, page = values
    return Question(
        words=words or "",
        structure=structure or "",
        count=int(count),
        smarts=smarts or "",
        curated=bool(curated),
        recorded=bool(recorded),
        weight=float(share),
        bounds=read_bounds(bounds or "", shown),
        sort=sort or "",
        page=int(page or 1),
    )
