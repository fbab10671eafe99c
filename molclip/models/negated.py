"""The vector of a question that excludes something: away from what is not wanted."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from molclip.text.negation import split_negation

FloatArray = npt.NDArray[np.float32]


def mix_negated(
    vectors: FloatArray,
    texts: Sequence[str],
    weight: float,
    encode: Callable[[list[str]], FloatArray],
) -> None:
    """Replace the vectors of questions with a negation, in place.

    A contrastive text encoder hardly reads "not": a text that names a steroid lies near steroids
    whatever it says of them. Such a question gets w − weight · u, scaled to unit length, so that a
    molecule's score is that of what is wanted, lowered by what is not.

    Parameters
    ----------
    vectors
        Float32 ``(N, D)``, unit vectors of the texts as wholes. Texts without a negation
        (`text.negation.split_negation`) keep theirs.
    texts
        N texts.
    weight
        Of what is not wanted.
    encode
        Unit vectors w and u of the halves, row-aligned.
    """
    halves = {row: found for row, text in enumerate(texts) if (found := split_negation(text))}
    if not halves:
        return
    rows = list(halves)
    wanted = encode([half.wanted for half in halves.values()])
    mixed = wanted - weight * encode([half.unwanted for half in halves.values()])
    vectors[rows] = mixed / np.linalg.norm(mixed, axis=1, keepdims=True)
