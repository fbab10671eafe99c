"""`molclip describe`: words for a molecule."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from molclip.cli.options import ModelOption, QuietOption
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule
    from molclip.search.library import Library

EXAMPLES = (
    "**Examples**\n\n"
    '`molclip describe "CN1C=NC2=C1C(=O)N(C(=O)N2C)C"`\n\n'
    "`molclip describe quinine --json > quinine.json`\n\n"
    '`molclip describe "O=C(Nc1ccc(Br)cc1)c1ccncc1F" --margin 0.3`'
)


def describe(
    molecule: Annotated[
        str,
        typer.Argument(
            metavar="SMILES",
            help="The molecule: SMILES, InChI, or a name the library knows.",
            show_default=False,
        ),
    ],
    model: ModelOption = None,
    background: Annotated[
        str | None,
        typer.Option(
            "--background",
            help="Library folder that percentiles are taken in; the embedded library when left "
            "out.",
            show_default=False,
        ),
    ] = None,
    margin: Annotated[
        float | None,
        typer.Option(
            "--margin",
            help="How far above its line a class or role must score to be listed, in standard "
            "deviations. Lower lists more and is wrong more often. [default: 0.5]",
            show_default=False,
        ),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Most statements of each kind.")] = 8,
    as_json: Annotated[bool, typer.Option("--json", help="Everything as one JSON object.")] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the JSON object to this file.", show_default=False),
    ] = None,
    quiet: QuietOption = False,
) -> None:
    """Say what a molecule is and does: recorded by ChEBI, or predicted by the model.

    The first call reads some thousands of labels, which takes up to a minute, once for each model.
    """
    from molclip.chem.writers import open_for_writing
    from molclip.cli.console import preparation, progress, say, warn
    from molclip.cli.output import plain
    from molclip.describe.describing import MARGIN, Describer
    from molclip.search.library import Library

    if out is not None and out.suffix.lower() != ".json":
        raise InputError(f"A description cannot be written as {out.name}.", "Use .json.")
    with preparation() as show:
        library = Library.open(background, model, progress=show)
    read = _molecule(molecule, library, quiet)
    with progress() as show:
        describer = Describer(library, show)
        described = describer.describe(read, margin=MARGIN if margin is None else margin, top=top)
    if as_json or out is not None:
        text = json.dumps(plain(described.to_dict()), ensure_ascii=False, indent=2, allow_nan=False)
        if out is None:
            sys.stdout.write(f"{text}\n")
        else:
            with open_for_writing(out) as stream:
                stream.write(f"{text}\n")
            say(f"Description written to {out}.")
    else:
        from molclip.cli.describe_table import write

        write(described)
    for remark in described.remarks:
        warn(remark)


def _molecule(text: str, library: Library, quiet: bool) -> Molecule | str:
    """The structure that was typed, or that of a name; says how it was read."""
    from molclip.chem.sniff import interpret
    from molclip.cli.console import say
    from molclip.search.library import Library

    named = library if library.embedded else Library.open()
    read = interpret(text, named.has_name)
    if read.kind == "name":
        if not quiet:
            say(read.note or f"Read as a name: {read.text}.")
        from molclip.chem.parse import parse_molecule

        (hit,) = named.search(read.text, mode="name", k=1)
        found: Molecule | str = parse_molecule(str(hit["smiles"]), name=read.text)  # type: ignore[assignment]
        return found
    if read.molecule is not None:
        if read.note and not quiet:
            say(read.note)
        return read.molecule
    if read.failure is not None:
        raise InputError(f"{text!r} cannot be described: {read.failure.reason}", read.failure.hint)
    raise InputError(
        f"{text!r} is neither a structure nor a name the library knows.",
        "Give a SMILES, an InChI, or a name as ChEBI has it.",
    )
