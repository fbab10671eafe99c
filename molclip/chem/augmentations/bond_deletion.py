"""Bonds taken out."""

from __future__ import annotations

import numpy as np
from rdkit import Chem

from molclip.chem.augmentations.edits import cut, editable, finished, without_edges
from molclip.chem.augmentations.structure import Chosen, Pairs, StructureAugmentation, share
from molclip.chem.graphs import MoleculeGraph


class BondDeletion(StructureAugmentation):
    """Delete some bonds; every atom stays.

    `strength` is the share of bonds that are deleted.

    A deleted ring bond opens the ring, and an aromatic ring is then none any more; a deleted chain
    bond splits the molecule. In a molecule the free valences are filled with hydrogen (metals get
    none), so valence and hydrogen counts of both ends change, a deleted double bond adds two
    hydrogens on each side, and a centre or double bond that lost a neighbour loses its stereo
    label. The result is a real structure, though most often another compound: an ester may come
    back as an aldehyde and an alcohol. In a graph the edge goes, both ways, and the atoms at its
    ends no longer say what may have changed; see `edits.without_edges`.

    Views are told apart by their elements and charge, which no deletion changes.

    References
    ----------
    You et al., GraphCL, NeurIPS 2020, "edge perturbation" (which adds edges too; an added bond
    would break valence rules). Wang et al., MolCLR, Nature Machine Intelligence 2022, 4, 279,
    "bond deletion".
    """

    name = "bond_deletion"
    destroys = "rings, chains, valence, hydrogen counts and stereo at the cuts; no atom"

    def choose(
        self,
        atoms: int,  # noqa: ARG002 - bonds are drawn, not atoms
        pairs: Pairs,
        strength: float,
        rng: np.random.Generator,
    ) -> Chosen:
        """Columns of `pairs` to delete; see `StructureAugmentation.choose`."""
        count = share(pairs.shape[1], strength, rng)
        return rng.permutation(pairs.shape[1])[:count]

    def edit_mol(self, mol: Chem.Mol, pairs: Pairs, chosen: Chosen) -> Chem.Mol:
        """The molecule without the chosen bonds, filled up with hydrogen."""
        edited = editable(mol)
        cut(edited, [(int(first), int(second)) for first, second in pairs[:, chosen].T])
        return finished(edited)

    def edit_graph(
        self,
        graph: MoleculeGraph,
        pairs: Pairs,  # noqa: ARG002 - column b of them is edges 2b and 2b + 1
        chosen: Chosen,
    ) -> MoleculeGraph:
        """The graph without the chosen bonds, both directions of each."""
        kept = np.ones(graph.bonds.shape[1], dtype=bool)
        kept[2 * chosen] = kept[2 * chosen + 1] = False
        return without_edges(graph, kept)
