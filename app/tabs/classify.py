"""Classify: which of these labels fits a molecule, and does any of them?"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr
from gradio.context import Context

from molclip.text.prompts import DEFAULT_TEMPLATES

from .. import answers, markup
from ..downloads import write_download
from ..heatmap import heat_map
from ..held_files import UPLOADS, present
from ..label_sets import choices, label_set
from ..labelling import Labelled, labeller_of
from ..labels import Label, labels_of, read_labels, read_templates
from ..links import Link
from ..presets import CLASSIFICATIONS
from ..service import Service
from ..typed import lines_of, read_typed
from ..uploads import LIMITS, SUFFIXES, read_upload
from .guard import said

TITLE = "Classify"
VIEWS = ("table", "heat map")

_EMPTY = markup.message(
    "empty",
    "Labels appear here.",
    "Give molecules or a small file, and choose a set of labels or type your own: any words that "
    "describe molecules.",
)
_EXAMPLE = """opioid analgesic
sweetener = {a} | tastes very sweet | used in place of sugar
dye; solvent; surfactant"""
_SYNTAX = f"""<details class="mc-syntax"><summary>How to write labels</summary>
<p>One per line, or several with semicolons between them. Sentences of a label’s own stand behind
<code>=</code> with a space on either side, and <code>|</code> between them; their vectors are
averaged. In a sentence <code>{markup.text("{}")}</code> is the label and
<code>{markup.text("{a}")}</code> the label with “a” or “an” before it.</p>
<pre>{markup.text(_EXAMPLE)}</pre>
<p>The model reads other labels in the sentences under <em>Options</em>.</p></details>"""
# The answer holds both views; which one is seen is the browser's business.
_VIEW = """(view) => {
  const views = document.querySelector('#classify-answer .mc-views');
  if (views) views.dataset.view = view;
  return [];
}"""


def build(service: Service) -> Link:
    """Lay out the tab."""
    labeller = labeller_of(service)
    with gr.Row(elem_classes="mc-form"):
        with gr.Column(min_width=280):
            molecule = gr.Textbox(
                label="Molecules, one per line",
                placeholder="SMILES, InChI or names",
                info="Shift and Enter start a new line.",
                max_lines=8,
                elem_id="classify-molecule",
            )
            file = gr.File(
                label="or a file",
                file_types=list(SUFFIXES),
                height=150,
                elem_id="classify-file",
            )
            gr.HTML(f"SDF, SMILES, CSV, TSV, Parquet or xlsx, {LIMITS}.", elem_classes="mc-hint")
        with gr.Column(min_width=280):
            with gr.Row(elem_classes="mc-set"):
                chosen = gr.Dropdown(
                    choices(),
                    value="medicines",
                    label="A set of labels",
                    scale=4,
                    min_width=180,
                    elem_id="classify-preset",
                )
                edit = gr.Button(
                    "Edit these", size="sm", scale=0, min_width=100, elem_id="classify-edit"
                )
            labels = gr.Textbox(
                label="or labels of your own, one per line",
                placeholder="opioid analgesic\nsweetener = tastes very sweet | used like sugar",
                info="Used in place of the set.",
                lines=4,
                max_lines=12,
                elem_id="classify-labels",
            )
            gr.HTML(_SYNTAX)
    with gr.Row(elem_classes="mc-chips"):
        gr.HTML("<span>Try</span>", elem_classes="mc-try")
        chips = [gr.Button(label, size="sm", scale=0, min_width=0) for label, *_ in CLASSIFICATIONS]
    with gr.Accordion("Options", open=False, elem_classes="mc-options"):
        threshold = gr.Slider(
            50,
            99.9,
            value=95,
            step=0.1,
            label="Threshold, percentile",
            info="When no label reaches it, the answer is “none of these”.",
            elem_id="classify-threshold",
        )
        templates = gr.Textbox(
            label="Sentences around each label, one per line",
            placeholder="\n".join(DEFAULT_TEMPLATES),
            info="{} is the label, {a} the label with its article. Empty: the sentences of the "
            "set, or those shown here for labels of your own.",
            lines=4,
            max_lines=12,
            elem_id="classify-templates",
        )
    with gr.Row(elem_classes="mc-start"):
        start = gr.Button(
            "Classify", variant="primary", scale=0, min_width=180, elem_id="classify-start"
        )
        cancel = gr.Button(
            "Cancel", visible=False, scale=0, min_width=110, elem_id="classify-cancel"
        )
    summary = gr.HTML(elem_id="classify-summary")
    # Hidden, not absent: a component that is not there yet is fetched when it is first shown, and an
    # update that arrives in the meantime can be lost.
    view = gr.Radio(
        list(VIEWS), value=VIEWS[0], label="Show as", visible="hidden", elem_id="classify-view"
    )
    answer = gr.HTML(_EMPTY, elem_id="classify-answer")
    with gr.Row(elem_classes="mc-downloads"):
        table = _download("CSV", "classify-csv")
        records = _download("JSON", "classify-json")

    def classify(
        molecule: str,
        file: str | None,
        chosen: str,
        labels: str,
        templates: str,
        threshold: float,
        view: str,
    ) -> Iterator[tuple[Any, ...]]:
        hidden = gr.DownloadButton(visible=False)
        busy = "Reading the file …" if file else "Comparing …"
        idle = (gr.Button(visible=False), gr.skip(), hidden, hidden)
        yield (markup.message("busy", busy), gr.skip(), gr.skip(), gr.skip(), hidden, hidden)
        try:
            wanted, remarks, source = _labels(chosen, labels or "", templates or "")
            if file:
                given = present(file)
                name = given.name
                items: Sequence[Any] = read_upload(given)
                first = ""
                if (molecule or "").strip():
                    remarks.append("Molecules were typed too; the file was classified.")
            else:
                name, (items, first) = "", read_typed(lines_of(molecule or ""), service)
            made: Labelled | None = None
            for step in labeller.steps(items, wanted, threshold / 100):
                if isinstance(step, Labelled):
                    made = step
                elif step:
                    shown = _progress(step, len(items))
                    yield (shown, gr.skip(), gr.Button(visible=True), gr.skip(), hidden, hidden)
            assert made is not None
            result = made.result
            first = answers.count(result, name) if file else first
            several = len(result) > 1
            shown = _views(made, view) if several else answers.bars(result)
            yield (
                answers.summary([first, *remarks], len(service.background), result, source),
                shown + answers.sentences(made.labels),
                gr.Button(visible=False),
                gr.Radio(visible=several or "hidden"),
                hidden,
                hidden,
            )
            rows = answers.rows_for_download(result)
            files = [write_download(rows, f"molclip-labels.{kind}") for kind in ("csv", "jsonl")]
            # What was shown and hidden is said again: of two answers that come within one frame, the
            # browser may take the later one alone.
            yield (
                gr.skip(),
                gr.skip(),
                gr.Button(visible=False),
                gr.Radio(visible=several or "hidden"),
                *(gr.DownloadButton(value=path, visible=True) for path in files),
            )
        except Exception as problem:
            yield "", said(problem), gr.Button(visible=False), gr.Radio(visible="hidden"), *idle[2:]

    inputs = [molecule, file, chosen, labels, templates, threshold, view]
    outputs = [summary, answer, cancel, view, table, records]
    link = Link(
        "classify",
        {
            "smiles": molecule,
            "set": chosen,
            "labels": labels,
            "sentences": templates,
            "threshold": threshold,
            "view": view,
        },
        starts=("smiles",),
    )
    running = []

    def answering(event: Any) -> None:
        done = event(
            classify,
            inputs,
            outputs,
            show_progress="hidden",
            api_visibility="private",
            concurrency_limit=2,
            concurrency_id="classify",
            trigger_mode="always_last",
        )
        running.append(done)
        link.remember(done.then)

    answering(molecule.submit)
    answering(start.click)
    answering(link.opened)
    for chip, (_, *values) in zip(chips, CLASSIFICATIONS, strict=True):
        smiles, key, own = values
        fill = json.dumps([smiles, None, key, own, ""])
        filled = chip.click(
            None, None, [molecule, file, chosen, labels, templates], js=f"() => {fill}"
        )
        answering(filled.then)
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    cancel.click(_cancelled, None, [summary, cancel], cancels=running, queue=False, **quiet)
    edit.click(_editable, chosen, [labels, templates], queue=False, **quiet)
    file.upload(_held, file, None, queue=False, **quiet)
    file.clear(_let_go, None, None, queue=False, **quiet)
    assert Context.root_block is not None
    Context.root_block.unload(_let_go)
    view.input(None, view, None, js=_VIEW, **quiet)
    link.remember(view.input)
    return link


def _download(kind: str, id: str) -> gr.DownloadButton:
    return gr.DownloadButton(
        f"Download {kind}", visible=False, size="sm", scale=0, min_width=150, elem_id=id
    )


def _labels(chosen: str, own: str, templates: str) -> tuple[list[Label], list[str], str]:
    """The labels to rank, remarks, and where a set is from."""
    sentences = read_templates(templates)
    labels, remarks = read_labels(own, sentences or DEFAULT_TEMPLATES)
    if labels or not chosen:
        return labels, remarks, ""
    found = label_set(chosen)
    return labels_of(found, sentences), [], f"Labels: {found.title} ({found.source})."


def _editable(chosen: str) -> tuple[str, str]:
    """The set as text, with its sentences."""
    found = label_set(chosen)
    return "\n".join(found.labels), "\n".join(found.templates)


def _views(made: Labelled, view: str) -> str:
    shown = view if view in VIEWS else VIEWS[0]
    return (
        f'<div class="mc-views" data-view="{shown}">'
        f'<div class="mc-view-table">{answers.table(made.result)}</div>'
        f'<div class="mc-view-heat">{heat_map(made.result)}</div></div>'
    )


def _progress(done: int, of: int) -> str:
    said = f"{done:,} of {of:,} molecules compared"
    return (
        f"{markup.message('busy', f'{said} …')}"
        f'<progress class="mc-progress" max="{of}" value="{done}" aria-label="{said}"></progress>'
    )


def _held(request: gr.Request, file: str | None) -> None:
    """The visitor gave a file; another tab that has the same one must not delete it."""
    UPLOADS.hold(_holder(request), file)


def _let_go(request: gr.Request) -> None:
    """The file was taken out of its field, or the browser tab was closed or reloaded."""
    UPLOADS.release(_holder(request))


def _holder(request: gr.Request) -> str:
    return f"classify {request.session_hash or ''}"


def _cancelled() -> tuple[str, Any]:
    return markup.message("busy", "Cancelled; the answer below is an earlier one."), gr.Button(
        visible=False
    )
