"""Graphs of many molecules, packed, alone or beside their feature rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.chem.graphs import (
    ATOM_FIELDS,
    BOND_FIELDS,
    HybridInput,
    MoleculeGraph,
    graph_of,
)
from molclip.chem.molecule import ParseFailure
from molclip.chem.packed_graphs import PackedGraph, pack, unpack
from molclip.evaluation import cache
from molclip.evaluation.feature_table import FeatureTable

_ARRAYS = ("atom_starts", "bond_starts", "atoms", "ends", "fields")


@dataclass(frozen=True)
class GraphTable:
    """Some 700 bytes a molecule."""

    atom_starts: npt.NDArray[np.int64]
    """(N + 1,) where the atoms of each row begin."""
    bond_starts: npt.NDArray[np.int64]
    """(N + 1,) where its bonds begin."""
    atoms: npt.NDArray[np.uint8]
    ends: npt.NDArray[np.uint16]
    fields: npt.NDArray[np.uint8]
    failures: Sequence[ParseFailure]
    """Rows without a graph, which hold a lone attachment point; `row` is counted from 1."""

    def __len__(self) -> int:
        return len(self.atom_starts) - 1

    @classmethod
    def collect(cls, rows: Iterable[MoleculeGraph | ParseFailure]) -> GraphTable:
        """Pack graphs and failures as they come."""
        from rdkit import Chem

        nothing = pack(graph_of(Chem.MolFromSmiles("*")))
        packed, failures = [], []
        for row in rows:
            if isinstance(row, ParseFailure):
                failures.append(row)
                packed.append(nothing)
            else:
                packed.append(pack(row))

        def starts(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[np.int64]:
            return np.cumsum([0, *(len(part) for part in parts)], dtype=np.int64)

        atoms = [one.atoms for one in packed]
        ends = [one.ends for one in packed]
        fields = [one.fields for one in packed]
        return cls(
            starts(atoms),
            starts(ends),
            np.concatenate([np.empty((0, ATOM_FIELDS), np.uint8), *atoms]),
            np.concatenate([np.empty((0, 2), np.uint16), *ends]),
            np.concatenate([np.empty((0, BOND_FIELDS), np.uint8), *fields]),
            failures,
        )

    def rows(self, start: int, stop: int) -> list[MoleculeGraph]:
        """Return graphs `start` to `stop`."""
        graphs = []
        for row in range(start, min(stop, len(self))):
            atoms = slice(self.atom_starts[row], self.atom_starts[row + 1])
            bonds = slice(self.bond_starts[row], self.bond_starts[row + 1])
            packed = PackedGraph(self.atoms[atoms], self.ends[bonds], self.fields[bonds])
            graphs.append(unpack(packed))
        return graphs

    def save(self, path: Path) -> bool:
        """Keep the table in the cache, see `molclip.evaluation.cache.save`."""
        return cache.save(path, {name: getattr(self, name) for name in _ARRAYS}, self.failures)

    @classmethod
    def load(cls, path: Path) -> GraphTable | None:
        """Read a table from the cache; None when there is none or it is damaged."""
        stored = cache.load(path, _ARRAYS)
        if stored is None:
            return None
        arrays, failures = stored
        return cls(**{name: arrays[name] for name in _ARRAYS}, failures=failures)


@dataclass(frozen=True)
class HybridTable:
    """Feature rows and graphs of the same molecules."""

    features: FeatureTable
    graphs: GraphTable

    def __len__(self) -> int:
        return len(self.graphs)

    @property
    def failures(self) -> Sequence[ParseFailure]:
        """Rows that lack one or the other, each once."""
        found = {
            failure.row: failure for failure in (*self.graphs.failures, *self.features.failures)
        }
        return [found[row] for row in sorted(found)]

    def rows(self, start: int, stop: int) -> list[HybridInput]:
        """Return hybrid inputs `start` to `stop`."""
        counts = self.features.rows(start, stop)
        graphs = self.graphs.rows(start, stop)
        return [HybridInput(*pair) for pair in zip(counts, graphs, strict=True)]
