"""`molclip embed`: a file of molecules to a file of vectors, row by row."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli.domain import DomainOption
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

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP
    from molclip.search.library import Library

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
            "SMILES, reason of failure, and what --domain says).",
            show_default=False,
        ),
    ],
    domain: DomainOption = False,
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
    from molclip.cli.console import progress, say, warn
    from molclip.cli.domain import domain_watch
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
        watch = domain_watch(loaded, _library(loaded) if domain else None)
        with (
            open_vector_file(out, loaded.dimension, loaded.model_hash, watch.compares) as vectors,
            progress() as show,
        ):
            for block in embed_blocks(loaded, records, options, log, show):
                vectors.write(block, watch.watch(block))
    if log.failed and on_invalid is OnInvalid.skip and out.suffix.lower() == ".npy":
        say("Rows were left out: .npz and .parquet say which row each vector belongs to.")
    if watch.summary():
        warn(watch.summary("their vectors mean less"))
    if not quiet:
        say(f"{vectors.rows:,} vectors of {loaded.dimension} numbers written to {out}.")
    if not quiet or log.failed:
        say(log.summary())


def _library(model: MolCLIP) -> Library:
    """The embedded library, whose rows are the training molecules at hand.

    Raises
    ------
    InputError
        When it belongs to another model.
    """
    from molclip.cli.console import preparation
    from molclip.errors import InputError, LibraryError
    from molclip.search.library import Library

    with preparation() as show:
        try:
            return Library.open(None, model, progress=show)
        except LibraryError as error:
            raise InputError(
                f"Training molecules of this model are not at hand: {error.message}",
                "Leave --domain out, or ask Library.applicability of a library built with the "
                "model from its training molecules.",
            ) from error
