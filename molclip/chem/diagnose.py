"""Why a structure does not parse, in words a chemist can act on."""

import re
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from rdkit import Chem

from molclip.chem.rdkit_log import RDKIT_ERRORS

if TYPE_CHECKING:
    from rdkit.Chem import Mol

_POSITION = re.compile(r"around position (\d+)")
_SYNTAX = re.compile(r"SMILES Parse Error: (?!check|Failed)(.+?)(?: while parsing| for input|$)")
_VALENCE = re.compile(r"valence for atom # (\d+) (\w+), (\d+)")
_CAS = re.compile(r"\d{2,7}-\d{2}-\d")
_INCHIKEY = re.compile(r"[A-Z]{14}-[A-Z]{10}-[A-Z]")
_DATABASE_ID = re.compile(r"(?:CHEBI:|CHEMBL|DB|HMDB|CID:?|ZINC|DTXSID|SID:?)\d+", re.IGNORECASE)
_FORMULA = re.compile(r"(?:[A-Z][a-z]?\d*)+")
# Lower-case letters of SMILES outside brackets: aromatic atoms, and the l and r of Cl and Br.
_NOT_SMILES = re.compile(r"(?<!C)l|(?<!B)r|[adefghijkmqtuvwxyz]")
_BRACKETS = re.compile(r"\[[^\]]*\]")
_MOST_NH_TRIED = 24


class Reason(NamedTuple):
    """What is wrong and what to do, each one sentence."""

    reason: str
    hint: str


EMPTY = Reason("empty: there is no structure in this row.", "Fill in the structure or leave it.")
NO_ATOMS = Reason(
    "no atoms: the structure was read, but has no atoms.", "Check how the file was written."
)


def explain_smiles(smiles: str, text: str, log: list[str]) -> Reason:
    """Explain a SMILES that RDKit refused.

    Parameters
    ----------
    smiles
        The part of the text that was taken for SMILES.
    text
        The whole text, which may be a name of several words.
    log
        RDKit's messages.
    """
    unsanitised = _unsanitised(smiles)
    if looks_like_name(text):
        return _explain_name(text)
    if unsanitised is None:
        return _explain_syntax(smiles, log)
    found = _explain_chemistry(unsanitised, smiles) or Reason(
        f"RDKit refuses this SMILES: {'; '.join(dict.fromkeys(log)) or 'it gives no reason'}.",
        "Check the structure in a drawing program.",
    )
    if smiles.isalpha() and smiles.islower():  # a word of aromatic atoms, such as "cocoon"
        return Reason(found.reason, f"{found.hint} {_search_by_name(text)}")
    return found


def explain_non_ascii(text: str, smiles: str) -> Reason:
    """Explain a SMILES with a character outside ASCII: a name, or a word processor's work."""
    if looks_like_name(text):
        return _explain_name(text)
    position = next(i for i, character in enumerate(smiles, start=1) if not character.isascii())
    return Reason(
        f"does not parse: character {smiles[position - 1]!r} at position {position} "
        "does not belong in a SMILES.",
        "A word processor may have replaced a minus or a quotation mark; type it again.",
    )


def explain_inchi(inchi: str, log: list[str]) -> Reason:
    """Explain an InChI that RDKit refused."""
    said = "; ".join(dict.fromkeys(message.strip() for message in log if message.strip(" :ERO")))
    if not inchi.startswith(("InChI=1S/", "InChI=1/")):
        return Reason(
            "does not parse: an InChI starts with InChI=1S/ or InChI=1/.",
            "Check that the whole InChI was copied.",
        )
    return Reason(
        f"does not parse as InChI{': ' + said if said else ''}.",
        "Check that the whole InChI was copied; a layer cut off at the end is the usual cause.",
    )


