"""Why a molecule and words match, for the page: within its limits, with a counter-example."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from molclip.errors import InputError

from .limits import EXPLAINED_ATOMS, EXPLAINED_PIECES, QUERY_LENGTH, check_length

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule
    from molclip.explain import CounterExample, Explanation

    from .service import Service


@dataclass(frozen=True)
class Match:
    """A molecule and words, as they were read."""

    molecule: Molecule
    text: str
    said: str
    """How the molecule was read."""


def read_match(service: Service, structure: str, words: str) -> Match:
    """Read the form.

    Parameters
    ----------
    service
        Knows the names of the library.
    structure
        SMILES, InChI, mol block, or a name.
    words
        What the molecule should be.

    Raises
    ------
    InputError
        When one is missing, cannot be read, or is more than this page explains.
    """
    text = " ".join(words.split())
    if not structure.strip():
        raise InputError("There is no molecule yet.", "Type a SMILES, an InChI or a name.")
    if not text:
        raise InputError("There are no words yet.", "Say what the molecule should be.")
    check_length(text, QUERY_LENGTH, "The text")
    molecule, said = service.read_molecule(structure)
    atoms = molecule.mol.GetNumAtoms()
    if atoms > EXPLAINED_ATOMS:
        raise InputError(
            f"The structure has {atoms:,} atoms; this page explains up to {EXPLAINED_ATOMS}, "
            "for each atom is weighed on its own.",
            "`molclip explain` on your own machine has no such limit.",
        )
    (read,) = service.library.model.tokenize([text])
    pieces = len(read.ids) + read.dropped
    if pieces > EXPLAINED_PIECES:
        raise InputError(
            f"The model reads the text in {pieces:,} pieces; this page explains up to "
            f"{EXPLAINED_PIECES}, for each word is weighed on its own.",
            "Keep the sentence that matters, or use `molclip explain`, which has no such limit.",
        )
    return Match(molecule, text, said)


def explained(service: Service, match: Match) -> Explanation:
    """Weigh atoms and words by both methods."""
    from molclip.explain import explain

    return explain(match.molecule, match.text, model=service.library.model)


def counter(service: Service, match: Match) -> CounterExample | None:
    """The neighbour in the library that lacks the match; None where there is none."""
    from molclip.explain import counter_example

    return counter_example(
        service.library, match.molecule, match.text, background=service.background
    )


def above(service: Service, match: Match, score: float) -> float:
    """Share of the library's background that matches the words less, 0 to 1."""
    words = service.library.model.encode_text([match.text])[0]
    return float((service.background @ words < score).mean())
