"""Classify: which of these labels fits a molecule, and does any of them?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import gradio as gr

from .. import answers, markup
from ..downloads import write_download
from ..presets import CLASSIFICATIONS, LABELS
from ..service import Service, read_labels
from ..uploads import LIMITS, SUFFIXES, read_upload
from .guard import said

TITLE = "Classify"

_EMPTY = markup.message(
    "empty",
    "Labels appear here.",
    "Give a molecule or a small file, and labels of your own: any words that describe molecules.",
)


def build(service: Service) -> None:
    """Lay out the tab."""
    with gr.Row(elem_classes="mc-form"):
        with gr.Column(min_width=280):
            molecule = gr.Textbox(
                label="A molecule",
                placeholder="SMILES, InChI or a name",
                max_lines=4,
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
            preset = gr.Dropdown(
                list(LABELS),
                value=None,
                label="A set of labels",
                elem_id="classify-preset",
            )
            labels = gr.Textbox(
                label="or labels of your own, one per line",
                value=LABELS["Medicines"],
                lines=6,
                max_lines=12,
                elem_id="classify-labels",
            )
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
    with gr.Row(elem_classes="mc-start"):
        start = gr.Button(
            "Classify", variant="primary", scale=0, min_width=180, elem_id="classify-start"
        )
    summary = gr.HTML(elem_id="classify-summary")
    answer = gr.HTML(_EMPTY, elem_id="classify-answer")
    with gr.Row(elem_classes="mc-downloads"):
        table = gr.DownloadButton(
            "Download CSV", visible=False, size="sm", scale=0, min_width=150, elem_id="classify-csv"
        )

    def classify(
        molecule: str, file: str | None, labels: str, threshold: float
    ) -> Iterator[tuple[Any, ...]]:
        hidden = gr.DownloadButton(visible=False)
        busy = "Reading the file …" if file else "Comparing …"
        yield markup.message("busy", busy), gr.skip(), hidden
        try:
            wanted, remarks = read_labels(labels or "")
            if file:
                name = Path(file).name
                result = service.classify(read_upload(Path(file)), wanted, threshold / 100)
                if (molecule or "").strip():
                    remarks.append("A molecule was typed too; the file was classified.")
                first, shown = answers.count(result, name), answers.table(result)
            else:
                read, first = service.read_molecule(molecule or "")
                result = service.classify([read], wanted, threshold / 100)
                shown = answers.bars(result)
            path = write_download(answers.rows_for_download(result), "molclip-labels.csv")
            yield (
                answers.summary([first, *remarks], len(service.background)),
                shown,
                gr.DownloadButton(value=path, visible=True),
            )
        except Exception as problem:
            yield "", said(problem), hidden

    inputs, outputs = [molecule, file, labels, threshold], [summary, answer, table]
    fixed: dict[str, Any] = {
        "show_progress": "hidden",
        "api_visibility": "private",
        "concurrency_limit": 2,
        "concurrency_id": "classify",
        "trigger_mode": "always_last",
    }
    molecule.submit(classify, inputs, outputs, **fixed)
    start.click(classify, inputs, outputs, **fixed)
    preset.input(None, preset, labels, js=f"(name) => ({json.dumps(LABELS)})[name] ?? ''")
    for chip, (_, smiles, wanted) in zip(chips, CLASSIFICATIONS, strict=True):
        values = json.dumps([smiles, None, LABELS.get(wanted, wanted)])
        chip.click(None, None, [molecule, file, labels], js=f"() => {values}").then(
            classify, inputs, outputs, **fixed
        )
