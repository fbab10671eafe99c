"""What a person typed into a search box: words, a name, or a structure."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from molclip.chem.diagnose import looks_like_name
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parse import looks_like_inchi, looks_like_molblock, parse_molecule

Kind = Literal["words", "name", "identifier", "smiles", "inchi", "molblock"]

# Abbreviations of medicine and biochemistry made of nothing but element symbols. Typed alone they
# are meant as words far more often than as the odd structures they would be.
ABBREVIATIONS = frozenset(
    {
        "BBB",  # blood-brain barrier
        "BNP",  # brain natriuretic peptide
        "BP",  # blood pressure
        "CBN",  # cannabinol
        "CBP",  # CREB-binding protein
        "CF",  # cystic fibrosis
        "CNP",  # C-type natriuretic peptide
        "CNS",  # central nervous system
        "COP",  # coat protein complex
        "CSF",  # cerebrospinal fluid
        "FIP",  # feline infectious peritonitis
        "IBS",  # irritable bowel syndrome
        "ICS",  # inhaled corticosteroid
        "IOP",  # intraocular pressure
        "NOS",  # nitric oxide synthase
        "OCP",  # oral contraceptive pill
        "OCPS",
        "PBS",  # phosphate-buffered saline
        "PC",  # phosphatidylcholine
        "PCB",  # polychlorinated biphenyl
        "PCOS",  # polycystic ovary syndrome
        "PCP",  # phencyclidine
        "PI",  # phosphatidylinositol
        "PNP",  # purine nucleoside phosphorylase
        "PNS",  # peripheral nervous system
        "POP",  # persistent organic pollutant
        "POPS",
        "PPI",  # proton-pump inhibitor
        "PS",  # phosphatidylserine
        "PSP",  # paralytic shellfish poison
        "SOS",
    }
)
_BROKEN_SMILES = re.compile(r"(?=.*(?:[=#\[\]@/\\(]|[bcnops]\d))[A-Za-z0-9@+\-\[\]()=#$%/\\.:*~]+")


@dataclass(frozen=True)
class Interpretation:
    """How an input was read, and what else it could have been."""

    kind: Kind
    text: str
    """The input without surrounding white space."""
    note: str = ""
    """What the reader of the answer should know about the reading; may be empty."""
    molecule: Molecule | None = None
    """The structure, where `kind` is one and it could be read."""
    failure: ParseFailure | None = None
    """Why the structure could not be read, where the input was meant as one."""


def interpret(
    text: str,
    known_name: Callable[[str], bool],
    identifier: Callable[[str], str | None] = lambda _: None,
) -> Interpretation:
    """Decide whether an input is words, a name or a structure, and say so where it could be both.

    A known name wins over everything: PCP, NO and CO are names and SMILES at once. What can be
    neither name nor structure may be a formula or an InChIKey.

    Parameters
    ----------
    text
        What was typed.
    known_name
        Tells whether a molecule of the library goes by this name.
    identifier
        Says which identifier a text is, "the formula H2O4S" for instance, or None.

    Examples
    --------
    >>> interpret("PCP", lambda name: name == "PCP").kind
    'name'
    >>> interpret("CNS", lambda name: False).note
    'Read as words; it would also parse as SMILES (C, N, S).'
    """
    clean = text.strip()
    if not clean:
        return Interpretation("words", clean, "The input is empty.")
    if looks_like_molblock(text):
        return _structure("molblock", text, clean)
    if looks_like_inchi(clean):
        return _structure("inchi", clean, clean)
    parsed = parse_molecule(clean, format="smiles")
    molecule = parsed if isinstance(parsed, Molecule) else None
    if known_name(clean):
        note = "" if molecule is None else f"Read as a name; {_also(clean)}"
        return Interpretation("name", clean, note)
    if molecule is None:
        if (what := identifier(clean)) is not None:
            return Interpretation("identifier", clean, f"Read as {what}.")
        return _unreadable(clean, parsed)
    head, *rest = clean.split(None, 1)
    if head.upper() in ABBREVIATIONS or (rest and head.isalpha() and not rest[0].startswith("|")):
        what = _also(head, "its start" if rest else "it")
        return Interpretation("words", clean, f"Read as words; {what}")
    note = " ".join(f"Note: {warning}." for warning in molecule.warnings)
    if head.isalpha() and len(head) <= 4:
        note = f"Read as SMILES ({', '.join(_atoms(head))}), not as a word. {note}".rstrip()
    return Interpretation("smiles", clean, note, molecule)


def _structure(kind: Kind, text: str, clean: str) -> Interpretation:
    parsed = parse_molecule(text)
    if isinstance(parsed, ParseFailure):
        return Interpretation(kind, clean, f"{parsed.reason} {parsed.hint}", failure=parsed)
    note = " ".join(f"Note: {warning}." for warning in parsed.warnings)
    return Interpretation(kind, clean, note, parsed)


def _unreadable(clean: str, parsed: Molecule | ParseFailure) -> Interpretation:
    """Words, unless the marks of SMILES show that a structure was meant."""
    if (
        isinstance(parsed, ParseFailure)
        and _BROKEN_SMILES.fullmatch(clean)
        and not looks_like_name(clean)
    ):
        return Interpretation("smiles", clean, f"{parsed.reason} {parsed.hint}", failure=parsed)
    return Interpretation("words", clean)


def _also(text: str, what: str = "it") -> str:
    atoms = _atoms(text)
    listed = f" ({', '.join(atoms)})" if atoms and len(atoms) <= 6 else ""
    return f"{what} would also parse as SMILES{listed}."


def _atoms(text: str) -> list[str]:
    return re.findall(r"Cl|Br|[A-Z]", text) if text.isalpha() else []
