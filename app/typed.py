"""Molecules typed into a field, one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError

from .limits import MOLECULES_TYPED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .service import Service


def lines_of(text: str) -> list[str]:
    """One string per molecule; a mol block, which has lines of its own, is one."""
    if any(mark in text for mark in ("V2000", "V3000", "M  END")):
        return [text]
    return [line.strip() for line in text.splitlines() if line.strip()]


def read_typed(lines: Sequence[str], service: Service) -> tuple[list[Any], str]:
    """Molecules by structure or name, and how they were read.

    A single molecule that cannot be read is an error; among several it becomes a `ParseFailure` in
    its place.

    Raises
    ------
    InputError
        For none, too many, or one that is neither a structure nor a name.
    """
    if len(lines) > MOLECULES_TYPED:
        raise InputError(
            f"There are {len(lines):,} molecules; this field takes {MOLECULES_TYPED}.",
            "Give a file instead.",
        )
    if len(lines) <= 1:
        molecule, said = service.read_molecule(lines[0] if lines else "")
        return [molecule], said
    items: list[Any] = []
    for row, line in enumerate(lines, start=1):
        try:
            molecule, said = service.read_molecule(line)
            molecule.row = row
            items.append(molecule)
        except InputError as problem:
            items.append(
                ParseFailure(
                    file=None,
                    row=row,
                    id=None,
                    input=line[:200],
                    reason=problem.message,
                    hint=problem.hint,
                )
            )
    bad = sum(isinstance(item, ParseFailure) for item in items)
    return items, f"{len(items)} molecules{f', {bad} could not be read' if bad else ', all read'}."
