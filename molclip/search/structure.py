"""A structure as a question: parsed, embedded, and compared with hits by count Tanimoto."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from molclip.errors import InputError
from molclip.search.manifest import Manifest
from molclip.search.vectors import Float32

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule

RADIUS = 3


@cache
def _generator() -> Any:
    from rdkit.Chem import rdFingerprintGenerator

    return rdFingerprintGenerator.GetMorganGenerator(radius=RADIUS, includeChirality=True)


def count_fingerprint(mol: Any) -> Any:
    """Counts of the Morgan environments of an RDKit molecule, unfolded; RDKit's sparse vector."""
    from molclip.chem.rdkit_log import capture

    with capture():
        return _generator().GetSparseCountFingerprint(mol)


def count_tanimoto(first: Any, second: Any) -> float:
    """Count Tanimoto of two RDKit molecules: sum of minima over sum of maxima, 0 to 1.

    Counts are of unfolded Morgan environments up to radius 3, with chirality, the same that the
    model's largest feature block folds.
    """
    from rdkit import DataStructs

    return float(
        DataStructs.TanimotoSimilarity(count_fingerprint(first), count_fingerprint(second))
    )


@dataclass
class StructureQuery:
    """A structure that is asked for."""

    molecule: Molecule
    vector: Float32 | None = None
    """Unit vector `(D,)`, once `encode` was called."""
    _fingerprint: Any = field(default=None, repr=False)

    def encode(self, model: Any) -> None:
        """Embed the structure.

        Raises
        ------
        InputError
            When the model cannot embed it.
        """
        embedded = model.encode_molecules([self.molecule])
        vector = np.asarray(embedded.vectors[0], dtype=np.float32)
        if not np.isfinite(vector).all():
            reason = f": {embedded.failures[0].reason}" if embedded.failures else ""
            raise InputError(
                f"The structure {self.molecule.input!r} cannot be embedded{reason}.",
                "Ask with another structure.",
            )
        self.vector = vector

    def similarity(self, smiles: str) -> float | None:
        """Count Tanimoto with a molecule of the library; None where it does not parse."""
        from rdkit import Chem, DataStructs

        from molclip.chem.rdkit_log import capture

        if self._fingerprint is None:
            self._fingerprint = count_fingerprint(self.molecule.mol)
        with capture():
            mol = Chem.MolFromSmiles(smiles)
        if mol is None:
            return None
        return float(DataStructs.TanimotoSimilarity(self._fingerprint, count_fingerprint(mol)))


def read_structure(structure: str | Molecule, manifest: Manifest) -> StructureQuery:
    """Parse a structure and standardise it as the library's own rows were.

    Raises
    ------
    InputError
        With the parser's reason, when it is none, and for what is neither text nor `Molecule`.
    """
    from molclip.chem.molecule import Molecule, ParseFailure
    from molclip.chem.parse import parse_molecule

    if isinstance(structure, str):
        if not structure.strip():
            raise InputError("The structure is empty.", "Give a SMILES, an InChI or a mol block.")
        parsed = parse_molecule(structure)
        if isinstance(parsed, ParseFailure):
            raise InputError(
                f"The structure {parsed.input!r} cannot be read: {parsed.reason}", parsed.hint
            )
        structure = parsed
    if not isinstance(structure, Molecule):
        raise InputError(
            f"The structure is a {type(structure).__name__}.",
            "Give a SMILES, an InChI, a mol block or a molclip Molecule.",
        )
    if manifest.standardisation != "none":
        from molclip.chem.standardize import standardize

        structure = standardize(structure, manifest.standardisation)
    return StructureQuery(structure)
