"""`molclip embed`: a file of molecules to a file of vectors, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from molclip.cli.options import (
    FailuresOption,
    IdOption,
    InputFormatOption,
    ModelOption,
    NameOption,
    OnInvalid,
    OnInvalidOption,
    Profile,
    QuietOption,
    StandardiseOption,
    StructureOption,
    WorkersOption,
)

EXAMPLES = (
    "**Examples**\n\n"
    "`molclip embed mine.sdf -o vectors.npy --failures bad.csv`\n\n"
    "`molclip embed mine.csv.gz --structure SMILES --id code -o vectors.parquet`\n\n"
    "`cat mine.smi | molclip embed - -o vectors.npz --on-invalid raise`"
)


def embed(
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
            help="File to write: .npy (vectors alone), .npz or .parquet (with row, id, name, "
            "SMILES and reason of failure).",
            show_default=False,
        ),
    ],
    model: ModelOption = None,
    quiet: QuietOption = False,
    on_invalid: OnInvalidOption = OnInvalid.keep,
    failures: FailuresOption = None,
    structure: StructureOption = None,
    id_column: IdOption = None,
    name_column: NameOption = None,
    input_format: InputFormatOption = None,
    standardise: StandardiseOption = Profile.none,
    workers: WorkersOption = None,
) -> None:
    """Write one unit vector per row, float32; NaN where a row cannot be used.

    Row N of the answer is row N of the file, unless `--on-invalid skip` leaves rows out.
    """
    from molclip.chem.failures import FailureLog
    from molclip.cli.console import progress, say
    from molclip.cli.reading import InputOptions, check_targets, embed_blocks, open_records
    from molclip.cli.vector_files import open_vector_file
    from molclip.models.molclip import MolCLIP

    options = InputOptions(
        structure, id_column, name_column, input_format, standardise.value, workers
    )
    check_targets(file, out, failures)
    records = open_records(file, options)
    with FailureLog(failures, on_invalid.value) as log:
        loaded = MolCLIP.from_pretrained(model)
        with (
            open_vector_file(out, loaded.dimension, loaded.model_hash) as vectors,
            progress() as show,
        ):
            for block in embed_blocks(loaded, records, options, log, show):
                vectors.write(block)
    if log.failed and on_invalid is OnInvalid.skip and out.suffix.lower() == ".npy":
        say("Rows were left out: .npz and .parquet say which row each vector belongs to.")
    if not quiet:
        say(f"{vectors.rows:,} vectors of {loaded.dimension} numbers written to {out}.")
    if not quiet or log.failed:
        say(log.summary())
