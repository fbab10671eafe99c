"""What a visitor may send, and the sentences said where it is too much."""

from __future__ import annotations

from typing import TYPE_CHECKING

from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule

QUERY_LENGTH = 1_000
"""Characters of a question in words."""
STRUCTURE_LENGTH = 2_000
"""Characters of a SMILES or InChI."""
MOLBLOCK_LENGTH = 60_000
"""Characters of a mol block, which needs some 100 for each atom with its bonds."""
SMARTS_LENGTH = 300
HEAVY_ATOMS = 300
LABELS = 700
LABEL_LENGTH = 150
SENTENCES = 12
"""Around one label."""
ALL_SENTENCES = 3_000
"""Of all labels together."""
SENTENCE_LENGTH = 400
MOLECULES_TYPED = 100
"""Lines of the field of molecules."""
COMPARISONS = 200_000
"""Molecules times labels of one answer."""
SECONDS = 120.0
"""Of one answer; molecules whose turn has not come by then stay without one."""
EXPLAINED_ATOMS = 120
"""Of a molecule whose match is explained."""
EXPLAINED_PIECES = 64
"""Of words that are explained: the model is asked once for each word and many times for all."""
FILE_ROWS = 2_000
FILE_BYTES = 5 * 1024 * 1024
OWN_ROWS = 10_000
"""Of a visitor's own library."""
OWN_BYTES = 10 * 1024 * 1024
MOLECULE_SECONDS = 10.0
"""Of one molecule among others; an ordinary one of 300 atoms takes a fiftieth of a second."""
OWN_SECONDS = 300.0
"""Of embedding one."""
OWN_LIBRARIES = 40
"""Kept at once, of all visitors."""
UNPACKED_BYTES = 60 * 1024 * 1024
"""Of the content of an .xlsx or .parquet file, which are compressed."""


def check_length(text: str, limit: int, what: str) -> None:
    """Refuse a text that is too long.

    Raises
    ------
    InputError
        With the length and the limit.
    """
    if len(text) > limit:
        raise InputError(
            f"{what} has {len(text):,} characters; this page takes {limit:,}.", "Shorten it."
        )


def structure_limit(text: str) -> int:
    """Characters that a structure of this kind may have."""
    return MOLBLOCK_LENGTH if "\n" in text.strip() else STRUCTURE_LENGTH


def check_atoms(molecule: Molecule) -> Molecule:
    """Refuse a structure that is too large to draw and compare quickly; dummies count as atoms.

    Raises
    ------
    InputError
        With the number of atoms and the limit.
    """
    atoms = sum(atom.GetAtomicNum() != 1 for atom in molecule.mol.GetAtoms())
    if atoms > HEAVY_ATOMS:
        raise InputError(
            f"The structure has {atoms:,} heavy atoms; this page takes {HEAVY_ATOMS}.",
            "Use the command line for larger molecules.",
        )
    return molecule
