"""The training molecules that are at hand: rows of a library that its model has seen."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.errors import LibraryError
from molclip.search.index import Index
from molclip.search.seen import SeenMolecules
from molclip.search.structure import count_fingerprint
from molclip.search.vectors import Float32

_KEPT = 20_000
"""Fingerprints kept in memory; molecules of one file have neighbours in common."""


def is_reference(index: Index) -> bool:
    """Whether a library itself is where training molecules are looked for.

    It is not where the embedded library belongs to the same model, since the shipped model was
    trained on most of that one.
    """
    from molclip.search.embedded import Shipped

    if index.manifest.embedded:
        return True
    try:
        shipped = Shipped.find()
    except LibraryError:
        return True
    return shipped.metadata["model_hash"] != index.manifest.model_hash


def reference_index(index: Index) -> Index:
    """The library to look for training molecules in, see `is_reference`; prepared where needed."""
    from molclip.search.embedded import prepared_library

    return index if is_reference(index) else Index(prepared_library())


class TrainingRows:
    """Rows of a library that its model was trained on.

    Parameters
    ----------
    index
        The library.
    seen
        What the model was trained on.
    """

    def __init__(self, index: Index, seen: SeenMolecules) -> None:
        self.index = index
        self.mask = _seen_mask(index, seen)
        """bool `(N,)` over the rows of the library."""
        self._fingerprints: dict[int, Any] = {}

    def __len__(self) -> int:
        return int(self.mask.sum())

    def nearest(self, vector: Float32, count: int) -> tuple[npt.NDArray[np.int64], Float32]:
        """Row numbers and cosines of the nearest to a unit vector `(D,)`, best first."""
        return self.index.vectors.ranking(vector, self.mask).top(count)

    def similarities(self, mol: Any, rows: npt.NDArray[np.int64]) -> list[float]:
        """Count Tanimoto of an RDKit molecule with some rows, see `structure.count_tanimoto`."""
        from rdkit import DataStructs

        asked = count_fingerprint(mol)
        known = [self._fingerprint(row) for row in rows.tolist()]
        return [
            0.0 if other is None else float(DataStructs.TanimotoSimilarity(asked, other))
            for other in known
        ]

    def structures(self) -> Iterator[tuple[str, int]]:
        """Canonical SMILES and number of heavy atoms of every row."""
        for table, start in zip(self.index.rows.tables, self.index.rows.starts, strict=False):
            held = self.mask[int(start) : int(start) + table.num_rows]
            columns = (table.column(name).to_pylist() for name in ("smiles", "heavy_atoms"))
            for here, smiles, size in zip(held, *columns, strict=True):
                if here and smiles is not None and size is not None:
                    yield str(smiles), int(size)

    def _fingerprint(self, row: int) -> Any:
        if row not in self._fingerprints:
            if len(self._fingerprints) >= _KEPT:
                self._fingerprints.clear()
            self._fingerprints[row] = self._made(row)
        return self._fingerprints[row]

    def _made(self, row: int) -> Any:
        from rdkit import Chem

        from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

        with capture():
            mol = Chem.MolFromSmiles(str(self.index.rows.value(row, "smiles")))
            try:
                return None if mol is None else count_fingerprint(mol)
            except RDKIT_ERRORS:
                return None


def _seen_mask(index: Index, seen: SeenMolecules) -> npt.NDArray[np.bool_]:
    keys = [
        key
        for table in index.rows.tables
        for key in (
            table.column("inchikey").to_pylist()
            if "inchikey" in table.column_names
            else [None] * table.num_rows
        )
    ]
    return np.fromiter((key in seen for key in keys), dtype=bool, count=len(keys)) & index.alive
