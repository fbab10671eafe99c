"""Describe: from a molecule to words, each recorded or predicted, and by whom."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr

from molclip.describe.describing import MARGIN

from .. import descriptions, markup
from ..describing import describing_of
from ..downloads import write_download, write_text
from ..links import Link
from ..service import Service
from .guard import said

TITLE = "Describe"

_EMPTY = markup.message(
    "empty",
    "Words appear here.",
    "Give a molecule: its classes, roles and uses, what these mean, and captions. ChEBI’s facts are "
    "told from what only the model says.",
)
_MOLECULES = (
    ("quinine", "quinine"),
    ("caffeine", "caffeine"),
    ("penicillin G", "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O"),
    ("one that ChEBI does not know", "O=C(Nc1ccc(Br)cc1)c1ccncc1F"),
)
_LOOKS = 0.5
"""Seconds between two signs of progress."""


def build(service: Service) -> Link:
    """Lay out the tab."""
    describing = describing_of(service)
    with gr.Group(elem_classes="mc-form"), gr.Row(equal_height=True):
        molecule = gr.Textbox(
            label="A molecule",
            placeholder="SMILES, InChI or a name",
            scale=9,
            min_width=240,
            max_lines=4,
            elem_id="describe-molecule",
        )
        start = gr.Button(
            "Describe", variant="primary", scale=1, min_width=110, elem_id="describe-start"
        )
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        chips = [gr.Button(label, size="sm", scale=0, min_width=0) for label, _ in _MOLECULES]
    with gr.Accordion("Options", open=False, elem_classes="mc-options"):
        margin = gr.Slider(
            0,
            2,
            value=MARGIN,
            step=0.1,
            label="Threshold of predictions",
            info="Lower lists more and is wrong more often; at 2 hardly anything is left.",
            elem_id="describe-margin",
        )
    status = gr.HTML(elem_id="describe-summary")
    answer = gr.HTML(_EMPTY, elem_id="describe-answer")
    with gr.Row(elem_classes="mc-downloads"):
        table, record = (
            gr.DownloadButton(
                f"Download {kind}",
                visible=False,
                size="sm",
                scale=0,
                min_width=150,
                elem_id=f"describe-{kind.lower()}",
            )
            for kind in ("CSV", "JSON")
        )

    def describe(typed: str, margin: float) -> Iterator[tuple[Any, ...]]:
        hidden = gr.DownloadButton(visible=False)
        yield markup.message("busy", "Comparing with all labels …"), gr.skip(), hidden, hidden
        try:
            read, how = service.read_molecule(typed or "")
            while not describing.ready(_LOOKS):
                yield markup.message("busy", _reading(describing.done, describing.whole)), *_same(3)
            found = describing.describe(read, float(margin))
            files = (
                gr.DownloadButton(value=path, visible=True)
                for path in (
                    write_download(
                        descriptions.rows_for_download(found), "molclip-description.csv"
                    ),
                    write_text(
                        json.dumps(found.to_dict(), ensure_ascii=False, indent=2) + "\n",
                        "molclip-description.json",
                    ),
                )
            )
            yield descriptions.summary(how, found), descriptions.description(found), *files
        except Exception as problem:
            yield "", said(problem), hidden, hidden

    inputs, outputs = [molecule, margin], [status, answer, table, record]
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    link = Link("describe", {"smiles": molecule, "margin": margin}, starts=("smiles",))
    events = [molecule.submit, start.click, margin.release, link.opened]
    for chip, (_, typed) in zip(chips, _MOLECULES, strict=True):
        events.append(chip.click(None, None, molecule, js=f"() => {json.dumps(typed)}").then)
    for event in events:
        done = event(
            describe,
            inputs,
            outputs,
            concurrency_limit=3,
            concurrency_id="describe",
            trigger_mode="always_last",
            **quiet,
        )
        link.remember(done.then)
    return link


def _reading(done: int, whole: int) -> str:
    if not whole:
        return "Getting the labels ready …"
    return f"Reading the labels, once: {done:,} of {whole:,} …"


def _same(count: int) -> tuple[Any, ...]:
    return (gr.skip(),) * count
