"""What a labelled molecule is to the models that are compared: encoder input, fingerprint, scaffold.

Everything per molecule is made in one pass over worker processes; rows that fail keep their place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sized
from dataclasses import dataclass
from functools import cache, partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from molclip.chem.inputs import Kind, input_of
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parallel import as_molecule, guarded_stream
from molclip.chem.readers import Record, parse_record
from molclip.datasets.splits import murcko_scaffold

if TYPE_CHECKING:
    import torch
    from scipy.sparse import csr_matrix

    from molclip.models.molecule_encoder import MoleculeTower

Progress = Callable[[str, int, int | None], None]

ECFP_RADIUS = 2
ECFP_WIDTH = 2048
ECFP_NAME = "count ECFP4"
_AT_ONCE = 256


class Features(NamedTuple):
    """What one molecule is made into."""

    molecule: Molecule
    input: Any
    """For the encoder; see `chem.inputs`."""
    ecfp: tuple[npt.NDArray[np.int64], npt.NDArray[np.float32]]
    """Filled columns of the count fingerprint, and log(1 + count) in them."""
    scaffold: str


@dataclass
class Prepared:
    """N molecules, row-aligned with what they were read from."""

    rows: list[Features | ParseFailure]

    @property
    def valid(self) -> npt.NDArray[np.int64]:
        """Numbers of the rows that can be used, ascending."""
        good = [n for n, row in enumerate(self.rows) if not isinstance(row, ParseFailure)]
        return np.array(good, dtype=np.int64)

    @property
    def failures(self) -> list[ParseFailure]:
        """Rows that cannot be used, each with its reason."""
        return [row for row in self.rows if isinstance(row, ParseFailure)]

    def take(self, rows: npt.NDArray[np.int64]) -> list[Features]:
        """Features of rows, which must be valid."""
        taken = [self.rows[row] for row in rows.tolist()]
        return [row for row in taken if not isinstance(row, ParseFailure)]


def prepare(
    items: Iterable[Any],
    kind: Kind,
    *,
    standardise: str = "none",
    workers: int | None = None,
    progress: Progress | None = None,
) -> Prepared:
    """Parse molecules and make their features.

    Parameters
    ----------
    items
        Records of a reader, SMILES, RDKit molecules or failures.
    kind
        Of the encoder's inputs.
    standardise
        A profile of `chem.standardize.PROFILES`.
    workers
        Processes; one per core by default.
    progress
        Told how many molecules are done.
    """
    work = partial(features_of, kind=kind, standardise=standardise)
    total = len(items) if isinstance(items, Sized) else None
    rows: list[Features | ParseFailure] = []
    for row in guarded_stream(work, items, workers=workers):
        rows.append(row)
        if progress is not None:
            progress("molecules", len(rows), total)
    return Prepared(rows)


def features_of(item: Any, kind: Kind, standardise: str = "none") -> Features | ParseFailure:
    """Features of one item; runs in worker processes."""
    molecule = read(item, standardise)
    if isinstance(molecule, ParseFailure):
        return molecule
    mol = molecule.mol
    counts = _ecfp().GetCountFingerprint(mol).GetNonzeroElements()
    columns = np.array(list(counts), dtype=np.int64)
    logs = np.log1p(np.array(list(counts.values()), dtype=np.float32))
    found = Features(molecule, input_of(mol, kind), (columns, logs), murcko_scaffold(mol))
    molecule.drop_mol()
    return found


def read(item: Any, standardise: str = "none") -> Molecule | ParseFailure:
    """Parse one item as far as it is not parsed yet, and standardise it."""
    from molclip.chem.standardize import standardize

    if isinstance(item, Record):
        return parse_record(item, standardise)
    molecule = as_molecule(item)
    if isinstance(molecule, ParseFailure) or standardise == "none":
        return molecule
    return standardize(molecule, standardise)


def ecfp_matrix(rows: Iterable[Features]) -> csr_matrix:
    """Logs of one plus the counts of ECFP4 environments, folded to 2,048 columns; no chirality.

    Returns
    -------
    Sparse float32 matrix ``(N, 2048)``.
    """
    from scipy.sparse import csr_matrix

    parts = [row.ecfp for row in rows]
    starts = np.concatenate([[0], np.cumsum([len(columns) for columns, _ in parts])])
    columns = np.concatenate([np.empty(0, np.int64), *(columns for columns, _ in parts)])
    logs = np.concatenate([np.empty(0, np.float32), *(logs for _, logs in parts)])
    return csr_matrix((logs, columns, starts), shape=(len(parts), ECFP_WIDTH))


def frozen_features(
    encoder: MoleculeTower,
    rows: list[Features],
    device: torch.device,
    progress: Progress | None = None,
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
    """Features of molecules before and after the head of an encoder that is not trained on.

    Returns
    -------
    float32 arrays ``(N, width)``, and ``(N, D)`` with unit rows.
    """
    import torch

    encoder.eval()
    before, after = [], []
    with torch.inference_mode():
        for start in range(0, len(rows), _AT_ONCE):
            part = [row.input for row in rows[start : start + _AT_ONCE]]
            features = encoder.features(encoder.collate(part).to(device))
            head = torch.nn.functional.normalize(encoder.projection(features).float(), dim=-1)
            before.append(features.float().cpu().numpy())
            after.append(head.cpu().numpy())
            if progress is not None:
                progress("molecule vectors", min(start + _AT_ONCE, len(rows)), len(rows))
    return np.concatenate(before), np.concatenate(after)


@cache
def _ecfp() -> Any:
    from rdkit.Chem import rdFingerprintGenerator

    return rdFingerprintGenerator.GetMorganGenerator(radius=ECFP_RADIUS, fpSize=ECFP_WIDTH)
