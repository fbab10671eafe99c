"""Molecule graphs of training molecules, computed once and kept on disk.

The folder is named after the version of the codes and the graphs of reference molecules under the
installed RDKit, so that graphs whose codes mean something else are never read by mistake.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from rdkit import Chem

from molclip.chem import graphs
from molclip.chem.packed_graphs import PackedGraph, pack, unpack
from molclip.chem.rdkit_log import capture
from molclip.training.computing import computed
from molclip.training.shards import Keys, Shards, content_keys

_UNREADABLE = pack(graphs.graph_of(Chem.MolFromSmiles("*")))


class GraphCache:
    """Graphs by the content of a SMILES; a million take 0.7 GB of disk.

    Parameters
    ----------
    cache
        Folder that holds the cache's own folder.
    workers
        Processes for structures that are new; one per core by default.
    """

    def __init__(self, cache: Path, workers: int | None = None) -> None:
        self.folder = cache / f"graphs-{graphs.VERSION}-{graphs.golden_hash()}"
        self.workers = workers
        self._shards = Shards(self.folder)

    def find(self, keys: Keys) -> npt.NDArray[np.int64]:
        """Row of each key (`shards.content_keys` of a SMILES), −1 where there is none."""
        return self._shards.find(keys)

    def add(self, smiles: Sequence[str], told: Callable[[int], None]) -> npt.NDArray[np.int64]:
        """Compute and keep N graphs; returns their rows, int64 ``(N,)``."""
        atoms, bonds, records = [], [], []
        for packed in computed(packed_graph, smiles, _UNREADABLE, self.workers, told):
            atoms.append(len(packed.atoms))
            bonds.append(len(packed.ends))
            ends = packed.ends.astype("<u2")
            records.append(packed.atoms.tobytes() + ends.tobytes() + packed.fields.tobytes())
        columns = {"atoms": np.array(atoms, np.int32), "bonds": np.array(bonds, np.int32)}
        return self._shards.append(content_keys(smiles), records, columns)

    def graphs(self, rows: npt.NDArray[np.int64]) -> list[graphs.MoleculeGraph]:
        """Graphs of rows; a lone attachment point where the structure is unreadable."""
        atoms, bonds = self._shards.column("atoms"), self._shards.column("bonds")
        return [
            unpack(_read(self._shards.record(row), int(atoms[row]), int(bonds[row])))
            for row in rows.tolist()
        ]


def packed_graph(smiles: str) -> PackedGraph:
    """Graph of one structure; a lone attachment point where RDKit cannot read it."""
    with capture():
        mol = Chem.MolFromSmiles(smiles)
        if mol is None or not mol.GetNumAtoms():
            return _UNREADABLE
        return pack(graphs.graph_of(mol))


def _read(record: npt.NDArray[np.uint8], atoms: int, bonds: int) -> PackedGraph:
    first = atoms * graphs.ATOM_FIELDS
    second = first + 4 * bonds
    return PackedGraph(
        record[:first].reshape(atoms, graphs.ATOM_FIELDS),
        record[first:second].view("<u2").reshape(bonds, 2),
        record[second:].reshape(bonds, graphs.BOND_FIELDS),
    )
