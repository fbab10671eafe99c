"""Which elements a SMILES holds, read off the text.

A regular expression over a string is several times faster than a loop over RDKit atoms, and this
runs for every row.
"""

import re
from collections import Counter

_BRACKET = re.compile(r"\[\d*([A-Z][a-z]?|[a-z]+)[^\]]*\]")
_WHOLE_BRACKET = re.compile(r"\[[^\]]*\]")
# What may stand without brackets, two letters first.
_BARE = re.compile(r"Cl|Br|[BCNOPSFI]|[bcnops]")


def elements(smiles: str) -> set[str]:
    """Symbols of the elements in a canonical SMILES.

    Hydrogen counts only where it is written as an atom of its own; attachment points (`*`) are no
    element.

    Examples
    --------
    >>> sorted(elements("[Na+].CC(=O)[O-]"))
    ['C', 'Na', 'O']
    """
    return set(element_counts(smiles))


def element_counts(smiles: str) -> Counter[str]:
    """Atoms of each element in a canonical SMILES, under the conventions of `elements`.

    Examples
    --------
    >>> element_counts("[Na+].CC(=O)[O-]")["C"]
    2
    """
    written: list[str] = _BRACKET.findall(smiles)
    bare: list[str] = _BARE.findall(_WHOLE_BRACKET.sub("", smiles) if "[" in smiles else smiles)
    return Counter(symbol.capitalize() for symbol in [*written, *bare])


def heavy_atoms(smiles: str) -> int:
    """Atoms of a SMILES other than hydrogen and attachment points.

    Examples
    --------
    >>> heavy_atoms("[2H]C(*)[O-]")
    2
    """
    written: list[str] = _BRACKET.findall(smiles)
    bare: list[str] = _BARE.findall(_WHOLE_BRACKET.sub("", smiles))
    return len(written) - written.count("H") + len(bare)
