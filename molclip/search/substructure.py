"""Substructure filter over ranked rows: a bit screen first, then the atoms, best rows first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError

if TYPE_CHECKING:
    from rdkit.Chem import Mol

PATTERN_BITS = 512


def parse_smarts(smarts: str) -> Mol:
    """Read a SMARTS query.

    Raises
    ------
    InputError
        With what RDKit says, when it is none.
    """
    from rdkit import Chem

    from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

    with capture() as messages:
        try:
            query = Chem.MolFromSmarts(smarts)
        except RDKIT_ERRORS:
            query = None
    if query is None or not query.GetNumAtoms():
        said = [line.strip() for line in messages if line.strip()]
        reason = f" ({said[0].splitlines()[0]})" if said else ""
        raise InputError(
            f"The SMARTS {smarts!r} cannot be read{reason}.",
            "SMARTS is SMILES with patterns, for instance c1ccccc1C(=O)[OH].",
        )
    with capture():
        query.UpdatePropertyCache(False)
    return query


def pattern_bits(mol: Mol) -> bytes:
    """RDKit's pattern fingerprint, 512 bits packed: a molecule has every bit of its parts."""
    from rdkit import Chem

    bits = np.zeros(PATTERN_BITS, dtype=np.uint8)
    bits[list(Chem.PatternFingerprint(mol, fpSize=PATTERN_BITS).GetOnBits())] = 1
    return np.packbits(bits).tobytes()


def screen(query: Mol, packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
    """Rows that can hold the query: those with all of its bits, shape `(N,)`.

    Parameters
    ----------
    query
        Parsed SMARTS.
    packed
        Fingerprints of the rows, `(N, 64)` uint8, of the same RDKit release.
    """
    wanted = np.frombuffer(pattern_bits(query), dtype=np.uint8)
    used = np.flatnonzero(wanted)
    return np.asarray(((packed[:, used] & wanted[used]) == wanted[used]).all(axis=1))


def quick_mol(smiles: str) -> Mol | None:
    """Molecule from a canonical SMILES of a library, with just what a match needs.

    Aromaticity is in the SMILES already, so the costly part of sanitising is left out.
    """
    from rdkit import Chem

    from molclip.chem.rdkit_log import RDKIT_ERRORS, capture

    with capture():
        try:
            mol = Chem.MolFromSmiles(smiles, sanitize=False)
            if mol is None:
                return None
            mol.UpdatePropertyCache(False)
            Chem.GetSymmSSSR(mol)
            Chem.SetHybridization(mol)
        except RDKIT_ERRORS:
            return None
    return mol


class SubstructureTest:
    """Whether a row holds the query; answers are kept, since paging asks again.

    Parameters
    ----------
    smarts
        The query.

    Raises
    ------
    InputError
        When it cannot be read.
    """

    def __init__(self, smarts: str) -> None:
        self.query: Any = parse_smarts(smarts)
        self._known: dict[int, bool] = {}

    def holds(self, row: int, smiles: str) -> bool:
        """Whether the row's molecule has the substructure (stereo marks in the query ignored)."""
        if row not in self._known:
            mol = quick_mol(smiles)
            self._known[row] = mol is not None and mol.HasSubstructMatch(self.query)
        return self._known[row]
