"""Finding molecules by what identifies them beside a name: an InChIKey, or a formula."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from molclip.search.names import NameHit

if TYPE_CHECKING:
    from molclip.search.index import Index, Mask

_NUMBER = re.compile(r"\d+$")


@dataclass(frozen=True)
class Identified:
    """A text that is an InChIKey or a formula."""

    kind: str
    """`InChIKey` or `formula`."""
    value: str
    """As the library writes it; of an InChIKey perhaps only its first block."""
    rows: tuple[int, ...]
    """Rows that have it, ascending; none for one that the library does not hold."""
    alike: int = 0
    """For an InChIKey that the library does not hold: rows with the same first block."""

    @property
    def said(self) -> str:
        """What the text was read as."""
        if self.kind == "formula":
            return f"the formula {self.value}"
        whole = "-" in self.value
        return "an InChIKey" if whole else "the first block of an InChIKey"

    @property
    def missing(self) -> str:
        """A sentence for no hit."""
        what = self.said if self.kind == "formula" else f"this {self.kind}"
        if self.rows:
            return f"No molecule with {what} passes the filters."
        if not self.alike:
            return f"No molecule of the library has {what}."
        block = self.value.partition("-")[0]
        return (
            f"No molecule of the library has {what}; {self.alike} with another stereochemistry, "
            f"isotopes or charge {'has' if self.alike == 1 else 'have'} its first block, {block}."
        )

    def hits(self, index: Index, allowed: Mask) -> list[NameHit]:
        """Rows among the allowed ones as hits: curated ones first, then by the number of the id."""
        found = [row for row in self.rows if allowed[row]]
        curated = index.curated
        ids = {row: str(index.rows.value(row, "id") or "") for row in found}

        def order(row: int) -> tuple[bool, bool, int, int]:
            number = _NUMBER.search(ids[row])
            checked = curated is None or bool(curated[row])
            return not checked, number is None, int(number.group()) if number else 0, row

        return [
            NameHit(row, self.value, self.kind, "exact", 1.0) for row in sorted(found, key=order)
        ]


def identify(index: Index, text: str) -> Identified | None:
    """Read a text as an InChIKey or a formula.

    Whoever asks has made sure that it is no name: names win. So does a structure, for `CCO` and
    `NO` are SMILES. A formula is one where the library holds it, or where the text cannot be
    anything else; a single block of an InChIKey only where the library holds it.

    Parameters
    ----------
    index
        The opened library.
    text
        What was typed.

    Returns
    -------
    None where it is neither.
    """
    from molclip.chem.identifiers import formulas, inchikey, inchikey_block, unmistakable_formula

    key, block = inchikey(text), inchikey_block(text)
    if key is not None:
        held = _alive(index, index.rows.find("inchikey", key))
        alike = 0 if held else len(_with_block(index, key.partition("-")[0]))
        return Identified("InChIKey", key, held, alike)
    written = formulas(text)
    if (block is None and not written) or _is_smiles(text):
        return None
    if block is not None and (found := _with_block(index, block)):
        return Identified("InChIKey", block, found)
    for formula in written:
        if found := _alive(index, index.rows.find("formula", formula)):
            return Identified("formula", formula, found)
    if written and unmistakable_formula(text):
        return Identified("formula", written[0], ())
    return None


def _with_block(index: Index, block: str) -> tuple[int, ...]:
    return _alive(index, index.rows.matching("inchikey", f"^{block}-").nonzero()[0].tolist())


def _alive(index: Index, rows: list[int]) -> tuple[int, ...]:
    return tuple(row for row in rows if index.alive[row])


def _is_smiles(text: str) -> bool:
    from molclip.chem.molecule import Molecule
    from molclip.chem.parse import parse_molecule

    return isinstance(parse_molecule(text.strip(), format="smiles"), Molecule)
