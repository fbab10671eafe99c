"""A molecule of much the same structure that matches the words clearly less.

What an explanation claims can be doubted; a neighbour that lacks the match is a fact about the
model. Close is measured on the structures (count Tanimoto of Morgan environments), not by the model
itself, and *clearly less* is measured by how much the scores of these words vary over the library.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from rdkit import Chem

from molclip.chem.difference import Difference, difference
from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import parse_molecule
from molclip.chem.rdkit_log import capture
from molclip.search.rows import PATTERN
from molclip.search.structure import StructureQuery, count_tanimoto
from molclip.search.substructure import pattern_bits

if TYPE_CHECKING:
    from rdkit.Chem import Mol

    from molclip.chem.molecule import Molecule
    from molclip.search.library import Library

CLEARLY = 1.0
"""Standard deviations of the words' scores over the library that the match must be lower."""
LEAST_SIMILARITY = 0.3
"""Count Tanimoto under which two molecules are no neighbours."""
BACKGROUND = 10_000
_CANDIDATES = 1_000

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class CounterExample:
    """A neighbour without the match."""

    molecule: Molecule
    record: dict[str, Any]
    """Its row of the library."""
    similarity: float
    """Count Tanimoto with the molecule that was asked about."""
    score: float
    """Cosine with the words."""
    own_score: float
    """The same of the molecule that was asked about."""
    deviation: float
    """Standard deviation of the words' scores over the library."""
    difference: Difference
    """Of the molecule that was asked about (first) and this one (second)."""


def counter_example(
    library: Library,
    molecule: Molecule,
    text: str,
    *,
    background: Float32 | None = None,
    clearly: float = CLEARLY,
    least: float = LEAST_SIMILARITY,
) -> CounterExample | None:
    """Find the closest molecule of a library whose match with the words is clearly lower.

    The thousand rows most like the molecule by pattern fingerprint and the thousand nearest by
    the model are compared, curated ones where the library knows them. Other states of protonation
    of the same molecule do not count, and a row of another net charge only where none has the
    same: that the model heeds charges is no news.

    Parameters
    ----------
    library
        Where neighbours come from.
    molecule
        The molecule that the words are asked about.
    text
        The words.
    background
        Unit vectors ``(N, D)`` that the variation of scores is measured on; a sample of the
        library where left out.
    clearly
        By how many standard deviations of those scores the match must be lower.
    least
        Lowest count Tanimoto that counts as close.

    Returns
    -------
    None where no row is both close enough and clearly lower.

    Raises
    ------
    InputError
        When the model cannot embed the molecule.
    """
    index, model = library._index, library.model
    asked = StructureQuery(molecule)
    asked.encode(model)
    assert asked.vector is not None
    words = np.asarray(model.encode_text([text])[0], dtype=np.float32)
    if background is None:
        background = library.vectors(BACKGROUND)
    own, deviation = float(asked.vector @ words), float((background @ words).std())
    pool = np.flatnonzero(index.alive if index.curated is None else index.curated)
    rows = np.union1d(
        _alike(index, molecule, pool),
        index.vectors.ranking(asked.vector, index.curated).top(_CANDIDATES)[0],
    )
    scores = index.vectors.exact(words, rows)
    lower = scores <= own - clearly * deviation
    close = []
    with capture():
        key, charge = _bare_key(molecule.inchikey), _charge(molecule.mol)
        for row, score in zip(rows[lower].tolist(), scores[lower].tolist(), strict=True):
            mol = Chem.MolFromSmiles(str(index.rows.value(row, "smiles")))
            if mol is None or _bare_key(index.rows.value(row, "inchikey")) == key:
                continue
            similarity = count_tanimoto(molecule.mol, mol)
            if similarity >= least:
                # Of equally close rows the first, whatever its score.
                close.append((_charge(mol) == charge, similarity, -row, score))
    if not close:
        return None
    _, similarity, minus_row, score = max(close)
    row = -minus_row
    record = index.record(row)
    found = parse_molecule(str(record["smiles"]), name=record.get("name"))
    if isinstance(found, ParseFailure):
        return None
    return CounterExample(
        found,
        record,
        similarity,
        float(score),
        own,
        deviation,
        difference(molecule.mol, found.mol),
    )


def _bare_key(key: str | None) -> str | None:
    """An InChIKey without its mark of protonation."""
    return key.rpartition("-")[0] if key else None


def _charge(mol: Mol) -> int:
    return int(Chem.GetFormalCharge(mol))


def _alike(index: Any, molecule: Molecule, pool: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Rows whose pattern fingerprints are most like the molecule's; none without fingerprints."""
    import rdkit

    none = np.zeros(0, dtype=np.int64)
    # Bits change meaning between RDKit releases.
    if index.manifest.rdkit_version != rdkit.__version__:
        return none
    packed = index.rows.packed(PATTERN, pool)
    if packed is None:
        return none
    with capture():
        own = np.frombuffer(pattern_bits(molecule.mol), dtype=np.uint8)
    shared = _ones(packed & own)
    union = _ones(packed | own)
    similarity = shared / np.maximum(union, 1)
    order = np.lexsort((pool, -similarity))[:_CANDIDATES]
    return np.sort(pool[order])


_BITS = np.array([bin(byte).count("1") for byte in range(256)], dtype=np.uint16)


def _ones(packed: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
    """Number of set bits of each row."""
    return np.asarray(_BITS[packed].sum(axis=1), dtype=np.int64)
