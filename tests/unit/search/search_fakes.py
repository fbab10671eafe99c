"""A model with random weights and the interface of `MolCLIP`, importable by other processes."""

import hashlib
import time
from dataclasses import dataclass

import numpy as np

from molclip.chem.features import WIDTH, featurize
from molclip.chem.parallel import as_molecule


@dataclass
class Embedded:
    vectors: np.ndarray
    failures: list


@dataclass
class Pieces:
    ids: list
    dropped: int
    unknown: int


class FakeModel:
    """Texts and molecules at random but fixed places on the sphere."""

    folder = None
    kind = "fingerprint"

    def __init__(self, seed=0, dimension=24, folder=None):
        self.dimension = dimension
        self.folder = folder
        self.model_hash = hashlib.sha256(f"{seed} {dimension}".encode()).hexdigest()[:16]
        self.encoded_rows = 0
        self.pause = 0.0
        self._weights = np.random.default_rng(seed).standard_normal((WIDTH, dimension))

    def tokenize(self, texts):
        words = [text.split() for text in texts]
        return [
            Pieces([0, *w[:8], 0], max(0, len(w) - 8), sum(not x.isascii() for x in w))
            for w in words
        ]

    def encode_text(self, texts):
        rows = [
            sum(
                np.random.default_rng(list(word.encode())).standard_normal(self.dimension)
                for word in text.lower().split()
            )
            for text in texts
        ]
        return _unit(np.stack(rows))

    def encode_features(self, rows):
        time.sleep(self.pause)
        self.encoded_rows += len(rows)
        return _unit(np.log1p(rows.astype(np.float64)) @ self._weights)

    def encode_molecules(self, molecules):
        mols = [as_molecule(molecule).mol for molecule in molecules]
        return Embedded(self.encode_features(np.stack([featurize(mol) for mol in mols])), [])


def _unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
