"""How large and how ringed a structure is, told from its text before RDKit works on it.

Where many atoms are all bonded to each other, RDKit looks for rings and paths for minutes and
cannot be stopped from outside. No real molecule comes near these limits, so they hold for every
way in. What passes them may still take its time in some fingerprints (MACCS keys look long for odd
rings in lattices of squares); the time limits of `chem.parallel` are for that.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable
from typing import NamedTuple

from rdkit import Chem

from molclip.chem.diagnose import Reason
from molclip.chem.rdkit_log import RDKIT_ERRORS

MOST_ATOMS = 10_000
MOST_RINGS = 500
"""Bonds beyond those that hold the atoms together; the built-in library has up to 75."""
MOST_WALKS = 30_000_000
"""Ways of six steps along bonds that lie in or between rings: what looking for rings and paths
costs. Twenty atoms all bonded to each other have 900 million."""

# So few rings cost little, whatever they look like; most texts are let through by them.
_FEW_RINGS = 30
_STEPS = 6
_DIGITS = str.maketrans("", "", "0123456789")
# Brackets hold digits that open no ring.
_RING_MARK = re.compile(r"\[[^\]]*\]|%\(\d+\)|%\d\d|\d")
_COUNTS_LINE = 3
_V30 = "M  V30 "
_CONTINUED = re.compile(rf"-[ \t]*\n{_V30}")
_INCHI_BONDS = re.compile(r"/c([^/]*)")
_INCHI_TOKEN = re.compile(r"\d+\*|\d+|[(),;]")
_ELEMENT = re.compile(r"([A-Z][a-z]?)(\d*)")
_HYDROGENS = ("H", "D", "T")
_LONGEST_NUMBER = 9

Bond = tuple[Hashable, Hashable]


class Outline(NamedTuple):
    """What a mol block says of itself."""

    atoms: int
    heavy: int
    """Atoms that are no hydrogens; dummies count."""
    bonds: list[Bond]
    unread: int
    """Bonds that are announced, but written so that they cannot be told."""


def too_much(atoms: int, bonds: Iterable[Bond], unread: int = 0) -> Reason | None:
    """Say why a graph is beyond all molecules; None where it is not.

    Parameters
    ----------
    atoms
        Their number.
    bonds
        Pairs of whatever tells atoms apart.
    unread
        Further bonds of which no more is known; each may close a ring.
    """
    if atoms > MOST_ATOMS:
        return Reason(
            f"too large: {atoms:,} atoms, at most {MOST_ATOMS:,} are read.",
            "Leave this structure out.",
        )
    ringed = _without_chains(bonds)
    rings = _rings(ringed) + unread
    if rings > MOST_RINGS:
        return Reason(
            f"too many rings: {rings:,}, at most {MOST_RINGS} are read.",
            "Leave this structure out.",
        )
    if rings > _FEW_RINGS and _walks(ringed) > MOST_WALKS:
        members = len({atom for bond in ringed for atom in bond})
        return Reason(
            f"too many bonds: {len(ringed):,} in the rings of {members:,} atoms, far more than "
            "any real molecule has.",
            "Check the structure in a drawing program.",
        )
    return None


def too_much_smiles(smiles: str) -> Reason | None:
    """Say why a SMILES is beyond all molecules; None where it is not, or cannot be read."""
    if not many_rings(smiles):
        return None
    try:
        # Without sanitisation RDKit looks for no rings.
        mol = Chem.MolFromSmiles(smiles, sanitize=False)
    except RDKIT_ERRORS:
        return None
    if mol is None:
        return None
    pairs = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()]
    return too_much(mol.GetNumAtoms(), pairs)


def many_rings(smiles: str) -> bool:
    """Tell whether a SMILES is so long, or has so many rings, that it needs a closer look.

    It takes about a microsecond: this runs for every row.
    """
    if len(smiles) <= 2 * _FEW_RINGS:
        return False
    if len(smiles) > MOST_ATOMS:
        return True
    if len(smiles) - len(smiles.translate(_DIGITS)) <= 2 * _FEW_RINGS:
        return False
    marks = sum(not mark.startswith("[") for mark in _RING_MARK.findall(smiles))
    return marks > 2 * _FEW_RINGS


def many_rings_in(text: str) -> bool:
    """Tell the same of a SMILES, an InChI or a mol block with plain line ends."""
    if "\n" in text:
        outline = molblock_outline(text)
        return _rings(_without_chains(outline.bonds)) + outline.unread > _FEW_RINGS
    if text.startswith("InChI="):
        return _rings(_without_chains(_inchi_bonds(text))) > _FEW_RINGS
    return many_rings(text)


def too_much_inchi(inchi: str) -> Reason | None:
    """Say why an InChI is beyond all molecules; None where it is not."""
    return too_much(inchi_heavy_atoms(inchi), _inchi_bonds(inchi))


def too_much_molblock(block: str) -> Reason | None:
    """Say why a mol block with plain line ends is beyond all molecules; None where it is not."""
    outline = molblock_outline(block)
    return too_much(outline.atoms, outline.bonds, outline.unread)


def inchi_heavy_atoms(inchi: str) -> int:
    """Atoms in the formula of an InChI that are no hydrogens."""
    heavy = 0
    for part in inchi.partition("/")[2].partition("/")[0].split("."):
        formula = part.lstrip("0123456789")
        copies = _whole(part[: len(part) - len(formula)], 1)
        heavy += copies * sum(
            _whole(count, 1) for symbol, count in _ELEMENT.findall(formula) if symbol != "H"
        )
    return heavy


def molblock_outline(block: str) -> Outline:
    """Atoms and bonds of a mol block, V2000 or V3000, that has plain line ends.

    What RDKit would refuse to read may have an outline all the same.
    """
    lines = block.split("\n")
    counts = lines[_COUNTS_LINE] if len(lines) > _COUNTS_LINE else ""
    return _v3000(block) if "V3000" in counts else _v2000(lines[_COUNTS_LINE + 1 :], counts)


def _v2000(lines: list[str], counts: str) -> Outline:
    atoms, announced = _whole(counts[:3]), _whole(counts[3:6])
    symbols = [line[31:34].strip() for line in lines[:atoms]]
    pairs = [(_whole(line[:3]), _whole(line[3:6])) for line in lines[atoms : atoms + announced]]
    return _outline(atoms, symbols, pairs, announced)


def _v3000(block: str) -> Outline:
    atoms = announced = 0
    symbols: list[str] = []
    pairs: list[tuple[int, int]] = []
    section = ""
    for line in _CONTINUED.sub("", block).split("\n"):
        words = line.removeprefix(_V30).split() if line.startswith(_V30) else []
        match words:
            case ["COUNTS", first, second, *_]:
                atoms, announced = _whole(first), _whole(second)
            case ["BEGIN", section]:
                pass
            case ["END", *_]:
                section = ""
            case [_, symbol, *_] if section == "ATOM":
                symbols.append(symbol)
            case [_, _, begin, end, *_] if section == "BOND":
                pairs.append((_whole(begin), _whole(end)))
    return _outline(atoms, symbols, pairs, announced)


def _outline(
    atoms: int, symbols: list[str], pairs: list[tuple[int, int]], announced: int
) -> Outline:
    bonds: list[Bond] = [pair for pair in pairs if all(pair)]
    hydrogens = sum(symbol in _HYDROGENS for symbol in symbols)
    return Outline(atoms, atoms - hydrogens, bonds, max(announced - len(bonds), 0))


def _inchi_bonds(inchi: str) -> list[Bond]:
    """Bonds of all connection layers, such as `/c1-3(2)4`; of several equal parts those of one."""
    layers = ";".join(_INCHI_BONDS.findall(inchi))
    bonds: list[Bond] = []
    forks: list[str] = []
    last, part = "", 0
    for mark in _INCHI_TOKEN.findall(layers):
        if mark == ";":
            last, part, forks = "", part + 1, []
        elif mark == "(":
            forks.append(last)
        elif mark == ",":
            last = forks[-1] if forks else ""
        elif mark == ")":
            last = forks.pop() if forks else ""
        elif not mark.endswith("*"):
            atom = f"{part}.{mark}"
            if last:
                bonds.append((last, atom))
            last = atom
    return bonds


def _without_chains(bonds: Iterable[Bond]) -> list[Bond]:
    """The bonds that are left when atoms with a single neighbour are taken off again and again."""
    neighbours: defaultdict[Hashable, set[Hashable]] = defaultdict(set)
    for begin, end in bonds:
        if begin != end:
            neighbours[begin].add(end)
            neighbours[end].add(begin)
    ends = [atom for atom, near in neighbours.items() if len(near) == 1]
    while ends:
        atom = ends.pop()
        for near in neighbours.pop(atom):
            neighbours[near].discard(atom)
            if len(neighbours[near]) == 1:
                ends.append(near)
    order = {atom: number for number, atom in enumerate(neighbours)}
    return [
        (atom, near)
        for atom, all_near in neighbours.items()
        for near in all_near
        if order[atom] < order[near]
    ]


def _rings(bonds: list[Bond]) -> int:
    """Bonds beyond those that hold the atoms of each piece together."""
    leader: dict[Hashable, Hashable] = {}

    def of(atom: Hashable) -> Hashable:
        while leader.setdefault(atom, atom) != atom:
            leader[atom] = atom = leader[leader[atom]]
        return atom

    for begin, end in bonds:
        leader[of(begin)] = of(end)
    pieces = sum(atom == first for atom, first in leader.items())
    return len(bonds) - len(leader) + pieces


def _walks(bonds: list[Bond]) -> int:
    """Ways of `_STEPS` steps along the bonds, back and forth."""
    ways = Counter(atom for bond in bonds for atom in bond)
    for _ in range(_STEPS - 1):
        further: Counter[Hashable] = Counter()
        for begin, end in bonds:
            further[begin] += ways[end]
            further[end] += ways[begin]
        ways = further
    return ways.total()


def _whole(text: str, otherwise: int = 0) -> int:
    """The number that a field holds; another where it holds none."""
    text = text.strip()
    return int(text) if text.isdecimal() and len(text) <= _LONGEST_NUMBER else otherwise
