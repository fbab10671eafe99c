"""Two dimensions to look at: PCA, t-SNE, and a handful of classes to colour them by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError

Vectors = npt.NDArray[np.floating[Any]]

OTHER = "other"
_MOST_COMMON = 0.25
"""A class of more than this share of the molecules says too little to colour by."""
_LEAST_GAIN = 0.02
_PERPLEXITY = 30.0
_COMPONENTS = 50


def pca(vectors: Vectors, components: int = 2) -> tuple[Vectors, Vectors]:
    """Project centred rows on their principal axes.

    Parameters
    ----------
    vectors
        Float ``(N, D)``.
    components
        At most so many.

    Returns
    -------
    float ``(N, components)``, and the share of the variance of each component.
    """
    centred = np.asarray(vectors, dtype=np.float64) - np.mean(vectors, axis=0, dtype=np.float64)
    left, values, _ = np.linalg.svd(centred, full_matrices=False)
    total = np.sum(values**2)
    shares = values**2 / total if total > 0 else np.zeros_like(values)
    return left[:, :components] * values[:components], shares[:components]


def tsne(vectors: Vectors, seed: int = 0) -> Vectors:
    """Lay unit vectors out so that near neighbours stay near; distances further off mean nothing.

    scikit-learn's t-SNE (van der Maaten and Hinton, JMLR 9, 2008) on the first 50 principal
    components, started from the first two, with its usual perplexity of 30.

    Parameters
    ----------
    vectors
        Float ``(N, D)``, N at least 5.
    seed
        Of the optimisation.

    Returns
    -------
    float ``(N, 2)``

    Raises
    ------
    InputError
        When scikit-learn is not installed.
    """
    try:
        from sklearn.manifold import TSNE
    except ImportError as error:
        raise InputError(
            "The map needs scikit-learn.", "Install it: pip install scikit-learn."
        ) from error
    reduced, _ = pca(vectors, _COMPONENTS)
    # It must have fewer neighbours than there are others.
    perplexity = min(_PERPLEXITY, (len(vectors) - 1) / 3)
    made = TSNE(2, perplexity=perplexity, init="pca", random_state=seed, n_jobs=1)
    return np.asarray(made.fit_transform(reduced.astype(np.float32)))


def class_groups(
    classes: Sequence[frozenset[str]],
    name: Callable[[str], str],
    most: int = 8,
    ignore: frozenset[str] = frozenset(),
) -> list[str]:
    """Put every molecule into one of a few groups by its classes.

    Greedy: time and again the class that most molecules without a group have becomes a group,
    classes of more than a quarter of all molecules excepted.

    Parameters
    ----------
    classes
        Ids of each molecule's classes, closed upwards.
    name
        Name of a class id.
    most
        Groups, `OTHER` not counted.
    ignore
        Ids that say nothing.

    Returns
    -------
    Name of the group of each molecule, `OTHER` for those that are left.
    """
    total = Counter(id_ for ids in classes for id_ in ids - ignore)
    usable = {id_ for id_, count in total.items() if count <= _MOST_COMMON * len(classes)}
    group: list[str | None] = [None] * len(classes)
    for _ in range(most):
        gain = Counter(
            id_ for ids, own in zip(classes, group, strict=True) if own is None for id_ in ids
        )
        candidates = [(count, id_) for id_, count in gain.items() if id_ in usable]
        if not candidates:
            break
        # Of classes with the same molecules the narrowest; ids only make the choice definite.
        count, id_ = max(candidates, key=lambda pair: (pair[0], -total[pair[1]], pair[1]))
        if count < _LEAST_GAIN * len(classes):
            break
        for row, ids in enumerate(classes):
            if group[row] is None and id_ in ids:
                group[row] = id_
    return [OTHER if id_ is None else name(id_) for id_ in group]
