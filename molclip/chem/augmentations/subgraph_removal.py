"""A connected piece taken out."""

from __future__ import annotations

from collections import deque
from dataclasses import replace

import numpy as np
from rdkit import Chem

from molclip.chem.augmentations.edits import cut, editable, finished, without_edges
from molclip.chem.augmentations.structure import Chosen, Pairs, StructureAugmentation, share
from molclip.chem.graphs import MoleculeGraph


class SubgraphRemoval(StructureAugmentation):
    """Remove a connected piece of the molecule.

    `strength` is the share of atoms that are removed; at least one atom stays, at any strength.

    The piece grows breadth first from an atom drawn at random, neighbours in random order; where a
    fragment (the anion of a salt, say) is used up, it goes on from another random atom. Whole
    functional groups, rings and side chains disappear with their atoms, and the rest may fall
    apart. The cuts are treated as in `BondDeletion`.

    The only one of the structural edits that changes the size and the composition, so no view is
    told apart by them.

    References
    ----------
    You et al., GraphCL, NeurIPS 2020, "node dropping" and "subgraph". Wang et al., MolCLR, Nature
    Machine Intelligence 2022, 4, 279, "subgraph removal" (which masks the piece's atoms).
    """

    name = "subgraph_removal"
    destroys = "functional groups, rings and side chains as a whole, and with them the size"

    def choose(self, atoms: int, pairs: Pairs, strength: float, rng: np.random.Generator) -> Chosen:
        """Atoms to remove, in the order in which the piece grew."""
        count = min(share(atoms, strength, rng), atoms - 1)
        order = rng.permutation(atoms).tolist()
        if count < 1:
            return np.empty(0, dtype=np.int64)
        # A random order of all atoms serves for the starts and for the neighbours alike.
        place = np.empty(atoms, dtype=np.int64)
        place[order] = np.arange(atoms)
        neighbours: list[list[int]] = [[] for _ in range(atoms)]
        for first, second in pairs.T.tolist():
            neighbours[first].append(second)
            neighbours[second].append(first)
        taken: list[int] = []
        seen: set[int] = set()
        for start in order:
            if start in seen:
                continue
            seen.add(start)
            todo = deque([start])
            while todo:
                atom = todo.popleft()
                taken.append(atom)
                if len(taken) == count:
                    return np.array(taken, dtype=np.int64)
                fresh = [other for other in neighbours[atom] if other not in seen]
                fresh.sort(key=place.__getitem__)
                seen.update(fresh)
                todo.extend(fresh)
        raise AssertionError("fewer atoms than the piece should have")

    def edit_mol(self, mol: Chem.Mol, pairs: Pairs, chosen: Chosen) -> Chem.Mol:
        """The molecule without the chosen atoms, filled up with hydrogen."""
        edited = editable(mol)
        gone = np.isin(pairs, chosen).any(axis=0)
        cut(edited, [(int(first), int(second)) for first, second in pairs[:, gone].T])
        edited.BeginBatchEdit()
        for index in chosen.tolist():
            edited.RemoveAtom(index)
        edited.CommitBatchEdit()
        return finished(edited)

    def edit_graph(
        self,
        graph: MoleculeGraph,
        pairs: Pairs,  # noqa: ARG002 - the graph knows its edges
        chosen: Chosen,
    ) -> MoleculeGraph:
        """The graph without the chosen atoms and every edge to them; the others close ranks."""
        stays = np.ones(len(graph.atoms), dtype=bool)
        stays[chosen] = False
        rest = without_edges(graph, stays[graph.bonds[0]] & stays[graph.bonds[1]])
        number = (np.cumsum(stays) - 1).astype(rest.bonds.dtype)
        return replace(rest, atoms=rest.atoms[stays], bonds=number[rest.bonds])
