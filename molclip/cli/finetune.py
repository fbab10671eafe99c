"""`molclip finetune`: the molecule encoder learns labels of a file."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from molclip.cli.evaluate import FormatOption, Output, _command, _print
from molclip.cli.evaluate_probe import TaskKind
from molclip.cli.options import (
    IdOption,
    InputFormatOption,
    ModelOption,
    NameOption,
    Profile,
    QuietOption,
    StandardiseOption,
    StructureOption,
    WorkersOption,
)

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip finetune assay.csv --label active -o runs/assay`\n\n"
    "`molclip finetune tox.csv --label NR-AR --label SR-p53 --split fold -o runs/tox`\n\n"
    "`molclip finetune solubility.csv --label logS --task regression -o runs/logs`\n\n"
    "`molclip predict runs/assay library.sdf -o predictions.csv` answers for other molecules."
)


def finetune(
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="File of molecules with label columns.", show_default=False
        ),
    ],
    labels: Annotated[
        list[str],
        typer.Option(
            "--label", help="Label column; may be given several times.", show_default=False
        ),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", help="Folder for the model.", show_default=False)
    ],
    task: Annotated[
        TaskKind,
        typer.Option(
            "--task",
            help="What the labels are; auto: regression where a column has more than two numbers.",
        ),
    ] = TaskKind.auto,
    model: ModelOption = None,
    split: Annotated[
        str,
        typer.Option(
            "--split",
            help="scaffold, random, or a column that says train, validation or test.",
        ),
    ] = "scaffold",
    freeze: Annotated[
        bool, typer.Option("--freeze", help="Train the head alone, on frozen features.")
    ] = False,
    epochs: Annotated[int | None, typer.Option("--epochs", min=1, help="At most.")] = None,
    patience: Annotated[
        int | None,
        typer.Option("--patience", min=1, help="Epochs without a gain before training stops."),
    ] = None,
    batch_size: Annotated[int | None, typer.Option("--batch-size", min=1)] = None,
    learning_rate: Annotated[
        float | None, typer.Option("--learning-rate", min=0.0, help="Of the encoder.")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the split and the training.")] = 0,
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    output: FormatOption = Output.table,
    quiet: QuietOption = False,
    structure: StructureOption = None,
    id_column: IdOption = None,
    name_column: NameOption = None,
    input_format: InputFormatOption = None,
    standardise: StandardiseOption = Profile.none,
    workers: WorkersOption = None,
) -> None:
    """Fine-tune the molecule encoder on labels and compare it with simple baselines.

    Several labels are learned together; empty cells are left out of the loss. Rows without a label
    or with an unusable structure are not trained on. The folder gets the model, a report, and the
    answers for every row of FILE.
    """
    from molclip.cli.console import progress, say
    from molclip.datasets.labels import read_labelled
    from molclip.training.finetune import RANDOM, SCAFFOLD, fine_tune
    from molclip.training.finetune_report import finetune_report, new_folder, write_folder
    from molclip.training.label_training import FineTuneSettings

    given = {
        "epochs": epochs,
        "patience": patience,
        "batch_size": batch_size,
        "learning_rate": learning_rate,
    }
    settings = FineTuneSettings(
        **{name: value for name, value in given.items() if value is not None},  # type: ignore[arg-type]
        freeze=freeze,
        seed=seed,
        device=device,
    )
    data = read_labelled(
        file,
        labels,
        task=task.value,
        split_column=None if split in (SCAFFOLD, RANDOM) else split,
        structure=structure,
        id=id_column,
        name=name_column,
        format=input_format,
    )
    from molclip.models.molclip import MolCLIP

    loaded = MolCLIP.from_pretrained(model)
    log = new_folder(out)

    def report_epoch(numbers: dict[str, float]) -> None:
        if not quiet:
            say(
                f"Epoch {numbers['epoch']:.0f}: loss {numbers['loss']:.3f}, "
                f"validation loss {numbers['validation loss']:.3f}, "
                f"score {numbers['validation score']:.3f}"
            )

    with progress() as show:
        result = fine_tune(
            loaded,
            data,
            settings,
            split=split,
            standardise=standardise.value,
            workers=workers,
            report=report_epoch,
            progress=show,
            log=log,
        )
    report = finetune_report(result, base=str(model or "built-in"), command=_command())
    write_folder(result, out, report)
    _print(report, output)
    sys.stdout.flush()
    if not quiet:
        say(f"Model, report and answers for every row are in {out}.")
