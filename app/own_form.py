"""The fields of the tab of visitors' own libraries, and what they make of a question."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from . import filters, markup
from .embedding import COMMAND
from .limits import OWN_BYTES, OWN_ROWS, SMARTS_LENGTH
from .question import DEEPEST, Question
from .uploads import SUFFIXES

if TYPE_CHECKING:
    from .histograms import Histogram

NAME = "own"
LONGEST_COLUMN = 300
"""Characters of a column that hits may be sorted by."""
COUNTS = (12, 24, 48)
PROFILES = (
    ("As drawn", "none"),
    ("One drawing per group", "light"),
    ("Largest organic part, neutral", "parent"),
)
EXAMPLE = """name,smiles,batch,pIC50,note
aspirin,CC(=O)Oc1ccccc1C(=O)O,A-01,4.2,
caffeine,CN1C=NC2=C1C(=O)N(C(=O)N2C)C,A-02,4.9,from tea
ibuprofen,CC(C)Cc1ccc(cc1)C(C)C(=O)O,A-03,5.1,
penicillin G,CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O,B-01,6.8,
menthol,C[C@@H]1CC[C@H]([C@@H](C1)O)C(C)C,B-02,,smells of mint
nicotine,CN1CCC[C@H]1c1cccnc1,B-03,7.3,
open ring,C1CC(,B-04,5.0,not closed
DDT,C1=CC(=CC=C1C(C2=CC=C(C=C2)Cl)C(Cl)(Cl)Cl)Cl,C-01,,
sucrose,OC[C@H]1O[C@H](O[C@]2(CO)O[C@H](CO)[C@@H](O)[C@@H]2O)[C@H](O)[C@@H](O)[C@@H]1O,C-02,,sweet
too many bonds,CC(C)(C)(C)C,C-03,4.4,
quercetin,O=c1c(O)c(-c2ccc(O)c(O)c2)oc2cc(O)cc(O)c12,C-04,5.6,from onions
cholesterol,C[C@H](CCCC(C)C)[C@H]1CC[C@@H]2[C@@]1(CC[C@H]3[C@H]2CC=C4[C@@]3(CC[C@@H](C4)O)C)C,D-01,,
"""

_LIMIT = f"up to {OWN_ROWS:,} rows and {OWN_BYTES // 1024**2} MB"
_STATIC = Path(__file__).parent / "static"


@dataclass(frozen=True)
class Drop:
    """Where the file goes in."""

    file: gr.File
    start: gr.Button
    example: gr.Button
    structure: gr.Textbox
    standardise: gr.Radio
    gate: gr.HTML
    """Checks files in the browser, and asks for a library again after a reload (`open`)."""


@dataclass(frozen=True)
class Form:
    """Fields of a question; those of `turned` are set by controls among the results."""

    words: gr.Textbox
    structure: gr.Textbox
    start: gr.Button
    panel: gr.HTML
    bounds: gr.Textbox
    smarts: gr.Textbox
    share: gr.Slider
    sort: gr.Textbox
    count: gr.Number
    page: gr.Number

    @property
    def turned(self) -> list[Any]:
        """Order, number and page."""
        return [self.sort, self.count, self.page]

    @property
    def inputs(self) -> list[Any]:
        """What `question` takes."""
        asked = [self.words, self.structure, self.bounds, self.smarts, self.share]
        return [*asked, *self.turned]


def drop() -> Drop:
    """Lay out where the file goes in."""
    with gr.Row(elem_classes="mc-form mc-drop"):
        with gr.Column(min_width=280, scale=3):
            # Kinds of files are checked in the script and on the server: a list of them here would
            # grey files out on telephones, which do not know the kinds.
            file = gr.File(label="Your molecules", height=150, elem_id="own-file-drop")
            gr.HTML(
                f"SDF, SMILES, CSV, TSV, Parquet or xlsx, {_LIMIT}. Nobody else can see or search "
                "it, and nothing leaves this server.",
                elem_classes="mc-hint",
            )
        with gr.Column(min_width=220, scale=1, elem_classes="mc-drop-buttons"):
            start = gr.Button("Embed", variant="primary", min_width=110, elem_id="own-embed")
            example = gr.Button("Try an example file", size="sm", elem_id="own-example")
    limits = {
        "field": "own-file-drop",
        "most": OWN_BYTES,
        "suffixes": list(SUFFIXES),
        "kinds": f"It reads {', '.join(SUFFIXES)}.",
        "elsewhere": f"Split it, or run {COMMAND} on your own machine: it has no such limit.",
    }
    script = (_STATIC / "your-library.js").read_text(encoding="utf-8")
    gate = gr.HTML(
        '<div id="own-refused" role="alert"></div>',
        js_on_load=f"const LIMITS = {json.dumps(limits)};\n{script}",
        elem_id="own-gate",
    )
    with gr.Accordion("Options", open=False, elem_classes="mc-options"), gr.Row():
        structure = gr.Textbox(
            label="Column of the structures",
            placeholder="found by itself",
            info="Its title, where the right one is not found.",
            max_lines=1,
            max_length=200,
            min_width=220,
            elem_id="own-column",
        )
        standardise = gr.Radio(
            list(PROFILES),
            value="none",
            label="Structures",
            info="Charge, salt and stereo carry meaning, so nothing is changed unless you say so.",
            min_width=280,
        )
    return Drop(file, start, example, structure, standardise, gate)


def form() -> Form:
    """Lay out the fields of a question."""
    with gr.Group(elem_classes="mc-form"), gr.Row(equal_height=True):
        words = gr.Textbox(
            label="Words, a name or a structure",
            placeholder="e.g. beta-lactam antibiotic, or a name of your file",
            scale=6,
            min_width=260,
            max_lines=4,
            elem_id="own-words",
        )
        structure = gr.Textbox(
            label="and like this structure (optional)",
            placeholder="SMILES, InChI or a name",
            scale=4,
            min_width=220,
            max_lines=4,
            elem_id="own-structure",
        )
        start = gr.Button("Search", variant="primary", scale=1, min_width=110, elem_id="own-start")
    with gr.Accordion(
        "Filters and options", open=False, elem_classes="mc-options", elem_id="own-options"
    ):
        panel, bounds = filters.panel(NAME, [])
        with gr.Row():
            smarts = gr.Textbox(
                label="Must contain (SMARTS)",
                placeholder="e.g. C1CCN1",
                info="Marked in the drawings.",
                min_width=220,
                max_lines=1,
                max_length=SMARTS_LENGTH + 1,
                elem_id="own-smarts",
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
    sort = gr.Textbox("", visible=False, label="Sort")
    count = gr.Number(COUNTS[0], visible=False, precision=0, label="Hits on a page")
    page = gr.Number(1, visible=False, precision=0, label="Page")
    return Form(words, structure, start, panel, bounds, smarts, share, sort, count, page)


def results_script() -> str:
    """JavaScript of the hits: reports `more`, `turn` and `take`."""
    return (_STATIC / "own-results.js").read_text(encoding="utf-8")


def panel_of(shown: Sequence[Histogram]) -> str:
    """The filter panel of a library."""
    return (
        filters.markup(shown) if shown else f'<p class="mc-hint">{markup.text("No numbers.")}</p>'
    )


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
    words, structure, bounds, smarts, share, sort, count, page = values
    return Question(
        words=words or "",
        structure=structure or "",
        count=int(count) if int(count or 0) in COUNTS else COUNTS[0],
        smarts=smarts or "",
        curated=False,
        weight=min(1.0, max(0.0, float(share))),
        bounds=filters.read_bounds(bounds or "", shown),
        sort=str(sort or ""),
        page=min(DEEPEST, max(1, int(page or 1))),
    )
