"""What questions are put to: the curated molecules of the embedded library, as one matrix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import Ontology
from molclip.evaluation.zero_shot.library_terms import Rows

if TYPE_CHECKING:
    from molclip.evaluation.encoders import LoadedEncoder
    from molclip.search.library import Library

Float32 = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

_TEXTS_AT_ONCE = 128


@dataclass(frozen=True)
class Pool:
    """N molecules, the terms that ChEBI gives them, and their vectors."""

    rows: Rows
    ontology: Ontology
    vectors: Float32
    """(N, D), unit rows; zero where a molecule cannot be embedded."""
    library: Library | None = None
    """The embedded library, where its vectors are the model's."""
    _row_of: dict[str, int] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, encoder: LoadedEncoder) -> Pool:
        """Take the embedded library's vectors where they are the model's, else make them."""
        from molclip.search.embedded import Shipped
        from molclip.search.library import Library

        ontology = Ontology.load()
        rows = Rows.of(load_facts(), ontology)
        model: Any = encoder.model
        if Shipped.find().metadata["model_hash"] == model.model_hash:
            library = Library.open(None, model)
            vectors, ids = library.curated_vectors()
            if ids == list(rows.ids):
                return cls(rows, ontology, vectors, library)
        encode: Any = encoder.encode_pool or model.encode_molecules
        return cls(rows, ontology, np.nan_to_num(np.asarray(encode(rows.smiles).vectors)))

    def row_of(self, smiles: str) -> int | None:
        """The row of a canonical SMILES; None where it is none of the pool's."""
        if not self._row_of:
            self._row_of.update({text: row for row, text in enumerate(self.rows.smiles)})
        return self._row_of.get(smiles)

    def top(self, texts: Float32, count: int) -> tuple[IntArray, Float32]:
        """Rows and cosines of the best molecules for text vectors `(T, D)`, each `(T, count)`."""
        rows = np.empty((len(texts), count), dtype=np.int64)
        scores = np.empty((len(texts), count), dtype=np.float32)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = slice(start, start + _TEXTS_AT_ONCE)
            every = texts[part] @ self.vectors.T
            first = np.argpartition(-every, count - 1, axis=1)[:, :count]
            values = np.take_along_axis(every, first, axis=1)
            order = np.lexsort((first, -values), axis=1)
            rows[part] = np.take_along_axis(first, order, axis=1)
            scores[part] = np.take_along_axis(values, order, axis=1)
        return rows, scores

    def ranks(self, texts: Float32, answers: Sequence[int]) -> IntArray:
        """Pessimistic rank of the right row of each text, from 1, `(T,)`."""
        ranks = np.empty(len(texts), dtype=np.int64)
        for start in range(0, len(texts), _TEXTS_AT_ONCE):
            part = slice(start, start + _TEXTS_AT_ONCE)
            every = texts[part] @ self.vectors.T
            own = np.take_along_axis(every, np.asarray(answers[part])[:, None], axis=1)
            # Products of float32 differ by so much between batches.
            ranks[part] = (every >= own - 1e-6).sum(axis=1)
        return ranks

    def background(self, size: int) -> Float32:
        """Molecules that percentiles of labels are taken among, as `molclip classify` draws them."""
        if self.library is not None:
            return self.library.vectors(sample=size)
        drawn = np.random.default_rng(0).choice(
            len(self.vectors), min(size, len(self.vectors)), replace=False
        )
        return self.vectors[np.sort(drawn)]
