"""Results to files that the next program opens: CSV, JSON Lines and SD files."""

import csv
import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from rdkit import Chem

from molclip.chem.layout import lay_out
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
from molclip.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

# What spreadsheets take for a formula, also behind blanks and in the wide letters of East Asia.
_SIGNS = "=+\\-@＝＋－＠"
_FORMULA = re.compile(rf"[\t\r\n]|[\s\u200b\ufeff]*[{_SIGNS}]")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?(?:[eE][+-]?\d+)?")
# Where lists are separated by semicolons, a spreadsheet splits there even inside quotes.
_LATER = re.compile(rf"(?<=;)(\s*)(?=[{_SIGNS}])(?!\s*{_NUMBER.pattern}\s*(?:;|$))")
# Everything an InChI is made of. A sign behind a semicolon is a charge there (`/q;;+2/p-2`).
_INCHI = re.compile(r"InChI=1[A-Z]?/(?:[\w/.,()*?+-]|;(?![+-](?!\d+(?:[;/]|$))))*", re.ASCII)
NOTE_FIELD = "molclip_note"
_NOTE = "The drawing does not hold everything; the SMILES does."
_TITLE_CHARACTERS = 80
_V2000_MOST = 999
_V3000_BONDS = (
    Chem.BondType.DATIVE,
    Chem.BondType.DATIVEL,
    Chem.BondType.DATIVER,
    Chem.BondType.DATIVEONE,
    Chem.BondType.HYDROGEN,
    Chem.BondType.ZERO,
)


def safe_cell(value: Any) -> Any:
    """Return a cell that no spreadsheet takes for a formula.

    Text that starts with ``=``, ``+``, ``-`` or ``@`` (blanks before them count for nothing), a tab
    or a line end gets an apostrophe in front, as spreadsheets write it themselves; so does what
    follows a semicolon, which separates cells in half of Europe. Plain numbers, also as text, stay.
    A valid SMILES starts with a letter, ``[`` or ``*``, has no semicolon, and so is never altered;
    an InChI neither.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if not isinstance(value, str) or _NUMBER.fullmatch(value) or _INCHI.fullmatch(value):
        return value
    guarded = _LATER.sub(r"\1'", value)
    return f"'{guarded}" if _FORMULA.match(value) else guarded


def open_for_writing(path: Path) -> IO[str]:
    """Open a text file, UTF-8 with plain line ends.

    Raises
    ------
    InputError
        When the folder is missing or may not be written to.
    """
    try:
        return path.open("w", encoding="utf-8", newline="")
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}.", "Check the folder and its permissions."
        ) from None


def write_rows(
    rows: Iterable[Mapping[str, Any]],
    path: str | PathLike[str],
    columns: Sequence[str] | None = None,
    *,
    structure: str = "smiles",
) -> int:
    """Write rows to a file whose extension says the format: .csv, .tsv, .jsonl or .sdf.

    Parameters
    ----------
    rows
        Dictionaries, written as they come.
    path
        The file to write; an existing one is replaced.
    columns
        Keys to write, in order; by default those of the first row.
    structure
        Key of the structure that becomes the record of an SD file.

    Returns
    -------
    int
        Number of rows written.

    Raises
    ------
    InputError
        When the extension is unknown or the file cannot be written.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".csv", ".tsv", ".jsonl", ".sdf"):
        raise InputError(
            f"Results cannot be written as {path.name}.", "Use .csv, .tsv, .jsonl or .sdf."
        )
    with open_for_writing(path) as stream:
        if suffix == ".sdf":
            return write_sdf(rows, stream, columns, structure=structure)
        if suffix == ".jsonl":
            return write_jsonl(rows, stream, columns)
        return write_csv(rows, stream, columns, delimiter="," if suffix == ".csv" else "\t")


def write_csv(
    rows: Iterable[Mapping[str, Any]],
    stream: IO[str],
    columns: Sequence[str] | None = None,
    *,
    delimiter: str = ",",
) -> int:
    """Write a table with header; lists are joined with semicolons, cells made safe."""
    keys, rows = _keys(rows, columns)
    table = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    table.writerow([safe_cell(key) for key in keys])
    count = 0
    for row in rows:
        table.writerow([safe_cell(_flat(row.get(key))) for key in keys])
        count += 1
    return count


