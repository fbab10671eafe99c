"""Molecules of a file to vectors, block by block and row-aligned."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molclip.chem.failures import FailureLog
    from molclip.chem.inputs import Kind
    from molclip.chem.molecule import Molecule, ParseFailure
    from molclip.cli.console import Progress
    from molclip.models.molclip import MolCLIP, MoleculeEmbeddings

BLOCK = 1024


@dataclass(frozen=True)
class InputOptions:
    """How a file of molecules is read."""

    structure: str | None = None
    id: str | None = None
    name: str | None = None
    format: str | None = None
    standardise: str = "none"
    workers: int | None = None


def open_records(file: Path | str, options: InputOptions) -> Iterable[Any]:
    """Rows of a file, or of standard input for "-"."""
    from molclip.chem.readers import read_records

    return read_records(
        str(file),
        structure=options.structure,
        id=options.id,
        name=options.name,
        format=options.format,
    )


def check_targets(source: Path | str | None, *targets: Path | None) -> None:
    """Refuse to write over the file that is read, before any of it is lost.

    Raises
    ------
    InputError
        When a target is the input.
    """
    from molclip.errors import InputError

    if source is None or str(source) == "-" or not Path(source).is_file():
        return
    for target in targets:
        if target is not None and target.exists() and target.samefile(source):
            raise InputError(
                f"{target} is the file that is read; it would be overwritten.",
                "Give the output another name.",
            )


def embed_blocks(
    model: MolCLIP,
    items: Iterable[Any],
    options: InputOptions,
    log: FailureLog,
    progress: Progress,
) -> Iterator[MoleculeEmbeddings]:
    """Embed rows in blocks, so that memory does not grow with the file.

    Parameters
    ----------
    model
        Makes the vectors.
    items
        Records, molecules or failures, in order.
    log
        Counts the rows, writes the failures and applies `on_invalid`.
    options
        Standardisation and number of worker processes.
    progress
        Told how many rows are done.

    Yields
    ------
    `MoleculeEmbeddings` of up to `BLOCK` rows.
    """
    import numpy as np

    from molclip.chem.inputs import gathered
    from molclip.chem.molecule import ParseFailure
    from molclip.chem.parallel import guarded_stream
    from molclip.models.molclip import MoleculeEmbeddings

    work = partial(_featurized, standardise=options.standardise, kind=model.kind)
    rows = log.watch(guarded_stream(work, items, workers=options.workers))
    while block := list(islice(rows, BLOCK)):
        good = [place for place, row in enumerate(block) if not isinstance(row, ParseFailure)]
        vectors = np.full((len(block), model.dimension), np.nan, dtype=np.float32)
        if good:
            inputs = gathered([_input(block[n]) for n in good], model.kind)
            vectors[good] = model.encode_features(inputs)
        molecules = [row if isinstance(row, ParseFailure) else row[0] for row in block]
        failures = [row for row in molecules if isinstance(row, ParseFailure)]
        progress("molecules", log.rows, None)
        yield MoleculeEmbeddings(vectors, failures, molecules)


def _input(row: Any) -> Any:
    return row[1]


def _featurized(item: Any, standardise: str, kind: Kind) -> tuple[Molecule, Any] | ParseFailure:
    """One row parsed, standardised and turned into an input; runs in worker processes."""
    from molclip.chem.molecule import Molecule, ParseFailure
    from molclip.chem.parallel import read_and_featurize
    from molclip.chem.readers import parse_record
    from molclip.chem.standardize import standardize

    if isinstance(item, ParseFailure):
        return item
    if isinstance(item, Molecule):
        molecule = item if standardise == "none" else standardize(item, standardise)
        return read_and_featurize(molecule, kind)
    parsed = parse_record(item, standardise)
    return parsed if isinstance(parsed, ParseFailure) else read_and_featurize(parsed, kind)
