"""Which column holds the structure, the id and the name: by its title and by its content."""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rdkit import Chem

from molclip.chem.diagnose import looks_like_name
from molclip.chem.parse import looks_like_inchi, looks_like_molblock
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.chem.readers.record import Wanted
from molclip.errors import InputError

SAMPLE_ROWS = 100
_LONGEST_SMILES = 100_000
"""Longer ones have more atoms than are read, and RDKit would look at each for a long time."""

# Titles in order of preference, lower-case letters and digits only. Isomeric SMILES come before
# "canonical" ones, which in PubChem's tables have lost their stereo.
STRUCTURE_TITLES = (
    "isomericsmiles",
    "smiles",
    "canonicalsmiles",
    "smi",
    "cxsmiles",
    "smilesstring",
    "moleculesmiles",
    "compoundsmiles",
    "structuresmiles",
    "canonsmiles",
    "molblock",
    "molfile",
    "ctab",
    "structure",
    "structures",
    "molecule",
    "mol",
    "inchi",
    "standardinchi",
    "stdinchi",
)
ID_TITLES = (
    "id",
    "moleculeid",
    "compoundid",
    "molid",
    "cmpdid",
    "cid",
    "pubchemcid",
    "chebiid",
    "chemblid",
    "moleculechemblid",
    "drugbankid",
    "zincid",
    "catalogid",
    "catalognumber",
    "sampleid",
    "identifier",
    "accession",
    "casnumber",
    "casrn",
    "cas",
    "regno",
    "registrynumber",
    "code",
    "inchikey",
)
NAME_TITLES = (
    "name",
    "moleculename",
    "compoundname",
    "compound",
    "drugname",
    "chemicalname",
    "preferredname",
    "prefname",
    "commonname",
    "title",
    "iupacname",
    "synonym",
)
_IDENTIFIER = re.compile(r"(?=.*\d)[A-Za-z]{0,12}[-_:]{0,2}\d[\w-]{0,20}")
_WORD = re.compile(r"[^\W\d_]{3,}")
_FORMULA = re.compile(r"C\d*H\d.*")
_TELLING = re.compile(r"smiles|inchi(?!key)|molblock|molfile")
_LONG_NAME = 200
_ENOUGH = 0.5


@dataclass(frozen=True)
class Columns:
    """Titles of the columns in use; None where there is none."""

    structure: str
    id: str | None
    name: str | None


def plain_title(title: str) -> str:
    """Return a title in lower case without anything but letters and digits."""
    return re.sub(r"[^a-z0-9]", "", title.lower())


def is_known_title(cell: str) -> bool:
    """Tell a cell that only a header would hold."""
    title = plain_title(cell)
    return title in _KNOWN or "smiles" in title


def find_columns(
    titles: Sequence[str], sample: Sequence[dict[str, str]], wanted: Wanted, shown: str
) -> Columns:
    """Choose the columns of a table.

    Parameters
    ----------
    titles
        All column titles in order.
    sample
        The first rows, as dictionaries from title to cell.
    wanted
        Titles the user named, in any case; numbers from 1 in a table without header.
    shown
        The file as it is called in messages.

    Raises
    ------
    InputError
        When a column that was named is not there, or no column holds structures.
    """
    structure = named_column(wanted.structure, titles, "structure", shown)
    structure = structure or _structure_column(titles, sample, shown)
    taken = {structure}
    identifier = named_column(wanted.id, titles, "id", shown)
    name = named_column(wanted.name, titles, "name", shown)
    taken |= {identifier or "", name or ""}
    identifier = identifier or _titled(ID_TITLES, titles, taken)
    name = name or _titled(NAME_TITLES, titles, taken | {identifier or ""})
    taken |= {identifier or "", name or ""}
    if identifier is None:
        identifier = _by_content(titles, sample, taken, _fits_ids)
    if name is None:
        name = _by_content(titles, sample, taken | {identifier or ""}, _fits_names)
    return Columns(structure, identifier, name)


def looks_like_identifier(text: str) -> bool:
    """Tell a catalogue number or database id: short, no spaces, with digits (CHEMBL25, 4711)."""
    return _IDENTIFIER.fullmatch(text) is not None and not _FORMULA.fullmatch(text)


def looks_like_structure(text: str) -> bool:
    """Tell whether a cell reads as a structure: an InChI, a mol block, or SMILES syntax."""
    text = text.strip()
    if not text:
        return False
    if looks_like_inchi(text) or looks_like_molblock(text):
        return True
    if len(text) > _LONGEST_SMILES:
        return False
    head = text.split(None, 1)[0].replace("\\\\", "\\")
    if len(text.split()) > 2 and "|" not in text:  # a sentence that starts with "In" or "No"
        return False
    if not head.isascii():  # no SMILES; RDKit's complaint could not even be decoded
        return False
    with capture():
        try:
            return Chem.MolFromSmiles(head, sanitize=False) is not None
        except RDKIT_ERRORS:
            return False


