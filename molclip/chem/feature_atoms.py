"""Which atoms the inputs of a feature row come from.

Every count of the blocks `morgan`, `torsion`, `atompair` and `elements` is a number of places in
the molecule, and every key of `maccs` that is a substructure stands for its matches. Such a place
is an *occurrence*: one input column and the atoms that it covers.

========== ======================================================================
block      atoms of an occurrence
========== ======================================================================
morgan     those within the radius of its environment
torsion    the four of the path
atompair   the two of the pair
maccs      those of one match of the key's pattern; of one ring for key 125
elements   the atom
========== ======================================================================

`shape` and `ladder` (charge, ring counts, sizes, ...) describe the molecule as a whole, and so do
the MACCS keys 1 and 166; they have no occurrences.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import accumulate, chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import MACCSkeys, rdFingerprintGenerator

from molclip.chem.features import BLOCKS, WIDTH, FeatureRow, _generators

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

IntArray = npt.NDArray[np.int64]
FloatArray = npt.NDArray[np.float64]

STARTS: dict[str, int] = dict(zip(BLOCKS, accumulate(BLOCKS.values(), initial=0), strict=False))
"""First column of each block."""

_AROMATIC_RINGS = 125
_MOST_MATCHES = 10_000  # of one key; a polymer has a million of some


@dataclass(frozen=True, eq=False)
class FeatureAtoms:
    """K occurrences in a molecule of A atoms; L is the sum of the numbers of atoms they cover."""

    atoms: int
    """A."""
    column: IntArray
    """Input of each occurrence, ``(K,)``."""
    occurrence: IntArray
    """Occurrence of each link between an occurrence and an atom, ``(L,)``."""
    atom: IntArray
    """Atom of each link, ``(L,)``."""

    def share(self, values: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
        """Hand the values of inputs to atoms.

        A value is shared equally among the occurrences of its input, and the part of an
        occurrence equally among its atoms.

        Parameters
        ----------
        values
            One number per input, ``(WIDTH,)``.

        Returns
        -------
        Value of each atom, float64 ``(A,)``, and the values that no atom gets, float64
        ``(WIDTH,)``; together they sum to `values`.
        """
        given = np.asarray(values, dtype=np.float64)
        times = np.bincount(self.column, minlength=WIDTH)
        covered = np.bincount(self.occurrence, minlength=len(self.column))
        part = given[self.column] / times[self.column] / covered
        mine = np.bincount(self.atom, weights=part[self.occurrence], minlength=self.atoms)
        return mine.astype(np.float64), np.where(times > 0, 0.0, given)

    def without_each(self, row: FeatureRow, atoms: Iterable[int]) -> FeatureRow:
        """Feature rows from which everything that covers an atom is taken out.

        Nothing is put in its place: the environments of the molecule that would be left are not
        computed, since cutting an atom out makes another molecule with structures of its own. The
        inputs without occurrences stay as they are.

        Parameters
        ----------
        row
            Of the molecule, uint8 ``(WIDTH,)``.
        atoms
            N indices.

        Returns
        -------
        uint8 array ``(N, WIDTH)``.
        """
        times = np.bincount(self.column, minlength=WIDTH)
        order = np.argsort(self.atom, kind="stable")
        ends = np.searchsorted(self.atom[order], np.arange(self.atoms + 1))
        wanted = list(atoms)
        rows = np.repeat(row[None], len(wanted), axis=0)
        keys = slice(STARTS["maccs"], STARTS["maccs"] + BLOCKS["maccs"])
        for place, atom in enumerate(wanted):
            gone = self.column[self.occurrence[order[ends[atom] : ends[atom + 1]]]]
            left = times - np.bincount(gone, minlength=WIDTH)
            left[keys] = left[keys] > _thresholds()
            touched = np.unique(gone)
            rows[place, touched] = np.minimum(left[touched], row[touched])
        return rows


def feature_atoms(mol: Chem.Mol) -> FeatureAtoms:
    """The occurrences of a molecule.

    Parameters
    ----------
    mol
        As for `features.featurize`.

    Raises
    ------
    RuntimeError, ValueError
        Whatever RDKit raises on a molecule it cannot handle.
    """
    columns: list[int] = []
    groups: list[Sequence[int]] = []
    for column, atoms in chain(_hashed(mol), _keys(mol), _elements(mol)):
        columns.append(column)
        groups.append(atoms)
    sizes = np.array([len(atoms) for atoms in groups], dtype=np.int64)
    return FeatureAtoms(
        mol.GetNumAtoms(),
        np.array(columns, dtype=np.int64),
        np.repeat(np.arange(len(groups)), sizes),
        np.fromiter(chain.from_iterable(groups), dtype=np.int64, count=int(sizes.sum())),
    )


def _hashed(mol: Chem.Mol) -> Iterator[tuple[int, Sequence[int]]]:
    """Occurrences of the three hashed fingerprints."""
    told = []
    for generator in _generators():
        more: Any = rdFingerprintGenerator.AdditionalOutput()
        more.AllocateBitInfoMap()
        more.AllocateBitPaths()
        generator.GetCountFingerprintAsNumPy(mol, additionalOutput=more)
        told.append(more)
    environments, paths, pairs = told
    balls = _Balls(mol)
    for column, places in environments.GetBitInfoMap().items():
        for centre, radius in places:
            yield column, balls.within(centre, radius)
    for block, found in (("torsion", paths.GetBitPaths()), ("atompair", pairs.GetBitInfoMap())):
        for column, places in found.items():
            for atoms in places:
                # A torsion around a three-membered ring ends where it starts.
                yield STARTS[block] + column, tuple(dict.fromkeys(atoms))


class _Balls:
    """Atoms within a number of bonds of an atom."""

    def __init__(self, mol: Chem.Mol) -> None:
        self._neighbours = [
            [other.GetIdx() for other in mol.GetAtomWithIdx(index).GetNeighbors()]
            for index in range(mol.GetNumAtoms())
        ]

    def within(self, centre: int, radius: int) -> tuple[int, ...]:
        ball = {centre}
        frontier = [centre]
        for _ in range(radius):
            frontier = [n for atom in frontier for n in self._neighbours[atom] if n not in ball]
            ball.update(frontier)
        return tuple(ball)


def _keys(mol: Chem.Mol) -> Iterator[tuple[int, Sequence[int]]]:
    start = STARTS["maccs"]
    for key, pattern in _patterns().items():
        for match in mol.GetSubstructMatches(pattern, maxMatches=_MOST_MATCHES):
            yield start + key, match
    bond_at = mol.GetBondWithIdx
    rings = mol.GetRingInfo()
    for atoms, bonds in zip(rings.AtomRings(), rings.BondRings(), strict=True):
        if all(bond_at(bond).GetIsAromatic() for bond in bonds):
            yield start + _AROMATIC_RINGS, atoms


def _elements(mol: Chem.Mol) -> Iterator[tuple[int, Sequence[int]]]:
    for index in range(mol.GetNumAtoms()):
        number = mol.GetAtomWithIdx(index).GetAtomicNum()
        yield STARTS["elements"] + min(number, BLOCKS["elements"] - 1), (index,)


@cache
def _patterns() -> dict[int, Any]:
    return {
        key: Chem.MolFromSmarts(smarts)
        for key, (smarts, _) in MACCSkeys.smartsPatts.items()
        if smarts != "?"
    }


@cache
def _thresholds() -> IntArray:
    """Matches that each key must have more than; ``(167,)``."""
    most = np.zeros(BLOCKS["maccs"], dtype=np.int64)
    for key, (_, count) in MACCSkeys.smartsPatts.items():
        most[key] = count
    most[_AROMATIC_RINGS] = 1
    return most
