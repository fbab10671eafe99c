"""The graph that the graph encoders see: atoms and bonds as small category codes.

Every code is independent of the order of the atoms. RDKit's chirality tag is not (it says how the
neighbours turn in the order in which they are stored), so stereo enters as CIP labels.

Fields of an atom and of a bond, in order (see `ATOM_SIZES` and `BOND_SIZES`):

========== ============================================================================
atom field codes
========== ============================================================================
element    atomic number 0 (attachment point) to 118; anything else
charge     −5 or less … 5 or more
degree     neighbours in the graph, 0 … 10 or more
hydrogens  attached hydrogens that are no atoms of the graph, 0 … 8 or more
hybrid     other, s, sp, sp2, sp3, sp2d, sp3d, sp3d2
aromatic   no, yes
ring       in no ring; size 3 … 12 of the smallest ring; 13 or more
stereo     none, R, S, r, s (CIP), or stated without a label (square planar, for instance)
isotope    not stated; mass number from 15 below to 15 above that of the common isotope
radical    unpaired electrons, 0 … 4 or more
========== ============================================================================

========== ============================================================================
bond field codes
========== ============================================================================
order      other, single, double, triple, aromatic, dative along the edge, dative against it
conjugated no, yes
ring       as for atoms
stereo     none, E, Z, e, z, M, P, m, p (CIP), or another statement (unknown, for instance)
========== ============================================================================

The last code of every field is left to augmentations and means "masked".

References
----------
Hanson et al., Algorithmic Analysis of Cahn–Ingold–Prelog Rules of Stereochemistry, J. Chem. Inf.
Model. 2018, 58, 1755: the labels, as RDKit's `rdCIPLabeler` assigns them.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import rdCIPLabeler

from molclip.chem import versions
from molclip.chem.features import GOLDEN_SMILES, FeatureRow, featurize
from molclip.chem.rdkit_log import RDKIT_ERRORS

#: Codes of each atom field, the mask included.
ATOM_SIZES: dict[str, int] = {
    "element": 121,
    "charge": 12,
    "degree": 12,
    "hydrogens": 10,
    "hybrid": 9,
    "aromatic": 3,
    "ring": 13,
    "stereo": 7,
    "isotope": 33,
    "radical": 6,
}
#: Codes of each bond field, the mask included.
BOND_SIZES: dict[str, int] = {"order": 8, "conjugated": 3, "ring": 13, "stereo": 11}

ATOM_FIELDS = len(ATOM_SIZES)
BOND_FIELDS = len(BOND_SIZES)

#: Changes whenever the meaning of a code changes; stored with every model.
VERSION = versions.GRAPHS

# Rules that RDKit may apply to one molecule: a tenth of a second. A few symmetric cages and
# peptides need more; they fall back on the labels of RDKit's older algorithm.
_CIP_ITERATIONS = 100_000

_MOST_RING = 13
_ISOTOPE_SPAN = 15
_HYBRIDS = {
    Chem.HybridizationType.S: 1,
    Chem.HybridizationType.SP: 2,
    Chem.HybridizationType.SP2: 3,
    Chem.HybridizationType.SP3: 4,
    Chem.HybridizationType.SP2D: 5,
    Chem.HybridizationType.SP3D: 6,
    Chem.HybridizationType.SP3D2: 7,
}
_ORDERS = {
    Chem.BondType.SINGLE: 1,
    Chem.BondType.DOUBLE: 2,
    Chem.BondType.TRIPLE: 3,
    Chem.BondType.AROMATIC: 4,
    Chem.BondType.DATIVE: 5,
    Chem.BondType.DATIVEL: 5,
    Chem.BondType.DATIVER: 5,
    Chem.BondType.DATIVEONE: 5,
}
DATIVE, DATIVE_BACK = 5, 6
_ATOM_LABELS = {"R": 1, "S": 2, "r": 3, "s": 4}
_ATOM_UNLABELLED = 5
_BOND_LABELS = {"E": 1, "Z": 2, "e": 3, "z": 4, "M": 5, "P": 6, "m": 7, "p": 8}
_BOND_UNLABELLED = 9
# What RDKit's older algorithm calls the geometries of a double bond.
_OLD_BOND_LABELS = {Chem.BondStereo.STEREOE: 1, Chem.BondStereo.STEREOZ: 2}


@dataclass(frozen=True, eq=False)
class MoleculeGraph:
    """One molecule of A atoms and B bonds; E = 2B directed edges, each bond there and back."""

    atoms: npt.NDArray[np.uint8]
    """Codes ``(A, ATOM_FIELDS)``."""
    bonds: npt.NDArray[np.int32]
    """Source and target atom of each edge, ``(2, E)``; edges 2b and 2b + 1 are bond b."""
    bond_fields: npt.NDArray[np.uint8]
    """Codes ``(E, BOND_FIELDS)``."""


@dataclass(frozen=True, eq=False)
class HybridInput:
    """What the hybrid encoder sees of one molecule."""

    counts: FeatureRow
    """Feature row, uint8 ``(WIDTH,)``; see `chem.features`."""
    graph: MoleculeGraph


def masked_codes(sizes: dict[str, int]) -> npt.NDArray[np.uint8]:
    """The row of an atom or bond about which nothing is told.

    Parameters
    ----------
    sizes
        `ATOM_SIZES` or `BOND_SIZES`.

    Returns
    -------
    uint8 array ``(len(sizes),)``.
    """
    return np.array([size - 1 for size in sizes.values()], dtype=np.uint8)


def graph_of(mol: Chem.Mol) -> MoleculeGraph:
    """Graph of one molecule.

    Parameters
    ----------
    mol
        A sanitised RDKit molecule, without explicit hydrogens as a rule; it is not changed.

    Raises
    ------
    RuntimeError, ValueError
        Whatever RDKit raises on a molecule it cannot handle; callers turn it into a failure row.
    """
    count = mol.GetNumAtoms()
    rings = mol.GetRingInfo()
    atom_stereo, bond_stereo = _stereo(mol)
    rows = []
    # By index: the iterator that GetAtoms() gives costs three times as much.
    for index in range(count):
        atom = mol.GetAtomWithIdx(index)
        number = atom.GetAtomicNum()
        isotope = atom.GetIsotope()
        rows.append(
            (
                min(number, 119),
                min(max(atom.GetFormalCharge(), -5), 5) + 5,
                min(atom.GetDegree(), 10),
                min(atom.GetTotalNumHs(), 8),
                _HYBRIDS.get(atom.GetHybridization(), 0),
                atom.GetIsAromatic(),
                _ring_code(rings.MinAtomRingSize(index)),
                atom_stereo.get(index, 0),
                _isotope_code(number, isotope) if isotope else 0,
                min(atom.GetNumRadicalElectrons(), 4),
            )
        )
    ends = []
    fields = []
    for index in range(mol.GetNumBonds()):
        bond = mol.GetBondWithIdx(index)
        first, second = bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()
        order = _ORDERS.get(bond.GetBondType(), 0)
        back = DATIVE_BACK if order == DATIVE else order
        rest = (
            bond.GetIsConjugated(),
            _ring_code(rings.MinBondRingSize(index)),
            bond_stereo.get(index, 0),
        )
        ends += [(first, second), (second, first)]
        fields += [(order, *rest), (back, *rest)]
    return MoleculeGraph(
        np.array(rows, dtype=np.uint8).reshape(count, ATOM_FIELDS),
        np.array(ends, dtype=np.int32).reshape(-1, 2).T.copy(),
        np.array(fields, dtype=np.uint8).reshape(-1, BOND_FIELDS),
    )


def hybrid_of(mol: Chem.Mol) -> HybridInput:
    """Feature row and graph of one molecule; see `featurize` and `graph_of`."""
    return HybridInput(featurize(mol), graph_of(mol))


def golden_hash() -> str:
    """Hash of the graphs of reference molecules under the RDKit that is installed.

    See `features.golden_hash`: the same for the codes of this module.
    """
    digest = hashlib.sha256(VERSION.encode())
    for smiles in GOLDEN_SMILES:
        graph = graph_of(Chem.MolFromSmiles(smiles))
        for array in (graph.atoms, graph.bonds, graph.bond_fields):
            digest.update(array.tobytes())
    return digest.hexdigest()[:16]


def _ring_code(size: int) -> int:
    return min(size, _MOST_RING) - 2 if size else 0


def _isotope_code(number: int, isotope: int) -> int:
    # For an attachment point the "isotope" is its label.
    offset = isotope - _common_isotope(number)
    return min(max(offset, -_ISOTOPE_SPAN), _ISOTOPE_SPAN) + _ISOTOPE_SPAN + 1


@cache
def _common_isotope(number: int) -> int:
    return int(Chem.GetPeriodicTable().GetMostCommonIsotope(number)) if number else 0


def _stereo(mol: Chem.Mol) -> tuple[dict[int, int], dict[int, int]]:
    """Stereo codes of the atoms and bonds that state any."""
    tagged = [
        index
        for index in range(mol.GetNumAtoms())
        if mol.GetAtomWithIdx(index).GetChiralTag() != Chem.ChiralType.CHI_UNSPECIFIED
    ]
    stated = [
        index
        for index in range(mol.GetNumBonds())
        if mol.GetBondWithIdx(index).GetStereo() != Chem.BondStereo.STEREONONE
    ]
    if not tagged and not stated:
        return {}, {}
    # A copy: RDKit renames the geometries of bonds when it labels them.
    labelled = Chem.Mol(mol)
    try:
        rdCIPLabeler.AssignCIPLabels(labelled, maxRecursiveIterations=_CIP_ITERATIONS)
    except RDKIT_ERRORS:
        labelled = Chem.Mol(mol)
        Chem.AssignStereochemistry(labelled, cleanIt=False, force=True)
    atoms = {
        index: _ATOM_LABELS.get(_label(labelled.GetAtomWithIdx(index)), _ATOM_UNLABELLED)
        for index in tagged
    }
    bonds = {}
    for index in stated:
        bond = labelled.GetBondWithIdx(index)
        old = _OLD_BOND_LABELS.get(bond.GetStereo(), _BOND_UNLABELLED)
        bonds[index] = _BOND_LABELS.get(_label(bond), old)
    return atoms, bonds


def _label(part: Chem.Atom | Chem.Bond) -> str:
    return part.GetProp("_CIPCode") if part.HasProp("_CIPCode") else ""
