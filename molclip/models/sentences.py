"""The vector of a text of several sentences: of the whole, and of its sentences."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from molclip.text.sentences import split_sentences

FloatArray = npt.NDArray[np.float32]


def mix_sentences(
    vectors: FloatArray,
    texts: Sequence[str],
    weight: float,
    first_weight: float,
    encode: Callable[[list[str]], FloatArray],
) -> None:
    """Mix the vectors of texts of several sentences with those of their sentences, in place.

    Such a text gets t + weight · mean(s_i) + first_weight · s_1, scaled to unit length.

    Parameters
    ----------
    vectors
        Float32 ``(N, D)``, unit vectors t of the texts as wholes. Texts of one sentence keep theirs.
    texts
        N texts.
    weight, first_weight
        Of the mean of the sentences, and of the first one.
    encode
        Unit vectors s_i of sentences, row-aligned.
    """
    parts: list[str] = []
    owners: list[int] = []
    for row, text in enumerate(texts):
        sentences = split_sentences(text)
        if len(sentences) > 1:
            parts += sentences
            owners += [row] * len(sentences)
    if not parts:
        return
    rows, counts = np.unique(owners, return_counts=True)
    starts = np.concatenate(([0], np.cumsum(counts)[:-1]))
    said = encode(parts)
    means = np.add.reduceat(said, starts) / counts[:, None]
    mixed = vectors[rows] + weight * means + first_weight * said[starts]
    vectors[rows] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
