"""Features of training molecules, computed once and kept on disk.

The store grows: a run computes only the structures that no earlier run has seen. Its folder is
named after the feature version and reference features under the installed RDKit, so features of
another RDKit are never read by mistake.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from molclip.chem import features as chem_features

Progress = Callable[[int, int], None]
ARRAYS = ("indices", "counts", "lengths", "logp", "mol_weight", "charge", "rings")


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
    """Sparse feature rows with InChIKey and a few properties, by SMILES as given.

    Parameters
    ----------
    cache
        Folder that holds the store's own folder.
    workers
        Processes for structures that are new; one per core by default.
    """

    def __init__(self, cache: Path, workers: int | None = None) -> None:
        self.folder = cache / f"features-{chem_features.VERSION}-{chem_features.golden_hash()}"
        self.workers = workers or os.cpu_count() or 1
        self.row_of: dict[str, int] = {}
        self.inchikeys: list[str] = []
        self._arrays: dict[str, list[npt.NDArray[np.generic]]] = {name: [] for name in ARRAYS}
        self._joined: dict[str, npt.NDArray[np.generic]] = {}
        self._pointers: npt.NDArray[np.int64] | None = None
        if self.folder.is_dir():
            for shard in sorted(path for path in self.folder.iterdir() if path.suffix == ".shard"):
                self._read(shard)

    def rows(
        self, smiles: Sequence[str], progress: Progress | None = None
    ) -> npt.NDArray[np.int64]:
        """Row of each SMILES, computed now where it is new; int64 of shape ``(N,)``."""
        missing = list(dict.fromkeys(text for text in smiles if text not in self.row_of))
        if missing:
            self._compute(missing, progress)
        return np.array([self.row_of[text] for text in smiles], dtype=np.int64)

    def keys(self, smiles: Sequence[str], progress: Progress | None = None) -> list[str]:
        """Standard InChIKey of each SMILES; empty where the structure is unreadable."""
        return [self.inchikeys[row] for row in self.rows(smiles, progress).tolist()]

    def column(self, name: str) -> npt.NDArray[np.generic]:
        """One of `logp`, `mol_weight`, `charge`, `rings`, by row."""
        if name not in self._joined:
            self._joined[name] = np.concatenate(self._arrays[name])
        return self._joined[name]

    def dense(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.uint8]:
        """Feature rows, uint8 of shape ``(len(rows), WIDTH)``; zeros where unreadable."""
        if self._pointers is None:
            lengths = self.column("lengths").astype(np.int64)
            self._pointers = np.concatenate([[0], np.cumsum(lengths)])
        indices, counts = self.column("indices"), self.column("counts")
        result = np.zeros((len(rows), chem_features.WIDTH), dtype=np.uint8)
        for position, row in enumerate(rows.tolist()):
            part = slice(self._pointers[row], self._pointers[row + 1])
            result[position, indices[part].astype(np.int64)] = counts[part]
        return result

    def append(self, smiles: Sequence[str], rows: Iterable[_Row]) -> None:
        """Add rows for `smiles` as one shard on disk; a killed write leaves no shard."""
        described = list(rows)
        number = len(list(self.folder.glob("*.shard"))) if self.folder.is_dir() else 0
        shard = self.folder / f"{number:05d}.shard"
        part = self.folder / f"{number:05d}.part"
        part.mkdir(parents=True, exist_ok=True)
        arrays = {
            "indices": np.concatenate([row.indices for row in described]),
            "counts": np.concatenate([row.counts for row in described]),
            "lengths": np.array([len(row.indices) for row in described], dtype=np.int32),
            "logp": np.array([row.logp for row in described], dtype=np.float32),
            "mol_weight": np.array([row.mol_weight for row in described], dtype=np.float32),
            "charge": np.array([row.charge for row in described], dtype=np.int16),
            "rings": np.array([row.rings for row in described], dtype=np.int16),
        }
        for name, array in arrays.items():
            np.save(part / f"{name}.npy", array)
        lines = (f"{row.inchikey}\t{text}\n" for row, text in zip(described, smiles, strict=True))
        (part / "structures.tsv").write_text("".join(lines), encoding="utf-8")
        part.rename(shard)
        self._read(shard)

    def _read(self, shard: Path) -> None:
        for line in (shard / "structures.tsv").read_text(encoding="utf-8").split("\n")[:-1]:
            key, _, text = line.partition("\t")
            self.row_of[text] = len(self.inchikeys)
            self.inchikeys.append(key)
        for name in ARRAYS:
            self._arrays[name].append(np.load(shard / f"{name}.npy", mmap_mode="r"))
        self._joined.clear()
        self._pointers = None

    def _compute(self, smiles: list[str], progress: Progress | None) -> None:
        if len(smiles) < 200:
            self.append(smiles, map(describe, smiles))
            return
        from concurrent.futures import ProcessPoolExecutor

        rows = []
        with ProcessPoolExecutor(self.workers) as pool:
            for done, row in enumerate(pool.map(describe, smiles, chunksize=100), start=1):
                rows.append(row)
                if progress and done % 500 == 0:
                    progress(done, len(smiles))
        self.append(smiles, rows)


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
