"""Everything chemistry knows about one input row, worked out in a worker process."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from typing import TYPE_CHECKING, Any

from molclip.chem.inputs import FINGERPRINT, Kind, input_of
from molclip.chem.molecule import Molecule, ParseFailure, is_missing
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.chem.readers import Record

Item = Any
"""A `Record`, `Molecule` or `ParseFailure`."""

STRUCTURE_KEYS = ("smiles", "structure", "inchi", "molblock")


@dataclass
class Described:
    """One row ready to be embedded."""

    row: int
    file: str | None
    id: str | None
    name: str | None
    input: str
    smiles: str
    inchikey: str | None
    properties: dict[str, Any]
    pattern: bytes
    features: Any
    """Input of the model's molecule encoder, see `chem.inputs`."""
    extra: dict[str, Any] = field(default_factory=dict)
    """The user's own columns."""
    warnings: tuple[str, ...] = ()
    """What reading noticed about the structure (`Molecule.warnings`)."""


def describe(
    item: Item, standardise: str = "none", kind: Kind = FINGERPRINT
) -> Described | ParseFailure:
    """Parse, standardise and calculate; a row that cannot be used gives its reason."""
    from molclip.chem.descriptors import properties
    from molclip.chem.rdkit_log import RDKIT_ERRORS, capture
    from molclip.chem.readers import parse_record
    from molclip.chem.standardize import standardize
    from molclip.search.substructure import pattern_bits

    if isinstance(item, ParseFailure):
        return item
    if isinstance(item, Molecule):
        molecule = item if standardise == "none" else standardize(item, standardise)
    else:
        parsed = parse_record(item, standardise)
        if isinstance(parsed, ParseFailure):
            return parsed
        molecule = parsed
    try:
        with capture():
            return Described(
                row=molecule.row,
                file=molecule.file,
                id=molecule.id,
                name=molecule.name,
                input=molecule.input,
                smiles=molecule.smiles,
                inchikey=molecule.inchikey,
                properties=rounded(properties(molecule.mol)),
                pattern=pattern_bits(molecule.mol),
                features=input_of(molecule.mol, kind),
                extra=dict(molecule.properties),
                warnings=molecule.warnings,
            )
    except RDKIT_ERRORS as error:
        said = str(error).strip().splitlines()
        return ParseFailure(
            file=molecule.file,
            row=molecule.row,
            id=molecule.id,
            input=molecule.input,
            reason=f"its features cannot be calculated ({said[0] if said else 'RDKit failed'})",
            hint="The structure is too large or too odd for RDKit; leave it out.",
            name=molecule.name,
            properties=molecule.properties,
        )


def rounded(properties: Mapping[str, Any]) -> dict[str, Any]:
    """Properties with fractions cut to four decimals: more is noise of the summation."""
    return {
        name: round(value, 4) if isinstance(value, float) else value
        for name, value in properties.items()
    }


def describe_stream(
    items: Iterable[Item],
    *,
    standardise: str = "none",
    kind: Kind = FINGERPRINT,
    workers: int | None = None,
) -> Iterator[Described | ParseFailure]:
    """Describe rows in worker processes, order kept, one result per row.

    A row that takes too long or kills its process becomes a `ParseFailure`.
    """
    from molclip.chem.parallel import guarded_stream

    work = partial(describe, standardise=standardise, kind=kind)
    yield from guarded_stream(work, items, workers=workers)


def read_source(
    source: Any,
    *,
    structure: str | None = None,
    id: str | None = None,
    name: str | None = None,
    format: str | None = None,
) -> tuple[Iterator[Item], str]:
    """Rows of a file or iterable, and the source in words; None is the embedded table.

    Raises
    ------
    InputError
        When a file cannot be read, or an item of an iterable is of no known kind.
    """
    if source is None:
        from molclip.search.embedded import embedded_items

        source, said = embedded_items(), "the embedded table (ChEBI)"
        return (_item(item, row, (None, None, None)) for row, item in enumerate(source, 1)), said
    if isinstance(source, (str, PathLike)) or hasattr(source, "read"):
        from molclip.chem.readers import read_records

        records = read_records(source, structure=structure, id=id, name=name, format=format)
        return iter(records), records.file or "standard input"
    if not isinstance(source, Iterable):
        raise InputError(
            f"A {type(source).__name__} holds no molecules.",
            "Give a file, or an iterable of SMILES, molecules or dicts.",
        )
    keys = (structure, id, name)
    return (_item(item, row, keys) for row, item in enumerate(source, start=1)), "an iterable"


def _item(item: Any, row: int, keys: tuple[str | None, str | None, str | None]) -> Item:
    from molclip.chem.readers import Record

    if isinstance(item, (Record, Molecule, ParseFailure)):
        return item
    if isinstance(item, str) or is_missing(item):
        return Record(file=None, row=row, id=None, name=None, text=_text(item) or "")
    if isinstance(item, Mapping):
        return _from_mapping(item, row, keys)
    raise InputError(
        f"Item {row} is a {type(item).__name__}.", "Give SMILES, molecules or dicts with 'smiles'."
    )


def _from_mapping(
    item: Mapping[str, Any], row: int, keys: tuple[str | None, str | None, str | None]
) -> Record:
    from molclip.chem.readers import Record

    structure = keys[0] or next((key for key in STRUCTURE_KEYS if key in item), None)
    if structure is None or structure not in item:
        raise InputError(
            f"Item {row} has no key {keys[0] or 'smiles'!r}; its keys are {', '.join(item)}.",
            "Name the structure's key with structure=.",
        )
    id_key, name_key = keys[1] or "id", keys[2] or "name"
    used = {structure, id_key, name_key}
    text = item[structure]
    return Record(
        file=None,
        row=row,
        id=_text(item.get(id_key)),
        name=_text(item.get(name_key)),
        text=_text(text) or "",
        properties={key: value for key, value in item.items() if key not in used},
    )


def _text(value: Any) -> str | None:
    return None if is_missing(value) or value == "" else str(value)
