"""`molclip evaluate calibration`: can the remarks beside an answer be trusted?"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from molclip.cli import console
from molclip.cli.evaluate import FormatOption, Output, _command, _print
from molclip.cli.options import ModelOption, ReportOption, WorkersOption

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip evaluate calibration --data sources/ -o report/`\n\n"
    "`molclip evaluate calibration --part levels --part labels --model runs/mine/model`\n\n"
    "`molclip evaluate calibration --pairs held_out.csv` with columns id, smiles and text."
)


class Part(StrEnum):
    """What can be measured."""

    levels = "levels"
    labels = "labels"
    domain = "domain"


def calibration(
    model: ModelOption = None,
    parts: Annotated[
        list[Part] | None,
        typer.Option(
            "--part",
            help="levels: match levels and their percentiles; labels: percentiles of labels and "
            "'none of these'; domain: molecules and texts outside. May be given again; all when "
            "left out.",
        ),
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            envvar="MOLCLIP_DATA",
            help="Folder with the ChEBI-20 benchmark (docs/evaluation.md).",
            show_default=False,
        ),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option(
            "--pairs",
            help="Instead of it, texts of molecules that the model has not seen: CSV or TSV with "
            "columns id, smiles, text.",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of everything that is drawn.")] = 0,
    workers: WorkersOption = None,
    out: ReportOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Hold match levels, percentiles, 'none of these' and the domain against held-out molecules.

    On validation molecules of ChEBI-20 that did not set the levels, and on questions without
    answer: how often is a strong hit right, does a percentile mean what it says, how often is
    'none of these' said of molecules that hold a label and of those that hold none?
    """
    from molclip.evaluation.calibration.report import calibration_report
    from molclip.evaluation.calibration.run import PARTS, evaluate_calibration
    from molclip.evaluation.encoders import molclip_encoder
    from molclip.evaluation.pairs import load_chebi20, load_pairs

    read = load_pairs(pairs) if pairs is not None else load_chebi20(data)
    smiles = dict(zip(read.pool_ids, read.pool_smiles, strict=True))
    held_out = [(text, smiles[id_]) for id_, text in zip(read.text_ids, read.texts, strict=True)]
    wanted = [part.value for part in parts] if parts else list(PARTS)
    with console.progress() as progress:
        encoder = molclip_encoder(model, workers, progress)
        run = evaluate_calibration(
            encoder, held_out, wanted, folder=data, progress=progress, seed=seed
        )
    report = calibration_report(
        run,
        data=f"{read.name} {read.split}: {', '.join(read.files)}",
        model=str(model or "built-in"),
        model_hash=encoder.model.model_hash,
        command=_command(),
        seed=seed,
    )
    if out is not None:
        report.write(out, "calibration")
    _print(report, output)