def explain_molblock(block: str, log: list[str], problem: str) -> Reason:
    """Explain a mol block that RDKit refused.

    Parameters
    ----------
    block
        The block with plain line ends.
    log
        RDKit's messages.
    problem
        The text of the exception RDKit raised, or nothing.
    """
    try:
        mol = Chem.MolFromMolBlock(block, sanitize=False, removeHs=False)
    except RDKIT_ERRORS:
        mol = None
    if mol is not None:
        chemistry = _explain_chemistry(mol, None)
        if chemistry is not None:
            return chemistry
    said = "; ".join(dict.fromkeys([problem, *log])).strip("; ") or "RDKit gives no reason"
    hint = "Write the record again with the program it came from."
    if "M  END" not in block:
        hint = "The line 'M  END' is missing: the record may be cut off. " + hint
    return Reason(f"does not parse as a mol block: {said.rstrip('.')}.", hint)


def looks_like_name(text: str) -> bool:
    """Tell a chemical name, registry number or key from a broken SMILES.

    A word with letters that no SMILES has outside brackets is a name.
    """
    text = text.strip()
    if _CAS.fullmatch(text) or _INCHIKEY.fullmatch(text) or _DATABASE_ID.fullmatch(text):
        return True
    first = text.split(None, 1)[0] if text else ""
    if not first or any(mark in first for mark in "=#@\\/"):
        return False
    bare = _BRACKETS.sub("", first)
    return bool(_NOT_SMILES.search(bare))


def _explain_name(text: str) -> Reason:
    name = " ".join(text.split())
    kind = "a name"
    if _CAS.fullmatch(name):
        kind = "a CAS number"
    elif _INCHIKEY.fullmatch(name):
        kind = "an InChIKey"
    elif _DATABASE_ID.fullmatch(name):
        kind = "a database identifier"
    return Reason(
        f"does not parse: this looks like {kind}, not a structure.",
        _search_by_name(name),
    )


def _search_by_name(name: str) -> str:
    return f'Search by name with: molclip search "{name}" --mode name'


def _explain_syntax(smiles: str, log: list[str]) -> Reason:
    messages = " | ".join(log)
    position = _POSITION.search(messages)
    cause = next((found[1] for found in map(_SYNTAX.match, log) if found), "syntax error")
    if position is not None:
        at = int(position[1])
        shown = smiles[at - 1 : at]
        where = f" at position {at} ({shown!r})" if shown else f" at position {at}"
        return Reason(
            f"does not parse: {cause}{where}.",
            _syntax_hint(smiles, shown),
        )
    if "unclosed ring" in messages:
        return Reason(
            "does not parse: a ring is opened and never closed.",
            "Each ring number must occur twice; the end of the SMILES may be cut off.",
        )
    if _FORMULA.fullmatch(smiles) and any(character.isdigit() for character in smiles):
        return Reason(
            "does not parse: this looks like a molecular formula, not a structure.",
            "A formula fits many molecules; write a SMILES.",
        )
    return Reason(f"does not parse as SMILES: {cause}.", "Check the SMILES where it was copied.")


def _syntax_hint(smiles: str, shown: str) -> str:
    if _FORMULA.fullmatch(smiles) and any(character.isdigit() for character in smiles):
        return "This may be a molecular formula; write a SMILES."
    if smiles.count("(") != smiles.count(")"):
        return (
            f"There are {smiles.count('(')} opening and {smiles.count(')')} closing parentheses; "
            "the start or the end may be cut off."
        )
    if smiles.count("[") != smiles.count("]"):
        return "Each [ needs a ]; the start or the end may be cut off."
    if shown in {";", ","}:
        return "Put one SMILES in each row; join parts of one substance with a full stop."
    return "Check the SMILES around this position where it was copied."


def _unsanitised(smiles: str) -> "Mol | None":
    try:
        return Chem.MolFromSmiles(smiles, sanitize=False)
    except RDKIT_ERRORS:
        return None


