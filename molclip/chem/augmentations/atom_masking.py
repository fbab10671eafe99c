"""Atoms without an element."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rdkit import Chem

from molclip.chem.augmentations.edits import editable, finished
from molclip.chem.augmentations.structure import Chosen, Pairs, StructureAugmentation, share
from molclip.chem.graphs import ATOM_SIZES, MoleculeGraph, masked_codes


class AtomMasking(StructureAugmentation):
    """Hide what some atoms are; what they are bound to stays.

    `strength` is the share of atoms that are masked.

    In a molecule, a masked atom becomes a dummy atom (`*`): element, charge, isotope, radical
    electrons, hydrogens and its own chirality go; every bond, ring and neighbour stays. Carbonyl
    and imine, ether and amine, halogen and methyl look alike where the atom that tells them apart
    is masked. In a graph, all fields of the atom get the code "masked" (`graphs.masked_codes`),
    while the atoms and bonds around it keep theirs: an aromatic bond to it still says so.

    Views are told apart by their size and rings, which no masking hides.

    References
    ----------
    You et al., Graph Contrastive Learning with Augmentations (GraphCL), NeurIPS 2020, "attribute
    masking". Wang et al., Molecular Contrastive Learning of Representations via Graph Neural
    Networks (MolCLR), Nature Machine Intelligence 2022, 4, 279, "atom masking".
    """

    name = "atom_masking"
    destroys = "element, charge, isotope and chirality of the masked atoms; no bond and no ring"

    def choose(
        self,
        atoms: int,
        pairs: Pairs,  # noqa: ARG002 - any atom may be masked, whatever its bonds
        strength: float,
        rng: np.random.Generator,
    ) -> Chosen:
        """Atoms to mask; see `StructureAugmentation.choose`."""
        count = share(atoms, strength, rng)
        return rng.permutation(atoms)[:count]

    def edit_mol(
        self,
        mol: Chem.Mol,
        pairs: Pairs,  # noqa: ARG002
        chosen: Chosen,
    ) -> Chem.Mol:
        """The molecule with dummy atoms in place of the chosen ones."""
        edited = editable(mol)
        for index in chosen.tolist():
            edited.ReplaceAtom(index, Chem.Atom(0))
            edited.GetAtomWithIdx(index).SetNoImplicit(True)
        return finished(edited)

    def edit_graph(
        self,
        graph: MoleculeGraph,
        pairs: Pairs,  # noqa: ARG002
        chosen: Chosen,
    ) -> MoleculeGraph:
        """The graph with the reserved code in all fields of the chosen atoms."""
        atoms = graph.atoms.copy()
        atoms[chosen] = masked_codes(ATOM_SIZES)
        return replace(graph, atoms=atoms)
