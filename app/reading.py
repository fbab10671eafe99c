"""From what was typed to what is asked, with a sentence that says how it was read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from molclip.chem.identifiers import inchikey, inchikey_block
from molclip.chem.molecule import Molecule, ParseFailure, shorten
from molclip.chem.parse import looks_like_inchi, looks_like_molblock, parse_molecule
from molclip.chem.sniff import Interpretation, interpret
from molclip.errors import InputError

from .limits import QUERY_LENGTH, check_atoms, check_length, structure_limit
from .remedies import here

if TYPE_CHECKING:
    from molclip.search.result import Mode

_APART = re.compile(r"\s*\n\s*|\s+\+\s+")
_MARKS = re.compile(r"[=#()\[\]@]|[A-Za-z]\d")
"""One of these is in every SMILES that nobody takes for a word."""
_SHORTEST = 5
_COUNTS = re.compile(r" V[23]000\s*$")
_HEAD = 3
"""Lines of a mol block before its counts."""
_STRUCTURES = ("smiles", "inchi", "molblock")
_MODES: dict[str, Mode] = {"words": "vector", "name": "hybrid", "identifier": "name"}
"""How a text that is no structure is looked for."""
_KINDS = {"words": "words", "smiles": "SMILES", "inchi": "InChI", "molblock": "a mol block"}


class Names(Protocol):
    """The names of a library."""

    def knows(self, name: str) -> bool:
        """Whether a molecule goes by exactly this name."""

    def identifier(self, text: str) -> str | None:
        """What identifier a text is, such as "the formula H2O4S"; None where it is none."""

    def structure_of(self, name: str) -> str:
        """SMILES of the molecule of this name."""


def _no_identifier(_: str) -> None:
    return None


@dataclass(frozen=True)
class Reading:
    """A question as the library takes it."""

    text: str | None
    molecule: Molecule | None
    mode: Mode
    said: str
    """How the input was read, as sentences."""


def trimmed(text: str) -> str:
    """A text without space around it; of a mol block, only blank lines before its title are space.

    Which line of a mol block is which goes by their number, and title and remark may be empty.
    """
    if not looks_like_molblock(text):
        return text.strip()
    lines = text.split("\n")
    counts = next((at for at, line in enumerate(lines) if _COUNTS.search(line)), _HEAD)
    blank = next((at for at, line in enumerate(lines) if line.strip()), 0)
    return "\n".join(lines[max(0, min(blank, counts - _HEAD)) :])


def read_question(words: str, structure: str, names: Names) -> Reading:
    """Read the two fields of the search form.

    Parameters
    ----------
    words
        Words, a name, or a structure; or words and a structure (see `split_both`).
    structure
        A structure, or the name of a molecule; may be empty.
    names
        The library's names: a known name wins over a SMILES of the same letters.

    Raises
    ------
    InputError
        When both are empty, too long, a structure cannot be read, or two are given.
    """
    words, structure = trimmed(words), trimmed(structure)
    if not words and not structure:
        raise InputError("Nothing is asked yet.", "Type words, a name or a structure.")
    check_length(words, max(QUERY_LENGTH, structure_limit(words)), "The question")
    if not structure and (both := split_both(words, names)) is not None:
        words, structure = both
    molecule, said = read_structure(structure, names) if structure else (None, "")
    if not words:
        return Reading(None, molecule, "vector", said)
    # Beside a structure a text is compared by the model, as words.
    identifier = names.identifier if molecule is None else _no_identifier
    read = interpret(words, names.knows, identifier)
    if read.kind in _MODES:
        check_length(words, QUERY_LENGTH, "The question")
        mode = _MODES[read.kind] if molecule is None else "vector"
        return Reading(words, molecule, mode, f"{how_read(read)} {said}".strip())
    if molecule is not None:
        raise InputError("Two structures are given.", "Leave one of the two fields empty.")
    return Reading(None, _molecule(read), "vector", how_read(read))


def split_both(text: str, names: Names) -> tuple[str, str] | None:
    """Words and the structure that stands beside them in one field; None where there are not both.

    They stand on lines of their own, or with ` + ` between, where the structure may be a name as
    well; or a SMILES or InChI that no one would take for a word stands before or after the words.
    """
    if looks_like_molblock(text) or names.knows(text):
        return None
    parts = [part for part in _APART.split(text.strip()) if part]
    if len(parts) == 2:
        kinds = [interpret(part, names.knows).kind for part in parts]
        for words, structure in ((0, 1), (1, 0)):
            if kinds[words] == "words" and kinds[structure] in (*_STRUCTURES, "name"):
                return parts[words], parts[structure]
        return None
    head, _, rest = text.strip().partition(" ")
    start, _, tail = text.strip().rpartition(" ")
    if start and _unmistakable(tail):
        return start.strip(), tail
    # What follows a SMILES in a file is the name or number of the molecule, and no question.
    titled = names.knows(rest) or any(letter in "0123456789|" for letter in rest)
    if rest and not titled and _unmistakable(head):
        return rest.strip(), head
    return None


def _unmistakable(word: str) -> bool:
    if looks_like_inchi(word):
        return True
    if len(word) < _SHORTEST or not _MARKS.search(word):
        return False
    return isinstance(parse_molecule(word, format="smiles"), Molecule)


def read_structure(text: str, names: Names) -> tuple[Molecule, str]:
    """Read a structure, or the name of one, and say how.

    Raises
    ------
    InputError
        When it is neither.
    """
    text = trimmed(text)
    check_length(text, structure_limit(text), "The structure")
    read = interpret(text, names.knows, names.identifier)
    if read.kind == "identifier":
        return _identified(read, names)
    if read.kind == "name":
        parsed = parse_molecule(names.structure_of(read.text), name=read.text)
        if isinstance(parsed, ParseFailure):
            raise InputError(f"The library's structure of {read.text!r} cannot be read.")
        return check_atoms(parsed), how_read(read, "Structure: read")
    if read.kind == "words":
        # The box is for structures: letters that could be either are taken for one here.
        parsed = parse_molecule(text)
        if isinstance(parsed, ParseFailure):
            raise InputError(
                f"{shorten(read.text, 60)!r} is neither a structure nor a name the library knows.",
                "Give a SMILES, an InChI, or a name as ChEBI has it.",
            )
        return check_atoms(parsed), "Structure: read as SMILES."
    return _molecule(read), how_read(read, "Structure: read")


def _identified(read: Interpretation, names: Names) -> tuple[Molecule, str]:
    """The molecule of an InChIKey; a formula is that of many."""
    if inchikey(read.text) is None and inchikey_block(read.text) is None:
        raise InputError(
            f"{shorten(read.text, 60)!r} is a formula, which many molecules may share.",
            "Give a SMILES, an InChI, an InChIKey, or a name.",
        )
    parsed = parse_molecule(names.structure_of(read.text))
    if isinstance(parsed, ParseFailure):
        raise InputError(f"The library's structure of {read.text!r} cannot be read.")
    return check_atoms(parsed), how_read(read, "Structure: read")


def how_read(read: Interpretation, start: str = "Read") -> str:
    """The sentence about a reading, and what else the input could have been."""
    if read.note.startswith("Read as"):
        return start + read.note.removeprefix("Read")
    kind = "the name of a molecule" if read.kind == "name" else _KINDS[read.kind]
    return f"{start} as {kind}. {read.note}".rstrip()


def _molecule(read: Interpretation) -> Molecule:
    if read.molecule is not None:
        return check_atoms(read.molecule)
    reason = read.failure.reason if read.failure else "it is no structure."
    raise InputError(
        f"The structure {shorten(read.text, 60)!r} cannot be read: {reason}",
        here(read.failure.hint) if read.failure else "",
    )