def named_column(wanted: str | None, titles: Sequence[str], role: str, shown: str) -> str | None:
    """Return the title a user meant, or None where none was asked for.

    Raises
    ------
    InputError
        When there is no such title; names those that are near.
    """
    if wanted is None:
        return None
    if wanted in titles:
        return wanted
    if wanted.isdigit() and made_up_title(int(wanted)) in titles:
        return made_up_title(int(wanted))
    alike = [title for title in titles if title.strip().lower() == wanted.strip().lower()]
    if len(alike) == 1:
        return alike[0]
    by_plain = {plain_title(title): title for title in titles}
    near = difflib.get_close_matches(plain_title(wanted), by_plain, n=3, cutoff=0.5)
    listed = ", ".join(titles[:20]) + (", …" if len(titles) > 20 else "")
    meant = f"Did you mean {' or '.join(by_plain[title] for title in near)}? " if near else ""
    raise InputError(
        f"{shown} has no column {wanted!r} for the {role}.", f"{meant}Its columns are: {listed}."
    )


def _structure_column(titles: Sequence[str], sample: Sequence[dict[str, str]], shown: str) -> str:
    """Choose by title where a cell reads as a structure, else by a telling title, else by content.

    Content alone is weak evidence: in a file whose SMILES are all broken, an id such as `B` would
    pass for boron.
    """
    scores = {title: _structure_share(title, sample) for title in titles}
    titled = _titled_all(STRUCTURE_TITLES, titles)
    readable = [title for title in titled if scores[title] > 0]
    telling = [title for title in titled if _TELLING.search(plain_title(title))]
    other = {*_titled_all(ID_TITLES, titles), *_titled_all(NAME_TITLES, titles)}
    full = [title for title in titles if scores[title] >= _ENOUGH]
    full.sort(key=lambda title: (title in other, -scores[title]))
    candidates = [*readable, *telling, *full, *titled]
    if candidates:
        return candidates[0]
    listed = ", ".join(titles[:20]) + (", …" if len(titles) > 20 else "")
    raise InputError(
        f"No column of {shown} holds structures (SMILES, InChI or mol blocks).",
        f"Name the column; its columns are: {listed}.",
    )


def _structure_share(title: str, sample: Sequence[dict[str, str]]) -> float:
    """Return the share of cells that are structures; words that happen to be SMILES count less."""
    cells = [cell for row in sample if (cell := row.get(title, "").strip())]
    if not cells:
        return 0.0
    found = [cell for cell in cells if looks_like_structure(cell)]
    telling = sum(len(cell) > 6 or not cell.isalpha() for cell in found)
    return (len(found) + 0.1 * telling) / (1.1 * len(cells))


def _titled_all(known: Sequence[str], titles: Sequence[str]) -> list[str]:
    exact = [title for want in known for title in titles if plain_title(title) == want]
    if known is STRUCTURE_TITLES:
        exact += [t for t in titles if "smiles" in plain_title(t) and t not in exact]
    return exact


def _titled(known: Sequence[str], titles: Sequence[str], taken: set[str]) -> str | None:
    return next((title for title in _titled_all(known, titles) if title not in taken), None)


def _by_content(
    titles: Sequence[str],
    sample: Sequence[dict[str, str]],
    taken: set[str],
    fits: Callable[[str, list[str]], bool],
) -> str | None:
    for title in titles:
        cells = [row.get(title, "").strip() for row in sample]
        if title not in taken and cells and all(cells) and fits(title, cells):
            return title
    return None


def _fits_ids(title: str, cells: list[str]) -> bool:
    """Distinct identifiers; bare numbers under a title could be any measurement."""
    if len(set(cells)) < len(cells) or not all(map(looks_like_identifier, cells)):
        return False
    return is_made_up(title) or not any(map(str.isdigit, cells))


def _fits_names(title: str, cells: list[str]) -> bool:
    """Words that are no SMILES; under a title that says otherwise they are left alone."""
    return is_made_up(title) and all(
        len(cell) < _LONG_NAME and _WORD.search(cell) and looks_like_name(cell) for cell in cells
    )


def made_up_title(number: int) -> str:
    """Return the title of a column (counted from 1) in a table without header."""
    return f"column {number}"


def is_made_up(title: str) -> bool:
    """Tell a title made by `made_up_title`."""
    return title.startswith("column ") and title[7:].isdigit()


_KNOWN = frozenset((*STRUCTURE_TITLES, *ID_TITLES, *NAME_TITLES))