def write_jsonl(
    rows: Iterable[Mapping[str, Any]], stream: IO[str], columns: Sequence[str] | None = None
) -> int:
    """Write one JSON object per line; not-a-number becomes null."""
    keys, rows = _keys(rows, columns)
    count = 0
    for row in rows:
        values = {key: _json_value(row.get(key)) for key in keys}
        stream.write(json.dumps(values, ensure_ascii=False, allow_nan=False) + "\n")
        count += 1
    return count


def write_sdf(
    rows: Iterable[Mapping[str, Any]],
    stream: IO[str],
    columns: Sequence[str] | None = None,
    *,
    structure: str = "smiles",
) -> int:
    """Write SD records with 2D coordinates; the name (or id) is the title, the rest data fields.

    A record is V2000, which every program reads, unless it has more than 999 atoms or bonds,
    enhanced stereo groups or dative bonds: V2000 cannot hold those. A row whose structure cannot
    be read keeps its place as a record without atoms. Each record is read back; where the drawing
    cannot show all stereo of the structure (about one in 2,000 polycyclic natural products), a
    data field `NOTE_FIELD` says so.
    """
    keys, rows = _keys(rows, columns)
    count = 0
    for row in rows:
        title = str(row.get("name") or row.get("id") or "")
        block, faithful = _molblock(row.get(structure), title)
        stream.write(block)
        if not faithful:
            stream.write(f">  <{NOTE_FIELD}>\n{_NOTE}\n\n")
        for key in keys:
            value = _flat(row.get(key))
            if value is not None and value != "":
                field = key.replace("<", "(").replace(">", ")").replace("\n", " ")
                stream.write(f">  <{field}>\n{_field_text(value)}\n\n")
        stream.write("$$$$\n")
        count += 1
    return count


def _keys(
    rows: Iterable[Mapping[str, Any]], columns: Sequence[str] | None
) -> tuple[list[str], Iterator[Mapping[str, Any]]]:
    iterator = iter(rows)
    if columns is not None:
        return list(columns), iterator
    first = next(iterator, None)
    return ([], iterator) if first is None else (list(first), chain([first], iterator))


def _flat(value: Any) -> Any:
    if isinstance(value, list | tuple | set | frozenset):
        return "; ".join(str(part) for part in value)
    return value


def _json_value(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if hasattr(value, "item"):  # a number of numpy or torch
        return _json_value(value.item())
    if isinstance(value, list | tuple | set | frozenset):
        return [_json_value(part) for part in value]
    if value is None or isinstance(value, str | int | float | bool | dict):
        return value
    return str(value)


def _field_text(value: Any) -> str:
    """Return text that cannot end its data field, or the record, too early."""
    lines = [line for line in str(value).splitlines() if line.strip()]
    return "\n".join(f" {line}" if line.startswith(("$$$$", ">")) else line for line in lines)


def _molblock(structure: "str | Mol | None", title: str) -> tuple[str, bool]:
    """Return the mol block and whether it reads back as the same molecule."""
    with capture():
        try:
            mol = Chem.MolFromSmiles(structure) if isinstance(structure, str) else structure
            if mol is not None and mol.GetNumAtoms():
                return _faithful_molblock(Chem.Mol(mol), title)
        except RDKIT_ERRORS:
            pass  # no layout or no Kekulé form: the row keeps its place, without atoms
        return _titled_molblock(Chem.Mol(), title), structure is None or structure == ""


def _faithful_molblock(mol: "Mol", title: str) -> tuple[str, bool]:
    """Lay out and write; where neighbours overlap and stereo is lost, try the other layout."""
    has_coordinates = mol.GetNumConformers() > 0
    smiles = Chem.MolToSmiles(mol)
    blocks = []
    for other in (False,) if has_coordinates else (False, True):
        if not has_coordinates:
            lay_out(mol, other=other)
        blocks.append(_titled_molblock(mol, title))
        again = Chem.MolFromMolBlock(blocks[-1])
        if again is not None and Chem.MolToSmiles(again) == smiles:
            return blocks[-1], True
    return blocks[0], False


def _titled_molblock(mol: "Mol", title: str) -> str:
    line = " ".join(title.split())[:_TITLE_CHARACTERS]
    # The mark between records would end this one before it began.
    mol.SetProp("_Name", f" {line}" if line.startswith("$$$$") else line)
    return Chem.MolToMolBlock(mol, forceV3000=_needs_v3000(mol))


def _needs_v3000(mol: "Mol") -> bool:
    if max(mol.GetNumAtoms(), mol.GetNumBonds()) > _V2000_MOST or mol.GetStereoGroups():
        return True
    return any(bond.GetBondType() in _V3000_BONDS for bond in mol.GetBonds())
