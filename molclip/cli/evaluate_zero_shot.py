"""`molclip evaluate zero-shot`: does the text of a label find the molecules that have it?"""

from __future__ import annotations

import warnings
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from molclip.cli import console
from molclip.cli.evaluate import FormatOption, Output, _command, _print
from molclip.cli.options import ImagesOption, ModelOption, ReportOption, WorkersOption

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip evaluate zero-shot --data sources/ -o report/`\n\n"
    "`molclip evaluate zero-shot --set chebi-roles --set odours --model runs/mine/model`\n\n"
    "`molclip evaluate zero-shot --data sources/ --image ViT-B-32/laion2b_s34b_b79k`\n\n"
    "`molclip evaluate zero-shot --set queries` needs no data folder: it asks the embedded library."
)


class LabelSetName(StrEnum):
    """What can be measured."""

    chebi_classes = "chebi-classes"
    chebi_ancestors = "chebi-ancestors"
    chebi_roles = "chebi-roles"
    npc_pathway = "npc-pathway"
    npc_superclass = "npc-superclass"
    npc_class = "npc-class"
    uses = "uses"
    odours = "odours"
    queries = "queries"


def zero_shot(
    model: ModelOption = None,
    sets: Annotated[
        list[LabelSetName] | None,
        typer.Option("--set", help="Only this one; may be given again. All when left out."),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            envvar="MOLCLIP_DATA",
            help="Folder of the data sets (docs/zero-shot.md).",
            show_default=False,
        ),
    ] = None,
    image: ImagesOption = None,
    baselines: Annotated[
        bool,
        typer.Option(
            "--baselines/--no-baselines",
            help="Also logistic regression and nearest neighbour with training labels.",
        ),
    ] = True,
    seed: Annotated[
        int, typer.Option("--seed", help="Of bootstraps, baselines and the choice of queries.")
    ] = 0,
    workers: WorkersOption = None,
    out: ReportOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Labels on molecules that the model has never seen, and queries on the embedded library.

    AUROC, average precision and enrichment of ChEBI classes and roles, natural-product classes,
    uses and odours, beside a supervised reference, the nearest neighbour and image models;
    precision among the first ten hits of 300 queries made from ChEBI.
    """
    from molclip.evaluation import encoders
    from molclip.evaluation.zero_shot.labels import label_rows, write_labels
    from molclip.evaluation.zero_shot.report import zero_shot_report
    from molclip.evaluation.zero_shot.run import SETS, evaluate_zero_shot

    wanted = [name.value for name in sets] if sets else list(SETS)
    with console.progress() as progress, warnings.catch_warnings():
        # A description longer than the model reads is cut; the others of its set are not.
        warnings.filterwarnings("ignore", message=".*were cut")
        # Before any work: weights that are not there end the command at once.
        images = {name: encoders.image_encoder(name, workers, progress) for name in image or ()}
        encoder = encoders.molclip_encoder(model, workers, progress)
        run = evaluate_zero_shot(
            encoder,
            data,
            wanted,
            images=images,
            baselines=baselines,
            workers=workers,
            progress=progress,
            seed=seed,
        )
    report = zero_shot_report(
        run,
        model=str(model or "built-in"),
        model_hash=encoder.model.model_hash,
        command=_command(),
        seed=seed,
    )
    if out is not None:
        report.write(out, "zero-shot")
        rows = [row for result in run.sets for row in label_rows(result, run.withheld)]
        write_labels(rows, out / "zero-shot-labels.tsv")
    _print(report, output)
