"""What an augmentation of a structure is: one choice, carried out on a Mol, on a graph, or on both.

The choice (which atoms, which bonds, which order) depends on numbers only: how many atoms there
are and which of them are joined. So a molecule and its graph, whose atoms stand in the same order,
get the same edit from one choice.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np
import numpy.typing as npt
from rdkit import Chem

from molclip.chem.graphs import MoleculeGraph
from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

Chosen = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int64]


class StructureAugmentation(ABC):
    """An edit of atoms and bonds; `strength` runs from 0 (no change) to 1."""

    name: ClassVar[str]
    """As in the configuration."""
    destroys: ClassVar[str]
    """What a view no longer says, in one sentence."""
    order_only: ClassVar[bool] = False
    """True where only the order of the atoms changes, so no fingerprint does."""

    @abstractmethod
    def choose(self, atoms: int, pairs: Pairs, strength: float, rng: np.random.Generator) -> Chosen:
        """What to edit, int64 indices of atoms, or of columns of `pairs`.

        The same generator state gives a choice that a stronger one contains, in the same order.

        Parameters
        ----------
        atoms
            Number of atoms.
        pairs
            Ends of each bond, int64 ``(2, B)``; see `pairs_of_mol`.
        strength
            In [0, 1].
        rng
            Source of chance; the same number of draws whatever the strength.
        """

    @abstractmethod
    def edit_mol(self, mol: Chem.Mol, pairs: Pairs, chosen: Chosen) -> Chem.Mol:
        """The molecule with the choice carried out, sanitised; `mol` itself stays as it is.

        Raises
        ------
        One of `RDKIT_ERRORS`, where RDKit cannot.
        """

    @abstractmethod
    def edit_graph(self, graph: MoleculeGraph, pairs: Pairs, chosen: Chosen) -> MoleculeGraph:
        """The graph with the choice carried out; `pairs` must be its own (`pairs_of_graph`)."""

    def fewer(self, chosen: Chosen) -> Chosen:
        """A smaller edit, tried when RDKit cannot make sense of the larger one."""
        return chosen[: len(chosen) // 2]

    def mol(self, mol: Chem.Mol, strength: float, rng: np.random.Generator) -> Chem.Mol:
        """One view of a molecule.

        Parameters
        ----------
        mol
            Sanitised molecule; it is not changed.
        strength
            In [0, 1]; 0 gives `mol` itself back.
        rng
            The same state gives the same view.

        Returns
        -------
        Chem.Mol
            Sanitised, stereo assigned, never without atoms. Where RDKit refuses an edit, half of it
            is made, a quarter, and so on; at the end the molecule as it came.
        """
        pairs = pairs_of_mol(mol)
        chosen = self.choose(mol.GetNumAtoms(), pairs, strength, rng)
        return self._edited(mol, pairs, chosen)[0]

    def graph(
        self, graph: MoleculeGraph, strength: float, rng: np.random.Generator
    ) -> MoleculeGraph:
        """One view of a graph, without RDKit; parameters as for `mol`."""
        pairs = pairs_of_graph(graph)
        chosen = self.choose(len(graph.atoms), pairs, strength, rng)
        return self.edit_graph(graph, pairs, chosen) if len(chosen) else graph

    def both(
        self, mol: Chem.Mol, graph: MoleculeGraph, strength: float, rng: np.random.Generator
    ) -> tuple[Chem.Mol, MoleculeGraph]:
        """One view of a molecule and the same view of its graph (atoms in the same order)."""
        # Of the graph: after earlier edits the molecule may hold its bonds in another order.
        pairs = pairs_of_graph(graph)
        chosen = self.choose(mol.GetNumAtoms(), pairs, strength, rng)
        edited, done = self._edited(mol, pairs, chosen)
        return edited, self.edit_graph(graph, pairs, done) if len(done) else graph

    def _edited(self, mol: Chem.Mol, pairs: Pairs, chosen: Chosen) -> tuple[Chem.Mol, Chosen]:
        with capture():
            while len(chosen):
                try:
                    return self.edit_mol(mol, pairs, chosen), chosen
                except RDKIT_ERRORS:
                    chosen = self.fewer(chosen)
        return mol, chosen


def pairs_of_mol(mol: Chem.Mol) -> Pairs:
    """Ends of each bond, int64 ``(2, B)``, in the order in which the molecule holds its bonds."""
    ends = [(bond.GetBeginAtomIdx(), bond.GetEndAtomIdx()) for bond in mol.GetBonds()]
    return np.array(ends, dtype=np.int64).reshape(-1, 2).T


def pairs_of_graph(graph: MoleculeGraph) -> Pairs:
    """The same of a graph, whose edges 2b and 2b + 1 are bond b."""
    return graph.bonds[:, ::2].astype(np.int64)


def share(total: int, strength: float, rng: np.random.Generator) -> int:
    """`strength` of `total`, rounded up or down by chance so that the mean is exact."""
    return min(int(strength * total + rng.random()), total)