def _explain_chemistry(mol: "Mol", smiles: str | None) -> Reason | None:
    """Explain the first thing that keeps the structure from being sanitised."""
    try:
        mol.UpdatePropertyCache(strict=False)
        problems = Chem.DetectChemistryProblems(mol)
    except RDKIT_ERRORS:
        return None
    for problem in problems:
        kind = problem.GetType()
        if kind == "AtomValenceException":
            return _explain_valence(mol, problem.GetAtomIdx(), problem.Message())
        if kind == "KekulizeException":
            return _explain_kekulization(mol, list(problem.GetAtomIndices()), smiles)
        if kind == "AtomKekulizeException":
            index = problem.GetAtomIdx()
            return Reason(
                f"aromatic outside a ring: atom {index + 1} ({_aromatic_symbol(mol, index)}) is written "
                "as aromatic, but is in no ring.",
                "Write it with a capital letter.",
            )
        return Reason(
            f"impossible structure: {problem.Message()}.",
            "Check the structure in a drawing program.",
        )
    return None


def _explain_valence(mol: "Mol", index: int, message: str) -> Reason:
    atom = mol.GetAtomWithIdx(index)
    found = _VALENCE.search(message)
    valence = (
        found[3] if found else str(round(sum(b.GetValenceContrib(atom) for b in atom.GetBonds())))
    )
    charge = atom.GetFormalCharge()
    charged = f", charge {charge:+d}" if charge else ""
    reason = (
        f"impossible valence: atom {index + 1} ({atom.GetSymbol()}{charged}) has valence {valence}, "
        "more than it can have."
    )
    if atom.GetSymbol() == "N" and charge == 0 and valence == "4":
        return Reason(reason, "A nitrogen with four bonds carries a charge: write [N+].")
    if charge:
        return Reason(reason, "Check its charge, its hydrogens and its bonds.")
    return Reason(reason, "Check its bonds, or whether a charge is missing.")


def _explain_kekulization(mol: "Mol", indices: list[int], smiles: str | None) -> Reason:
    shown = ", ".join(f"{i + 1} ({_aromatic_symbol(mol, i)})" for i in islice(indices, 12))
    if len(indices) > 12:
        shown += ", …"
    reason = f"the aromatic ring cannot be kekulized: ring atoms {shown}."
    nitrogens = [
        i
        for i in indices
        if mol.GetAtomWithIdx(i).GetSymbol() in ("N", "P")
        and mol.GetAtomWithIdx(i).GetTotalNumHs() == 0
        and mol.GetAtomWithIdx(i).GetDegree() == 2
    ]
    if not nitrogens:
        return Reason(
            reason,
            "No alternation of single and double bonds fits; write the ring with capital letters "
            "and explicit double bonds, or add the missing charge or hydrogen.",
        )
    atoms = ", ".join(str(i + 1) for i in nitrogens)
    hint = f"A hydrogen is probably missing on an aromatic nitrogen (atom {atoms}): write [nH]"
    example = _with_hydrogen(mol, nitrogens) if smiles is not None else None
    return Reason(reason, f"{hint}, for example {example}." if example else f"{hint}.")


def _with_hydrogen(mol: "Mol", nitrogens: list[int]) -> str | None:
    """Return the SMILES with one [nH] that can be read, in the order it was written."""
    for index in islice(nitrogens, _MOST_NH_TRIED):
        trial = Chem.RWMol(mol)
        atom = trial.GetAtomWithIdx(index)
        atom.SetNumExplicitHs(1)
        atom.SetNoImplicit(True)
        if Chem.SanitizeMol(trial, catchErrors=True) == Chem.SanitizeFlags.SANITIZE_NONE:
            return Chem.MolToSmiles(trial, canonical=False)
    return None


def _aromatic_symbol(mol: "Mol", index: int) -> str:
    atom = mol.GetAtomWithIdx(index)
    symbol = atom.GetSymbol()
    return symbol.lower() if atom.GetIsAromatic() else symbol
