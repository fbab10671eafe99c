"""`molclip predict`: a fine-tuned model answers for the molecules of a file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from molclip.cli.options import (
    FailuresOption,
    IdOption,
    InputFormatOption,
    NameOption,
    OnInvalid,
    OnInvalidOption,
    QuietOption,
    StructureOption,
    WorkersOption,
)

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip predict runs/assay library.sdf -o predictions.csv`\n\n"
    "`cat mine.smi | molclip predict runs/assay - -o predictions.jsonl --failures bad.csv`"
)


def predict(
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", help="Folder that `molclip finetune` wrote.", show_default=False
        ),
    ],
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help='File of molecules, or "-" for standard input.', show_default=False
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            help="Write the answers to a .csv, .tsv, .json, .jsonl or .sdf file.",
            show_default=False,
        ),
    ],
    quiet: QuietOption = False,
    on_invalid: OnInvalidOption = OnInvalid.keep,
    failures: FailuresOption = None,
    structure: StructureOption = None,
    id_column: IdOption = None,
    name_column: NameOption = None,
    input_format: InputFormatOption = None,
    workers: WorkersOption = None,
) -> None:
    """Write the answers of a fine-tuned model, one row per molecule, in the order of the file.

    Structures are standardised as they were for the training of the model.
    """
    from molclip.chem.failures import FailureLog
    from molclip.cli.console import progress, say
    from molclip.cli.output import check_suffix, write_file
    from molclip.cli.reading import InputOptions, check_targets, open_records
    from molclip.training.fine_tuned import FineTuned
    from molclip.training.predictions import columns

    check_suffix(out)
    check_targets(file, out, failures)
    options = InputOptions(structure, id_column, name_column, input_format, workers=workers)
    records = open_records(file, options)
    tuned = FineTuned.load(folder)
    with FailureLog(failures, on_invalid.value) as log, progress() as show:

        def answers() -> Iterator[dict[str, Any]]:
            for block in tuned.predict_blocks(records, workers=workers):
                kept = {id(item) for item in log.watch(block.molecules)}
                for molecule, record in zip(block.molecules, block.records(), strict=True):
                    if id(molecule) in kept:
                        yield record
                show("molecules", log.rows, None)

        write_file(answers(), out, columns(tuned.tasks))
    if not quiet:
        say(f"Answers written to {out}.")
    if not quiet or log.failed:
        say(log.summary())
