"""Canonical correlation analysis of TF-IDF and fingerprint counts: the best linear dual encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError
from molclip.evaluation.ranks import FloatArray

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Progress

NAME = "linear CCA"
STEPS = (
    "words",
    "words compressed",
    "words whitened",
    "counts compressed",
    "counts whitened",
    "directions",
)
"""Of a fit, which takes minutes; a bar that counts them shows that it goes on."""


class LinearCca:
    r"""Linear maps of texts and molecules into one space in which partners correlate most.

    Both views are compressed (TF-IDF and log counts, truncated SVD), centred and whitened; the
    singular vectors of their cross-covariance are then the canonical directions, and its singular
    values :math:`\rho` the canonical correlations [1]_. Each direction is weighted by
    :math:`\sqrt\rho`, the posterior mean of the latent variable in the probabilistic reading [2]_,
    so that directions without correlation carry no weight.

    Parameters
    ----------
    compressed
        Dimensions kept of each view, which is also what regularises; fewer where there are not as
        many.
    dimension
        Canonical directions.
    seed
        Of the randomised SVD.

    References
    ----------
    .. [1] Hotelling, Relations between two sets of variates, Biometrika 1936.
    .. [2] Bach and Jordan, A probabilistic interpretation of canonical correlation analysis, 2005.
    """

    def __init__(self, compressed: int = 400, dimension: int = 256, seed: int = 0) -> None:
        self.compressed = compressed
        self.dimension = dimension
        self.seed = seed
        self.correlations: npt.NDArray[np.float64] = np.empty(0)

    def fit(self, texts: Sequence[str], counts: Any, progress: Progress | None = None) -> LinearCca:
        """Fit both maps.

        Parameters
        ----------
        texts
            N descriptions.
        counts
            Sparse (N, F) fingerprint counts of the molecules they describe.
        progress
            Told after each of `STEPS` how many are done.

        Raises
        ------
        InputError
            When there are fewer than three pairs.
        """
        from sklearn.decomposition import PCA, TruncatedSVD
        from sklearn.feature_extraction.text import TfidfVectorizer
        from sklearn.pipeline import make_pipeline

        done = 0

        def step() -> None:
            nonlocal done
            if progress:
                progress("CCA", done, len(STEPS))
            done += 1

        if len(texts) < 3:
            raise InputError(
                f"{len(texts)} descriptions are too few for a CCA.", "Give at least three."
            )

        def compress(columns: int) -> Any:
            return TruncatedSVD(min(self.compressed, columns - 1), random_state=self.seed)

        def whiten(columns: int) -> Any:
            kept = min(self.compressed, columns, len(texts) - 1)
            return PCA(kept, whiten=True, svd_solver="full")

        def view(table: Any) -> tuple[Any, Any]:
            """Both maps of one view as one, and what they make of it."""
            compressed, whitened = compress(table.shape[1]), whiten(table.shape[1] - 1)
            short = compressed.fit_transform(table)
            step()
            white = whitened.fit_transform(short)
            step()
            return make_pipeline(compressed, whitened), white

        step()
        vectorizer = TfidfVectorizer(sublinear_tf=True, ngram_range=(1, 2), min_df=2)
        words = vectorizer.fit_transform(texts)
        step()
        left, first = view(words)
        right, second = view(np.log1p(counts))
        turn_left, self.correlations, turn_right = np.linalg.svd(
            first.T @ second / (len(texts) - 1), full_matrices=False
        )
        kept = min(self.dimension, len(self.correlations))
        weights = np.sqrt(self.correlations[:kept])
        self._vectorizer, self._left, self._right = vectorizer, left, right
        self._turn_left = turn_left[:, :kept] * weights
        self._turn_right = turn_right[:kept].T * weights
        step()
        return self

    def encode_text(self, texts: Sequence[str]) -> FloatArray:
        """Unit vectors of texts, float32 (N, dimension)."""
        return _unit(self._left.transform(self._vectorizer.transform(texts)) @ self._turn_left)

    def encode_counts(self, counts: Any) -> FloatArray:
        """Unit vectors of sparse fingerprint counts (N, F), float32 (N, dimension)."""
        return _unit(self._right.transform(np.log1p(counts)) @ self._turn_right)


def _unit(vectors: npt.NDArray[np.floating[Any]]) -> FloatArray:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.maximum(lengths, 1e-12), dtype=np.float32)
