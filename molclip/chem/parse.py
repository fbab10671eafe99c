"""Text to molecule: SMILES, CXSMILES, InChI and mol blocks."""

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast, get_args

from rdkit import Chem

from molclip.chem.cautions import cautions
from molclip.chem.diagnose import (
    EMPTY,
    NO_ATOMS,
    Reason,
    explain_inchi,
    explain_molblock,
    explain_non_ascii,
    explain_smiles,
)
from molclip.chem.molecule import Molecule, ParseFailure, cx_smiles
from molclip.chem.outline import too_much_inchi, too_much_molblock, too_much_smiles
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

Format = Literal["auto", "smiles", "inchi", "molblock"]

# Byte-order mark, zero-width characters and the no-break space that spreadsheets leave behind.
_INVISIBLE = dict.fromkeys((0xFEFF, 0x200B, 0x200C, 0x200D, 0x2060)) | {0xA0: " "}
_QUOTES = (('"', '"'), ("'", "'"), ("`", "`"), ("‘", "’"), ("“", "”"))
# Bracket atoms that every RDKit writes and reads alike; others are read back once to be sure.
_PLAIN_BRACKET = re.compile(
    r"\[(?:nH|[CNPS]@{1,2}H?\+?|[NP]H?[+]|[NH]H?[234]?\+|n\+|nH\+|[OSN]-|Na\+|K\+|Cl-|Br-)\]"
)
_CX = re.compile(r"\|[^|]*\|")


@dataclass
class _Read:
    """What a reader of one format found out."""

    mol: "Mol | None" = None
    name: str | None = None
    warnings: list[str] = field(default_factory=list)
    reason: Reason | None = None


def parse_molecule(
    text: str,
    *,
    row: int = 1,
    id: str | None = None,
    name: str | None = None,
    file: str | None = None,
    format: Format = "auto",
    properties: dict[str, str] | None = None,
) -> Molecule | ParseFailure:
    """Read one molecule; a text that is none becomes a `ParseFailure`, never an exception.

    Charge, salts, isotopes, stereo and tautomers stay as written; hydrogens become implicit.

    Parameters
    ----------
    text
        SMILES or CXSMILES (a name may follow after white space), InChI, or a mol block (V2000 or
        V3000).
    row, id, name, file, properties
        Where the text comes from; carried along. A name after a SMILES is used where `name` is
        None.
    format
        What the text is. `auto` tells InChI and mol blocks by their look and takes everything
        else for SMILES: a word that is also a SMILES (PCP, NO) is read as SMILES here.

    Raises
    ------
    InputError
        When `format` is none of the four.

    Examples
    --------
    >>> parse_molecule("OCC ethanol").smiles
    'CCO'
    >>> parse_molecule("c1cc1", row=7).reason
    'the aromatic ring cannot be kekulized: ring atoms 1 (c), 2 (c), 3 (c).'
    """
    if format not in get_args(Format):
        raise InputError(
            f"Unknown structure format {format!r}.",
            f"Use one of {', '.join(get_args(Format))}.",
        )
    source = {"file": file, "row": row, "id": id, "input": text}
    properties = properties or {}
    with capture() as log:
        try:
            read = _read(text, format, log)
            if read.mol is not None and read.mol.GetNumAtoms() == 0:
                read.reason = NO_ATOMS
            if read.reason is None and read.mol is not None:
                smiles = _written(read.mol)
                return Molecule(
                    **source,  # type: ignore[arg-type]
                    name=name if name is not None else read.name,
                    smiles=smiles,
                    mol=read.mol,
                    warnings=(*read.warnings, *cautions(smiles, read.mol)),
                    properties=properties,
                    cx_smiles=cx_smiles(read.mol),
                )
            reason = cast("Reason", read.reason)
        except RDKIT_ERRORS as error:
            reason = Reason(
                f"RDKit cannot handle this structure: {' '.join(str(error).split())}.",
                "Check the structure in a drawing program.",
            )
    return ParseFailure(
        **source,  # type: ignore[arg-type]
        reason=reason.reason,
        hint=reason.hint,
        name=name,
        properties=properties,
    )


def looks_like_molblock(text: str) -> bool:
    """Tell a mol block by its counts line or its end mark."""
    return "\n" in text and ("M  END" in text or " V2000" in text or " V3000" in text)


