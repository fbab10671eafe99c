"""TF-IDF: a text borrows the structure of the training molecule whose description is nearest."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from molclip.baselines.descriptions import Descriptions
from molclip.chem.molecule import ParseFailure
from molclip.evaluation.ranks import FloatArray, IntArray, Ranks, rank_scores
from molclip.evaluation.settings import Directions

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Progress

NAME = "TF-IDF, Tanimoto"
_BITS = 2048
_RADIUS = 2
_CHUNK = 256
# Tanimoto coefficients of 2,048 bits are ratios of small integers: what differs by less is one.
_TOLERANCE = 1e-7


class NearestText:
    """Text to the nearest training description by TF-IDF cosine, then Tanimoto to its molecule.

    The score of a molecule is the Tanimoto coefficient of its Morgan bits (radius 2, 2,048 bits,
    with chirality) to those of the training molecule that the text was sent to. Molecule to text
    goes the other way: the nearest training molecule, then the TF-IDF cosine of its description.
    See `settings.Ranker`.

    Parameters
    ----------
    descriptions
        Of training molecules.
    pool_smiles
        Of the data's whole pool.
    texts
        Q to rank.
    directions
        Of the task.
    workers
        Processes for the fingerprints.
    progress
        Told how many words, fingerprints, texts and molecules are done.
    """

    def __init__(
        self,
        descriptions: Descriptions,
        pool_smiles: Sequence[str],
        texts: Sequence[str],
        directions: Directions,
        workers: int | None = None,
        progress: Progress | None = None,
    ) -> None:
        from sklearn.feature_extraction.text import TfidfVectorizer

        self.directions = directions
        self.progress = progress or _silent
        self.rows = np.array(descriptions.rows, dtype=np.int64)
        vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2))
        every = len(descriptions.texts) + len(texts)
        self.progress("TF-IDF, words", 0, every)
        self.known: Any = vectorizer.fit_transform(descriptions.texts)
        self.progress("TF-IDF, words", len(descriptions.texts), every)
        self.texts: Any = vectorizer.transform(texts)
        self.progress("TF-IDF, words", every, every)
        self.bits = list(_fingerprints(pool_smiles, workers, self.progress))

    @cached_property
    def nearest_training_row(self) -> IntArray:
        """Pool row of the training molecule whose description is nearest to each text, (Q,)."""
        found = [
            (self.texts[start : start + _CHUNK] @ self.known.T).toarray().argmax(axis=1)
            for start in self._parts("TF-IDF, nearest descriptions", self.texts.shape[0])
        ]
        return np.asarray(self.rows[np.concatenate(found)])

    def text_to_molecule(self, columns: IntArray) -> Ranks:
        """Ranks of all Q texts among the molecules at these places."""
        borrowed = self.nearest_training_row
        candidates = [self.bits[row] for row in self.directions.rows[columns].tolist()]
        place = np.full(len(self.directions.rows), -1)
        place[columns] = np.arange(len(columns))
        targets = place[self.directions.targets]
        parts = []
        stage = f"TF-IDF, texts in {len(columns):,} molecules"
        for start in self._parts(stage, len(borrowed)):
            part = slice(start, start + _CHUNK)
            scores = np.stack([_tanimoto(self.bits[row], candidates) for row in borrowed[part]])
            parts.append(rank_scores(scores, targets[part], _TOLERANCE))
        return Ranks.joined(parts)

    def molecule_to_text(self) -> Ranks:
        """Ranks of the described molecules among all Q texts."""
        described, targets = self.directions.described, self.directions.targets
        trained, first = np.unique(self.rows, return_index=True)
        candidates = [self.bits[row] for row in trained.tolist()]
        parts = []
        for start in self._parts("TF-IDF, molecules in texts", len(described)):
            places = described[start : start + _CHUNK]
            nearest = np.zeros(len(places), dtype=np.int64)
            valid = np.ones(len(places), dtype=bool)
            for index, row in enumerate(self.directions.rows[places].tolist()):
                valid[index] = self.bits[row] is not None
                scores = _tanimoto(self.bits[row], candidates)
                nearest[index] = first[int(np.nan_to_num(scores, nan=-1.0).argmax())]
            scores = (self.known[nearest] @ self.texts.T).toarray()
            scores[~valid] = np.nan
            right = places[:, None] == targets[None, :]
            parts.append(rank_scores(scores, right, _TOLERANCE))
        return Ranks.joined(parts)

    def _parts(self, stage: str, total: int) -> Iterator[int]:
        """Where each part starts, with word of how much is done before it and at the end."""
        for start in range(0, total, _CHUNK):
            self.progress(stage, start, total)
            yield start
        self.progress(stage, total, total)


def _tanimoto(one: Any, many: Sequence[Any]) -> FloatArray:
    """Coefficients, float32 (N,); NaN where a molecule has no fingerprint."""
    from rdkit import DataStructs

    if one is None:
        return np.full(len(many), np.nan, dtype=np.float32)
    there = [other for other in many if other is not None]
    found = np.array(DataStructs.BulkTanimotoSimilarity(one, there), dtype=np.float32)
    if len(there) == len(many):
        return found
    scores = np.full(len(many), np.nan, dtype=np.float32)
    scores[[other is not None for other in many]] = found
    return scores


def _fingerprints(smiles: Sequence[str], workers: int | None, progress: Progress) -> Iterator[Any]:
    """An RDKit bit vector for each SMILES, or None."""
    from molclip.chem.parallel import guarded_stream

    # In tuples, because bare text would pass through the whole parser.
    for done, made in enumerate(guarded_stream(_bits, [(s,) for s in smiles], workers=workers)):
        progress("Morgan bits", done, len(smiles))
        yield None if isinstance(made, ParseFailure) else made
    progress("Morgan bits", len(smiles), len(smiles))


def _silent(*_: object) -> None:
    """Say nothing."""


def _bits(item: tuple[str]) -> Any:
    """A fingerprint; None where there is no molecule."""
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator

    mol = Chem.MolFromSmiles(item[0])
    if mol is None or not mol.GetNumAtoms():
        return None
    generator = rdFingerprintGenerator.GetMorganGenerator(
        radius=_RADIUS, fpSize=_BITS, includeChirality=True
    )
    return generator.GetFingerprint(mol)
