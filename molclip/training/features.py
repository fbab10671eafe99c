"""Features of training molecules, computed once and kept on disk.

The store grows: a run computes only the structures that no earlier run has seen. Its folder is
named after the feature version and reference features under the installed RDKit, so features of
another RDKit are never read by mistake. Graphs lie beside it, in `training.graph_cache`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from molclip.chem import features as chem_features
from molclip.chem.inputs import FINGERPRINT
from molclip.training.computing import SHARD_ROWS, computed
from molclip.training.shards import Shards, content_keys

if TYPE_CHECKING:
    from molclip.chem.inputs import Kind
    from molclip.training.graph_cache import GraphCache

Progress = Callable[[int, int], None]
Rows = npt.NDArray[np.int64]

# Changes with the layout of a record; it is part of the folder's name.
_LAYOUT = 2
_KEY_LENGTH = 27


class _Row(NamedTuple):
    indices: npt.NDArray[np.uint16]
    counts: npt.NDArray[np.uint8]
    inchikey: str
    logp: float
    mol_weight: float
    charge: int
    rings: int


_UNREADABLE = _Row(np.empty(0, np.uint16), np.empty(0, np.uint8), "", 0.0, 0.0, 0, 0)


class FeatureStore:
    """Feature rows with InChIKey and a few properties, by SMILES as given.

    Feature rows, SMILES and graphs are mapped from disk, so a million rows take some hundred
    megabytes of memory.

    Parameters
    ----------
    cache
        Folder that holds the store's own folders.
    workers
        Processes for structures that are new; one per core by default.
    """

    def __init__(self, cache: Path, workers: int | None = None) -> None:
        version = f"{chem_features.VERSION}-{chem_features.golden_hash()}"
        self.folder = cache / f"features-{version}-{_LAYOUT}"
        self.cache = cache
        self.workers = workers
        self._shards = Shards(self.folder)
        self._graphs: GraphCache | None = None
        self._graph_rows = np.empty(0, dtype=np.int64)

    def __len__(self) -> int:
        return len(self._shards)

    def rows(self, smiles: Sequence[str], progress: Progress | None = None) -> Rows:
        """Row of each SMILES, computed now where it is new; int64 of shape ``(N,)``.

        Raises
        ------
        InputError
            When new rows cannot be written to the cache.
        """
        keys = content_keys(smiles)
        found = self._shards.find(keys)
        missing = np.flatnonzero(found < 0)
        if len(missing):
            self._compute(
                list(dict.fromkeys(smiles[place] for place in missing.tolist())), progress
            )
            found[missing] = self._shards.find(keys[missing])
        return found

    def keys(self, smiles: Sequence[str], progress: Progress | None = None) -> list[str]:
        """Standard InChIKey of each SMILES; empty where the structure is unreadable."""
        rows = self.rows(smiles, progress)
        found: list[bytes] = self._shards.column("inchikey")[rows].tolist() if len(rows) else []
        return [key.decode() for key in found]

    @property
    def inchikeys(self) -> Sequence[str]:
        """Standard InChIKey of each row; empty where the structure is unreadable."""
        return _Texts(self._shards.column("inchikey"))

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """One of `logp`, `mol_weight`, `charge`, `rings`, by row."""
        return self._shards.column(name)

    def smiles(self, rows: Rows) -> list[str]:
        """SMILES of rows, as given."""
        filled = self._shards.column("filled")
        return [
            self._shards.record(row)[3 * int(filled[row]) :]
            .tobytes()
            .decode(errors="surrogatepass")
            for row in rows.tolist()
        ]

    def dense(self, rows: Rows) -> npt.NDArray[np.uint8]:
        """Feature rows, uint8 of shape ``(len(rows), WIDTH)``; zeros where unreadable."""
        filled = self._shards.column("filled")
        result = np.zeros((len(rows), chem_features.WIDTH), dtype=np.uint8)
        for position, row in enumerate(rows.tolist()):
            count, record = int(filled[row]), self._shards.record(row)
            result[position, record[: 2 * count].view("<u2")] = record[2 * count : 3 * count]
        return result

    def inputs(self, rows: Rows, kind: Kind = FINGERPRINT) -> Any:
        """Encoder inputs (`chem.inputs`) of rows.

        Returns
        -------
        For `fingerprint` the array of `dense`, else a list. The graph of an unreadable structure
        is a lone attachment point. Graphs that no one has prepared are made now.
        """
        if kind == FINGERPRINT:
            return self.dense(rows)
        from molclip.chem.graphs import HybridInput

        self.prepare(rows, kind)
        assert self._graphs is not None
        graphs = self._graphs.graphs(self._graph_rows[rows])
        if kind == "graph":
            return graphs
        return [HybridInput(*pair) for pair in zip(self.dense(rows), graphs, strict=True)]

    def prepare(self, rows: Rows, kind: Kind, progress: Progress | None = None) -> None:
        """Put what `inputs` needs of these rows on disk, many at a time and in processes.

        Raises
        ------
        InputError
            When it cannot be written to the cache.
        """
        if kind == FINGERPRINT:
            return
        if self._graphs is None:
            from molclip.training.graph_cache import GraphCache

            self._graphs = GraphCache(self.cache, self.workers)
        if len(self._graph_rows) < len(self):
            keys = self._shards.column("_keys")
            self._graph_rows = self._graphs.find(keys)
        missing = np.unique(rows[self._graph_rows[rows] < 0])
        for start in range(0, len(missing), SHARD_ROWS):
            part = missing[start : start + SHARD_ROWS]

            def told(done: int, start: int = start) -> None:
                if progress:
                    progress(start + done, len(missing))

            self._graph_rows[part] = self._graphs.add(self.smiles(part), told)

    def _compute(self, smiles: list[str], progress: Progress | None) -> None:
        for start in range(0, len(smiles), SHARD_ROWS):
            part = smiles[start : start + SHARD_ROWS]

            def told(done: int, start: int = start) -> None:
                if progress:
                    progress(start + done, len(smiles))

            self.append(part, computed(describe, part, _UNREADABLE, self.workers, told))

    def append(self, smiles: Sequence[str], rows: Iterator[_Row]) -> None:
        """Add the rows of `smiles` as one shard on disk; a killed write leaves no shard."""
        records: list[bytes] = []
        described = []
        for text, row in zip(smiles, rows, strict=True):
            encoded = text.encode("utf-8", "surrogatepass")
            indices = row.indices.astype("<u2")
            records.append(indices.tobytes() + row.counts.tobytes() + encoded)
            described.append((len(indices), row.inchikey.encode(), *row[3:]))
        kinds = [
            ("filled", "i4"),
            ("inchikey", f"S{_KEY_LENGTH}"),
            ("logp", "f4"),
            ("mol_weight", "f4"),
            ("charge", "i2"),
            ("rings", "i2"),
        ]
        table = np.array(described, dtype=kinds)
        columns = {name: np.ascontiguousarray(table[name]) for name, _ in kinds}
        self._shards.append(content_keys(smiles), records, columns)


class _Texts(Sequence[str]):
    """ASCII texts of a fixed-width array."""

    def __init__(self, stored: npt.NDArray[Any]) -> None:
        self._stored = stored

    def __len__(self) -> int:
        return len(self._stored)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[str]: ...
    def __getitem__(self, place: int | slice) -> str | Sequence[str]:
        if isinstance(place, slice):
            return _Texts(self._stored[place])
        text: bytes = self._stored[place]
        return text.decode()


def describe(smiles: str) -> _Row:
    """Features, key and properties of one structure; an empty row where RDKit cannot read it."""
    from rdkit import Chem
    from rdkit.Chem import rdMolDescriptors

    from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

    with capture():
        try:
            mol = Chem.MolFromSmiles(smiles)
            if mol is None or not mol.GetNumAtoms():
                return _UNREADABLE
            row = chem_features.featurize(mol)
            columns = np.flatnonzero(row).astype(np.uint16)
            return _Row(
                columns,
                row[columns],
                str(Chem.MolToInchiKey(mol)),  # type: ignore[no-untyped-call]
                float(rdMolDescriptors.CalcCrippenDescriptors(mol)[0]),
                float(rdMolDescriptors._CalcMolWt(mol)),
                int(Chem.GetFormalCharge(mol)),
                int(mol.GetRingInfo().NumRings()),
            )
        except RDKIT_ERRORS:
            return _UNREADABLE