def looks_like_inchi(text: str) -> bool:
    """Tell an InChI by its prefix, in any case."""
    return text.lstrip()[:6].lower() == "inchi="


def _read(text: str, format: Format, log: list[str]) -> _Read:
    if not text or not text.strip():
        return _Read(reason=EMPTY)
    if format == "molblock" or (format == "auto" and looks_like_molblock(text)):
        return _read_molblock(text, log)
    clean = text.strip()
    if not clean.isascii():
        clean = clean.translate(_INVISIBLE).strip()
    if not clean:
        return _Read(reason=EMPTY)
    warnings = []
    for opening, closing in _QUOTES:
        if len(clean) > 1 and clean[0] == opening and clean[-1] == closing:
            clean = clean[1:-1].strip()
            warnings.append("quotation marks around the structure were taken off")
            break
    if format == "inchi" or (format == "auto" and looks_like_inchi(clean)):
        read = _read_inchi(clean, log)
    else:
        read = _read_smiles(clean, log)
    read.warnings[:0] = warnings
    return read


def split_structure(text: str) -> tuple[str, str | None]:
    """Split `SMILES |extension| name` into structure (with its extension) and name."""
    head, extension, name = _split(text)
    return f"{head} {extension}" if extension else head, name


def _split(text: str) -> tuple[str, str, str | None]:
    head, *rest = text.split(None, 1) or [""]
    if not rest:
        return head, "", None
    extension = _CX.match(rest[0])
    if extension is None:
        return head, "", rest[0]
    return head, extension.group(), rest[0][extension.end() :].strip() or None


def _read_smiles(text: str, log: list[str]) -> _Read:
    if "\n" in text or "\r" in text:
        return _Read(
            reason=Reason(
                "the structure goes over more than one line.",
                "Put one SMILES in each row; a line break inside a SMILES must go.",
            )
        )
    head, extension, name = _split(text)
    read = _Read(name=name)
    if "\\\\" in head:
        head = head.replace("\\\\", "\\")
        read.warnings.append(f"the double backslash was taken for an escaped one; read as {head}")
    if not head.isascii():
        read.reason = explain_non_ascii(text, head)
        return read
    read.reason = too_much_smiles(head)
    if read.reason is not None:
        return read
    if extension:
        read.mol = Chem.MolFromSmiles(f"{head} {extension}")
    if read.mol is None:
        read.mol = Chem.MolFromSmiles(head)
        if read.mol is not None and extension:
            read.warnings.append(
                f"the CXSMILES extension {extension} could not be read and was left out; "
                "stereo groups or labels in it are lost"
            )
    if read.mol is None:
        read.reason = explain_smiles(head, text, log)
    return read


def _read_inchi(text: str, log: list[str]) -> _Read:
    head, *rest = text.split(None, 1)
    if head[:6] != "InChI=":
        head = "InChI=" + head[6:]
    read = _Read(name=rest[0] if rest else None, reason=too_much_inchi(head))
    if read.reason is not None:
        return read
    read.mol = Chem.MolFromInchi(head)  # type: ignore[no-untyped-call]
    if read.mol is None:
        read.reason = explain_inchi(head, log)
    return read


def _read_molblock(text: str, log: list[str]) -> _Read:
    block = text.replace("\r\n", "\n").replace("\r", "\n")
    read = _Read(name=block.partition("\n")[0].strip() or None, reason=too_much_molblock(block))
    if read.reason is not None:
        return read
    problem = ""
    try:
        read.mol = Chem.MolFromMolBlock(block)
    except RDKIT_ERRORS as error:
        problem = " ".join(str(error).split())
    if read.mol is None:
        read.reason = explain_molblock(block, log, problem)
    else:
        read.warnings += [f"mol block: {message}" for message in dict.fromkeys(log)]
    return read


def _written(mol: "Mol") -> str:
    """Return canonical SMILES that surely parse again."""
    smiles = Chem.MolToSmiles(mol)
    if "[" not in smiles or "[" not in _PLAIN_BRACKET.sub("", smiles):
        return smiles
    if Chem.MolFromSmiles(smiles) is not None:
        return smiles
    for options in ({"kekuleSmiles": True}, {"canonical": False}):
        other = Chem.MolToSmiles(mol, **options)
        if Chem.MolFromSmiles(other) is not None:
            return other
    raise ValueError(f"the SMILES written for it, {smiles}, does not parse again")
