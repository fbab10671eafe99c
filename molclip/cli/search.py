"""`molclip search`: words, a name or a structure in, ranked molecules out."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from enum import StrEnum
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
    LibraryOption,
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
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.chem.sniff import Interpretation
    from molclip.cli.search_file import FileLibrary
    from molclip.search.library import Library
    from molclip.search.result import SearchResult

EXAMPLES = (
    "**Examples**\n\n"
    '`molclip search "bitter alkaloid from cinchona bark used against malaria"`\n\n'
    '`molclip search "opioid analgesic" --where "mol_weight < 300" --format csv`\n\n'
    '`molclip search "kinase inhibitor" --smiles "c1ccc2[nH]ccc2c1" --weight 0.3`\n\n'
    '`molclip search "antibiotic" --smarts "C1C(=O)NC1" --top 50 -o hits.sdf`\n\n'
    '`molclip search "antioxidant" --in mine.sdf --failures bad.csv`'
)

_NAME_WORDS = 2


class Mode(StrEnum):
    """How the query is compared with the library."""

    auto = "auto"
    vector = "vector"
    name = "name"
    hybrid = "hybrid"


def search(
    query: Annotated[
        str | None,
        typer.Argument(
            help="Words, a name, SMILES, InChI, InChIKey or formula.", show_default=False
        ),
    ] = None,
    smiles: Annotated[
        str | None,
        typer.Option(
            "--smiles",
            help="Structure to be near to, alone or beside the words.",
            show_default=False,
        ),
    ] = None,
    top: Annotated[
        int, typer.Option("--top", "-n", min=0, help="Number of hits.", metavar="N")
    ] = 10,
    offset: Annotated[
        int, typer.Option("--offset", min=0, help="Hits to leave out before them.", metavar="N")
    ] = 0,
    mode: Annotated[
        Mode,
        typer.Option(
            "--mode",
            help="vector: by meaning; name: by names and synonyms; hybrid: both; auto: "
            "hybrid for a known name, else vector.",
        ),
    ] = Mode.auto,
    weight: Annotated[
        float,
        typer.Option(
            "--weight", help="Share of the words in the score beside a structure, 0 to 1."
        ),
    ] = 0.5,
    where: Annotated[
        str | None,
        typer.Option(
            "--where",
            help='SQL condition on columns, such as "logp < 3 AND rings = 2".',
            show_default=False,
        ),
    ] = None,
    smarts: Annotated[
        str | None,
        typer.Option("--smarts", help="Substructure every hit has.", show_default=False),
    ] = None,
    all_rows: Annotated[
        bool, typer.Option("--all", help="Also rows that no curator has checked.")
    ] = False,
    recorded: Annotated[
        bool,
        typer.Option("--recorded", help="Only molecules of which the source states what is asked."),
    ] = False,
    domain: DomainOption = False,
    library: LibraryOption = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--in",
            help='Search this file instead of a library; "-" is standard input.',
            metavar="FILE",
            show_default=False,
        ),
    ] = None,
    model: ModelOption = None,
    output: FormatOption = Format.table,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Write the hits to a .csv, .tsv, .json, .jsonl or .sdf file.",
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
    """Rank molecules for a description, a name or a structure.

    Without `--library` or `--in` the embedded library of ChEBI molecules is searched.
    """
    from molclip.cli import output as outputs
    from molclip.cli.console import say
    from molclip.cli.domain import judge_hits
    from molclip.cli.reading import InputOptions, check_targets
    from molclip.cli.search_file import open_file

    if query is None and smiles is None:
        raise InputError(
            "Nothing is asked.", 'Give words, a name or a structure: molclip search "antibiotic".'
        )
    if file is not None and library is not None:
        raise InputError("--in and --library exclude each other.", "Use one of them.")
    if out is not None:
        outputs.check_suffix(out)
    check_targets(file, out, failures)
    with ExitStack() as stack:
        if file is not None:
            options = InputOptions(
                structure, id_column, name_column, input_format, standardise.value, workers
            )
            opened: Library | FileLibrary = open_file(
                file, options, model, on_invalid.value, failures, stack
            )
        else:
            _refuse_input_options(failures, structure, id_column, name_column, input_format)
            opened = _open_library(library, model)
        asked = _read(query, smiles, mode, opened, quiet)
        result = opened.search(
            **asked,
            k=top,
            offset=offset,
            where=where,
            smarts=smarts,
            weight=weight,
            curated=False if all_rows else None,
            recorded=recorded,
        )
        outside = judge_hits(result, opened.judge, compare=domain)
        _write(result, output, out)
        _remark(result, quiet, outside)
        # With --mode or a structure beside them, the words are meant as words.
        as_words = mode is Mode.auto and smiles is None and asked.get("mode") == "vector"
        if as_words and not quiet and (near := _near_names(result, opened)):
            say(f"Names spelled alike: {', '.join(near)}.")


def _open_library(path: Path | None, model: str | None) -> Library:
    from molclip.cli.console import preparation
    from molclip.search.library import Library

    with preparation() as progress:
        return Library.open(path, model, progress=progress)


def _refuse_input_options(*options: object) -> None:
    if any(option is not None for option in options):
        raise InputError(
            "--failures, --structure, --id, --name and --input-format are about a file.",
            "Name it with --in FILE.",
        )


def _read(
    query: str | None, smiles: str | None, mode: Mode, library: Library | FileLibrary, quiet: bool
) -> dict[str, Any]:
    """What is asked, in the words of `Library.search`; says how an automatic query was read."""
    if mode is not Mode.auto:
        return {"query": query, "smiles": smiles, "mode": mode.value}
    if query is None or smiles is not None:
        return {"query": query, "smiles": smiles, "mode": "vector"}
    from molclip.chem.sniff import interpret

    read = interpret(query, library.has_name, library.identifier)
    if read.failure is not None:
        raise InputError(
            f"{query!r} looks like a structure but cannot be used: {read.failure.reason}",
            f"{read.failure.hint} To search for the words as they are, add --mode vector.".strip(),
        )
    if not quiet:
        _say_reading(read)
    if read.kind == "words":
        return {"query": query, "mode": "vector"}
    if read.kind == "name":
        return {"query": query, "mode": "hybrid"}
    if read.kind == "identifier":
        return {"query": query, "mode": "name"}
    return {"smiles": read.molecule}


def _say_reading(read: Interpretation) -> None:
    """How the query was read, unless it was plain words; cautions come with the answer."""
    from molclip.cli.console import say

    said = read.note.partition("Note:")[0].strip()
    if read.kind != "words" and not said.startswith("Read as"):
        kinds = {"smiles": "SMILES", "inchi": "InChI", "molblock": "a mol block", "name": "a name"}
        said = f"Read as {kinds[read.kind]}. {said}".strip()
    if said:
        say(said if read.kind == "words" else f"{said} For the words, add --mode vector.")


def _near_names(result: SearchResult, library: Library | FileLibrary) -> list[str]:
    """Names like a word or two that are no name, class or role: perhaps one with a slip of the pen.

    The app says them, too (`app.service`).
    """
    from molclip.chem.identifiers import cas_number

    text = result.query.text
    if text is None or result.query.asked_terms or len(text.split()) > _NAME_WORDS:
        return []
    if cas_number(text) is not None:
        return []  # names that hold some of its digits
    return library.similar_names(text)


def _write(result: SearchResult, output: Format, out: Path | None) -> None:
    from molclip.cli import output as outputs
    from molclip.cli.console import say

    records = result.to_dict("records")
    columns = list(records[0]) if records else ["rank", "id", "name", "smiles", "score"]
    if out is not None:
        count = outputs.write_file(records, out, columns)
        say(f"{count} hits written to {out}.")
    elif output is Format.json:
        outputs.write_json(records, sys.stdout)
    elif output is Format.csv:
        from molclip.chem.writers import write_csv

        write_csv(records, sys.stdout, columns)
    elif records:
        from molclip.cli.search_table import hits_table

        outputs.print_table(hits_table(records, outputs.stdout_width()))


def _remark(result: SearchResult, quiet: bool, outside: str) -> None:
    from molclip.cli.console import say, warn
    from molclip.search.result import recorded_remark

    info = result.query
    for warning in info.warnings:
        warn(warning)
    if outside:
        warn(outside)
    if quiet:
        return
    if info.asked_terms:
        terms = ", ".join(f"{term['name']} ({term['kind']})" for term in info.asked_terms)
        say(f"Asked for: {terms}. 'recorded' means that the source states it.")
    recorded = recorded_remark(info, result.records)
    for note in info.notes:
        say(f"{note} To see only the recorded ones, add --recorded." if note == recorded else note)
    kind = "curated molecules" if info.curated_only else "molecules"
    only = ", recorded only" if info.recorded_only else ""
    say(
        f"{len(result)} of {info.rows_searched:,} {kind} searched{only} "
        f"({info.rows_in_library:,} in the library); score: {info.score}."
    )
