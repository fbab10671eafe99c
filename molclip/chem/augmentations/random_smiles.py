"""The same molecule, its atoms in another order."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from rdkit import Chem

from molclip.chem.augmentations.structure import Chosen, Pairs, StructureAugmentation
from molclip.chem.graphs import MoleculeGraph


class RandomSmiles(StructureAugmentation):
    """Put the atoms into a random order, which gives another SMILES of the same molecule.

    `strength` is the chance that a molecule gets a new order at all.

    Chemically nothing is destroyed. A fingerprint does not depend on the order of the atoms (but for
    one or two torsion counts in one of forty molecules, where RDKit's chirality does), and a graph
    encoder gives every order the same vector. So for `fingerprint`, `graph` and `hybrid` the two
    views are one and the same, and nothing is learned from telling them apart. It matters for an
    encoder that reads SMILES as text, and for testing that an encoder ignores the order.

    References
    ----------
    Bjerrum, SMILES Enumeration as Data Augmentation for Neural Network Modeling of Molecules,
    arXiv:1703.07076 (2017). Arús-Pous et al., Randomized SMILES strings improve the quality of
    molecular generative models, Journal of Cheminformatics 2019, 11, 71.
    """

    name = "random_smiles"
    destroys = "nothing but the order of the atoms"
    order_only = True

    def choose(
        self,
        atoms: int,
        pairs: Pairs,  # noqa: ARG002 - the order of atoms has nothing to do with bonds
        strength: float,
        rng: np.random.Generator,
    ) -> Chosen:
        """The new order (the old number of each new atom), or nothing where it stays."""
        renewed = rng.random() < strength
        order = rng.permutation(atoms)
        return order if renewed else order[:0]

    def fewer(self, chosen: Chosen) -> Chosen:
        """Nothing: half an order is none."""
        return chosen[:0]

    def edit_mol(
        self,
        mol: Chem.Mol,
        pairs: Pairs,  # noqa: ARG002
        chosen: Chosen,
    ) -> Chem.Mol:
        """The molecule with its atoms in the chosen order."""
        return Chem.RenumberAtoms(mol, chosen.tolist())

    def edit_graph(
        self,
        graph: MoleculeGraph,
        pairs: Pairs,  # noqa: ARG002
        chosen: Chosen,
    ) -> MoleculeGraph:
        """The graph with its atoms in the chosen order."""
        number = np.empty(len(chosen), dtype=graph.bonds.dtype)
        number[chosen] = np.arange(len(chosen))
        return replace(graph, atoms=graph.atoms[chosen], bonds=number[graph.bonds])

    def smiles(self, mol: Chem.Mol, strength: float, rng: np.random.Generator) -> str:
        """SMILES of one view: canonical where the order stays, else as the new order writes it."""
        view = self.mol(mol, strength, rng)
        return Chem.MolToSmiles(view, canonical=view is mol)
