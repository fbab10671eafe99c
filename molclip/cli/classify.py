"""`molclip classify`: freely chosen labels for molecules, without training."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from molclip.cli.domain import DomainOption
from molclip.cli.options import (
    FailuresOption,
    Format,
    FormatOption,
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
from molclip.errors import InputError, LibraryError

if TYPE_CHECKING:
    from molclip.cli.domain import DomainWatch, Verdict
    from molclip.cli.reading import InputOptions
    from molclip.models.molclip import FloatArray, MolCLIP
    from molclip.models.zero_shot import ZeroShotResult
    from molclip.search.library import Library

EXAMPLES = (
    "**Examples**\n\n"
    '`molclip classify mine.sdf --labels "opioid analgesic; antibiotic; dye"`\n\n'
    '`molclip classify "CN1CCC[C@H]1c1cccnc1" --labels "plant alkaloid; steroid"`\n\n'
    "`molclip classify mine.csv --labels-file labels.txt --format csv > labelled.csv`\n\n"
    '`molclip classify mine.smi --labels "dye; sweetener" --template "It is used as {a}."`'
)

BACKGROUND_ROWS = 20_000
"""Background molecules drawn: percentiles are then exact to about 0.2 points."""


def classify(
    source: Annotated[
        str,
        typer.Argument(
            metavar="FILE|SMILES",
            help='File of molecules, "-" for standard input, or one structure.',
            show_default=False,
        ),
    ],
    labels: Annotated[
        str | None,
        typer.Option("--labels", help="Labels, separated by semicolons.", show_default=False),
    ] = None,
    labels_file: Annotated[
        Path | None,
        typer.Option("--labels-file", help="File with one label per line.", show_default=False),
    ] = None,
    templates: Annotated[
        list[str] | None,
        typer.Option(
            "--template",
            help="Sentence for a label: {} is the label, {a} the label with its article. May be "
            "given several times; the vectors are averaged.",
            show_default=False,
        ),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            "--threshold",
            help="Best percentile, 0 to 1, under which the answer is 'none of these'.",
        ),
    ] = 0.95,
    background: Annotated[
        str | None,
        typer.Option(
            "--background",
            help="Library folder that percentiles are taken in, or 'none'; the embedded "
            "library when left out.",
            show_default=False,
        ),
    ] = None,
    domain: DomainOption = True,
    model: ModelOption = None,
    output: FormatOption = Format.table,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the answers to a .csv, .tsv, .json, .jsonl or .sdf file.",
            show_default=False,
        ),
    ] = None,
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
    """Rank your own labels for each molecule; every row gets an answer or a reason.

    A label's percentile is the share of background molecules that fit it less well. When no label
    reaches the threshold the answer is "none of these".
    """
    from molclip.chem.failures import FailureLog
    from molclip.cli import output as outputs
    from molclip.cli.console import progress, say, warn
    from molclip.cli.domain import domain_watch
    from molclip.cli.reading import InputOptions, check_targets, embed_blocks
    from molclip.text.prompts import DEFAULT_TEMPLATES

    names = _labels(labels, labels_file)
    _check_threshold(threshold)
    if out is not None:
        outputs.check_suffix(out)
    for read in (source, labels_file):
        check_targets(read, out, failures)
    options = InputOptions(
        structure, id_column, name_column, input_format, standardise.value, workers
    )
    items = _items(source, options, quiet)
    used, vectors, library = _model_and_background(model, background, quiet)
    watch = domain_watch(used, library if domain else None)
    prompts = tuple(templates or DEFAULT_TEMPLATES)
    if not quiet:
        _say_protocol(prompts, threshold, vectors)
        _say_strange(used, names)
    with FailureLog(failures, on_invalid.value) as log, progress() as show:
        blocks = embed_blocks(used, items, options, log, show)
        results = _classified(used, blocks, watch, names, vectors, prompts, threshold)
        _write(results, names, output, out, watch.compares)
    if out is not None:
        say(f"Answers written to {out}.")
    if watch.summary():
        warn(watch.summary())
    if not quiet or log.failed:
        say(log.summary())


def _labels(text: str | None, file: Path | None) -> list[str]:
    from molclip.cli.console import warn

    if (text is None) == (file is None):
        raise InputError(
            "Labels are given once, with --labels or with --labels-file.",
            'For example --labels "antibiotic; dye; sweetener".',
        )
    if file is not None:
        try:
            lines = file.read_text(encoding="utf-8-sig").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            raise InputError(
                f"The labels in {file} cannot be read: {getattr(error, 'strerror', error)}.",
                "Give a UTF-8 text file with one label per line.",
            ) from None
        names = [line.strip() for line in lines if line.strip()]
    else:
        names = [part.strip() for part in str(text).split(";") if part.strip()]
        if len(names) == 1 and "," in names[0]:
            warn(f"{names[0]!r} is read as one label; labels are separated by semicolons.")
    if not names:
        raise InputError("There are no labels.", 'For example --labels "antibiotic; dye".')
    return names


def _check_threshold(threshold: float) -> None:
    if not 0 <= threshold <= 1:
        near = f"Did you mean {threshold / 100:g}?" if 1 < threshold <= 100 else ""
        raise InputError(f"The threshold {threshold:g} is not between 0 and 1.", near)


def _items(source: str, options: InputOptions, quiet: bool) -> Iterable[Any]:
    """Rows of a file, or the one structure that was typed."""
    from molclip.chem.molecule import ParseFailure
    from molclip.chem.parse import parse_molecule
    from molclip.cli.console import say
    from molclip.cli.reading import open_records

    if source == "-" or Path(source).exists():
        return open_records(source, options)
    molecule = parse_molecule(source)
    if not isinstance(molecule, ParseFailure):
        if not quiet:
            say(f"Read as one structure: {molecule.smiles}")
        return [molecule]
    if Path(source).suffix[1:].isalpha():
        return open_records(source, options)  # says that it is missing, and what is near
    raise InputError(
        f"There is no file {source!r}.",
        f"Nor is it a structure: {molecule.reason} {molecule.hint}".strip(),
    )


def _model_and_background(
    model: str | None, background: str | None, quiet: bool
) -> tuple[MolCLIP, FloatArray | None, Library | None]:
    from molclip.cli.console import preparation, warn
    from molclip.models.molclip import MolCLIP
    from molclip.search.library import Library

    if background == "none":
        if not quiet:
            warn("Without a background no molecule gets the answer 'none of these'.")
        return MolCLIP.from_pretrained(model), None, None
    with preparation() as show:
        library = Library.open(background, model, progress=show)
    try:
        return library.model, library.vectors(sample=BACKGROUND_ROWS), library
    except LibraryError as error:
        raise LibraryError(
            error.message,
            "Give --background a library built with this model "
            "(molclip library build FOLDER FILE --model MODEL), or --background none.",
        ) from error


def _say_strange(model: MolCLIP, labels: list[str]) -> None:
    """Warn about labels that cannot be the answer."""
    from molclip.cli.console import warn
    from molclip.text.words import is_strange

    known = model.known_words
    strange = [label for label in labels if known is not None and is_strange(label, known)]
    if strange:
        warn(
            f"The model has not met the words of {', '.join(map(repr, strange[:3]))}"
            f"{', …' if len(strange) > 3 else ''}, so this is never the answer; try other words."
        )


def _say_protocol(prompts: tuple[str, ...], threshold: float, vectors: FloatArray | None) -> None:
    from molclip.cli.console import say

    say("Prompts: " + " | ".join(prompts))
    if vectors is not None:
        say(
            f"Percentiles among {len(vectors):,} background molecules; "
            f"'none of these' where the best one is below {100 * threshold:g}."
        )


def _classified(
    model: MolCLIP,
    blocks: Iterable[Any],
    watch: DomainWatch,
    labels: list[str],
    background: FloatArray | None,
    prompts: tuple[str, ...],
    threshold: float,
) -> Iterator[tuple[ZeroShotResult, list[Verdict] | None]]:
    from molclip.models.zero_shot import classify as classify_block

    for block in blocks:
        result = classify_block(model, block, labels, background, prompts, threshold)
        yield result, watch.watch(block)


def _write(
    results: Iterator[tuple[ZeroShotResult, list[Verdict] | None]],
    labels: list[str],
    output: Format,
    out: Path | None,
    compared: bool,
) -> None:
    from molclip.cli import output as outputs
    from molclip.cli.classify_table import answers_table, flat_columns, flat_record, records_of

    records = records_of(results)
    nested = out.suffix.lower() in (".json", ".jsonl") if out else output is Format.json
    flat = (record if nested else flat_record(record, labels) for record in records)
    if out is not None:
        outputs.write_file(flat, out, None if nested else flat_columns(labels, compared))
    elif output is Format.json:
        outputs.write_json(flat, sys.stdout)
    elif output is Format.csv:
        from molclip.chem.writers import write_csv

        write_csv(flat, sys.stdout, flat_columns(labels, compared))
    else:
        table = answers_table(flat, labels)
        if table.row_count:
            outputs.print_table(table)
