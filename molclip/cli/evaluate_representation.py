"""`molclip evaluate representation`: how texts and molecules lie on the sphere."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Annotated

import typer

from molclip.cli import console
from molclip.cli.evaluate import FormatOption, Output, _command, _print
from molclip.cli.options import ModelOption, ReportOption

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip evaluate representation -o report/`\n\n"
    "`molclip evaluate representation --data chebi20/ --model runs/mine/model --sample 1000`\n\n"
    "Without a data folder: molecules of the embedded library that no training may see, with "
    "captions made from their facts."
)


def representation(
    model: ModelOption = None,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            envvar="MOLCLIP_DATA",
            help="Folder of ChEBI-20, whose validation pairs are then used.",
            show_default=False,
        ),
    ] = None,
    sample: Annotated[
        int, typer.Option("--sample", min=32, help="At most so many pairs, drawn at random.")
    ] = 2000,
    seed: Annotated[int, typer.Option("--seed", help="Of every draw and of the map.")] = 0,
    no_map: Annotated[
        bool, typer.Option("--no-map", help="Leave the 2D map out, the slow part.")
    ] = False,
    out: ReportOption = None,
    output: FormatOption = Output.table,
) -> None:
    """Alignment, uniformity, rank, modality gap, hubs, hardness of negatives, and a 2D map.

    Each figure stands beside that of random vectors, as many and as long. The study of the
    temperature on random vectors of 32, 128 and 512 dimensions needs no model.
    """
    from molclip.evaluation.representation_pairs import chebi20_pairs, library_pairs
    from molclip.evaluation.representation_report import representation_report
    from molclip.evaluation.representation_study import study_representation
    from molclip.models.molclip import MolCLIP

    pairs = library_pairs(sample, seed) if data is None else chebi20_pairs(data, sample, seed)
    loaded = MolCLIP.from_pretrained(model)
    with console.progress() as progress, warnings.catch_warnings():
        # The vectors are what is looked at; where a text ends for the model is not.
        warnings.filterwarnings("ignore", message=".*were cut")
        study = study_representation(
            loaded,
            pairs,
            1 / float(loaded.network.scale.detach()),
            seed=seed,
            with_map=not no_map,
            progress=progress,
        )
    report = representation_report(
        study, model=str(model or "built-in"), model_hash=loaded.model_hash, command=_command()
    )
    if out is not None:
        report.write(out, "representation")
    _print(report, output)
