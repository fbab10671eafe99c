"""Cutting bonds, in molecules and in graphs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from rdkit import Chem
from rdkit.Chem import rdqueries

from molclip.chem.graphs import ATOM_SIZES, MoleculeGraph, masked_codes

_FIELDS = list(ATOM_SIZES)
_DEGREE = _FIELDS.index("degree")
_MOST_NEIGHBOURS = ATOM_SIZES["degree"] - 2
# What an atom says of itself that a lost neighbour may change, in a way only RDKit could work out.
_UNSURE = [_FIELDS.index(name) for name in ("hydrogens", "hybrid", "aromatic", "ring", "stereo")]


def editable(mol: Chem.Mol) -> Chem.RWMol:
    """A copy with single and double bonds in place of aromatic ones, ready to be cut."""
    copy = Chem.RWMol(mol)
    Chem.Kekulize(copy, clearAromaticFlags=True)
    return copy


def cut(mol: Chem.RWMol, pairs: Iterable[tuple[int, int]]) -> None:
    """Take bonds out of a molecule, in place, and fill the free valences with hydrogen.

    Stereo labels at both ends go, for a centre or a double bond that lost a neighbour has none.
    Metals get no hydrogen: a coordination bond leaves no valence behind.

    Parameters
    ----------
    mol
        Without aromatic bonds; see `editable`.
    pairs
        Ends of the bonds.
    """
    metals = {atom.GetIdx() for atom in mol.GetAtomsMatchingQuery(rdqueries.MAtomQueryAtom())}
    mol.BeginBatchEdit()
    for first, second in pairs:
        bond = mol.GetBondBetweenAtoms(first, second)
        for index in (first, second):
            atom = mol.GetAtomWithIdx(index)
            # RDKit itself fills up the others when it counts implicit hydrogens.
            if atom.GetNoImplicit() and atom.GetAtomicNum() and index not in metals:
                freed = int(bond.GetValenceContrib(atom))
                atom.SetNumExplicitHs(atom.GetNumExplicitHs() + freed)
            atom.SetChiralTag(Chem.ChiralType.CHI_UNSPECIFIED)
            for beside in atom.GetBonds():
                beside.SetStereo(Chem.BondStereo.STEREONONE)
                beside.SetBondDir(Chem.BondDir.NONE)
        mol.RemoveBond(first, second)
    mol.CommitBatchEdit()


def finished(mol: Chem.RWMol) -> Chem.Mol:
    """The edited molecule, sanitised, with the stereo labels that its neighbours still allow."""
    result = mol.GetMol()
    Chem.SanitizeMol(result)
    Chem.AssignStereochemistry(result, cleanIt=True, force=True)
    return result


def without_edges(graph: MoleculeGraph, kept: npt.NDArray[np.bool_]) -> MoleculeGraph:
    """The graph with some edges only.

    Atoms that lose a neighbour get their new degree, and the code "masked" for what else may have
    changed: hydrogens, hybridisation, aromaticity, ring and stereo. Without that, an atom would
    still tell the encoder of the neighbour it lost. Atoms farther off keep all codes, so an opened
    ring can be guessed from them.

    Parameters
    ----------
    graph
        Not changed.
    kept
        Bool ``(E,)``.
    """
    bonds = graph.bonds[:, kept]
    atoms = graph.atoms.copy()
    before = np.bincount(graph.bonds[0], minlength=len(atoms))
    after = np.bincount(bonds[0], minlength=len(atoms))
    ends = np.flatnonzero(before != after)
    # A masked atom stays masked.
    tell = ends[atoms[ends, _DEGREE] <= _MOST_NEIGHBOURS]
    atoms[tell, _DEGREE] = np.minimum(after[tell], _MOST_NEIGHBOURS)
    atoms[ends[:, None], _UNSURE] = masked_codes(ATOM_SIZES)[_UNSURE]
    return replace(graph, atoms=atoms, bonds=bonds, bond_fields=graph.bond_fields[kept])
