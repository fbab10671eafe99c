"""How two clouds of unit vectors lie: alignment, spread, rank, gap and hubs."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

Vectors = npt.NDArray[np.floating[Any]]

SAMPLE = 2048
"""Rows that figures over all pairs are taken from, by default."""
COLLAPSED_BELOW = 0.1
"""A dimension counts as collapsed when its standard deviation is under this share of 1/√D, which
is the deviation of each coordinate of a uniform unit vector."""
_UNIT_WITHIN = 1e-2
_QUERIES_AT_ONCE = 1024


@dataclass(frozen=True)
class Representation:
    """The figures of one set of pairs, see the functions of this module."""

    pairs: int
    dimension: int
    alignment: float
    uniformity_text: float
    uniformity_molecule: float
    effective_rank_text: float
    effective_rank_molecule: float
    collapsed_text: float
    collapsed_molecule: float
    modality_gap: float

    def to_dict(self) -> dict[str, float]:
        """Return the figures by name."""
        return asdict(self)


@dataclass(frozen=True)
class Hubness:
    """How unevenly points come up as neighbours."""

    k: int
    skewness: float
    """Of the k-occurrence; 0 for a symmetric distribution, large where hubs take most places."""
    largest: int
    """Queries that have the most frequent point among their first k."""
    never: float
    """Share of points that are nobody's neighbour."""


def describe(
    text: Vectors, molecule: Vectors, *, sample: int = SAMPLE, seed: int = 0
) -> Representation:
    """Return every figure that needs no scale.

    Parameters
    ----------
    text, molecule
        Unit vectors, float ``(N, D)``; row i of both is one pair.
    sample, seed
        For `uniformity`.

    Returns
    -------
    Representation
    """
    return Representation(
        pairs=len(text),
        dimension=text.shape[1],
        alignment=alignment(text, molecule),
        uniformity_text=uniformity(text, sample=sample, seed=seed),
        uniformity_molecule=uniformity(molecule, sample=sample, seed=seed),
        effective_rank_text=effective_rank(text),
        effective_rank_molecule=effective_rank(molecule),
        collapsed_text=collapsed_share(text),
        collapsed_molecule=collapsed_share(molecule),
        modality_gap=modality_gap(text, molecule),
    )


def alignment(first: Vectors, second: Vectors, alpha: float = 2.0) -> float:
    r"""Mean distance between partners: small where pairs lie together.

    .. math:: \frac1N \sum_i \lVert x_i - y_i \rVert^\alpha

    0 for equal partners, 2 for orthogonal ones, 4 for opposite ones (alpha 2).

    Parameters
    ----------
    first, second
        Unit vectors, float ``(N, D)``; row i of both is one pair.
    alpha
        Exponent.

    References
    ----------
    Wang and Isola, Understanding Contrastive Representation Learning through Alignment and
    Uniformity on the Hypersphere, ICML 2020, section 4.1.
    """
    x, y = _pair(first, second)
    return float(np.mean(np.linalg.norm(x - y, axis=1) ** alpha))


def uniformity(vectors: Vectors, t: float = 2.0, *, sample: int = SAMPLE, seed: int = 0) -> float:
    r"""Log of the mean Gaussian potential between rows: the lower, the more evenly they spread.

    .. math:: \log \frac{2}{N(N-1)} \sum_{i<j} e^{-t \lVert x_i - x_j \rVert^2}

    0 where all rows are equal. A uniform sphere of D dimensions has
    :math:`-2t + \log {}_0F_1(; D/2; t^2)`, which falls to −4 for large D and t = 2. Duplicated
    rows raise it.

    Parameters
    ----------
    vectors
        Unit vectors of one modality, float ``(N, D)``, N at least 2.
    t
        Width of the potential.
    sample
        At most so many rows are used, drawn without replacement.
    seed
        Of the draw: the same rows each time for the same N.

    References
    ----------
    Wang and Isola 2020 (see `alignment`), section 4.1.
    """
    x = _checked(vectors)
    if len(x) < 2:
        raise ValueError("uniformity needs at least two rows")
    if len(x) > sample:
        x = x[np.sort(np.random.default_rng(seed).choice(len(x), sample, replace=False))]
    # |x - y|² of unit vectors; rounding must not make it negative.
    squared = np.maximum(2 - 2 * (x @ x.T), 0)
    above = squared[np.triu_indices(len(x), k=1)]
    return float(np.log(np.mean(np.exp(-t * above))))


def effective_rank(vectors: Vectors) -> float:
    r"""Exponential of the entropy of the normalised singular values (RankMe).

    .. math:: \exp\Big(-\sum_k p_k \log p_k\Big), \quad p_k = \sigma_k / \lVert \sigma \rVert_1

    Between 1 (all rows on one line) and min(N, D). The rows are not centred, as in the paper.
    Figures of fewer rows than about four times D are not comparable with those of more.

    Parameters
    ----------
    vectors
        Float ``(N, D)``; need not be unit vectors.

    References
    ----------
    Garrido, Balestriero, Najman and LeCun, RankMe: Assessing the Downstream Performance of
    Pretrained Self-Supervised Representations by Their Rank, ICML 2023, equation 1.
    Roy and Vetterli, The Effective Rank, EUSIPCO 2007.
    """
    values = np.linalg.svd(_finite(vectors), compute_uv=False)
    total = values.sum()
    if total == 0:
        return 0.0
    shares = values[values > 0] / total
    return float(np.exp(-np.sum(shares * np.log(shares))))


def collapsed_share(vectors: Vectors, below: float = COLLAPSED_BELOW) -> float:
    """Share of dimensions that hardly vary: standard deviation under `below` / √D.

    It depends on the axes, unlike `effective_rank`: a collapse onto a slanted plane shows there
    and not here, a few dead output units show here first.

    Parameters
    ----------
    vectors
        Unit vectors, float ``(N, D)``.
    below
        Share of 1/√D, the deviation of a coordinate of uniform unit vectors.
    """
    x = _checked(vectors)
    return float(np.mean(x.std(axis=0) < below / np.sqrt(x.shape[1])))


def modality_gap(first: Vectors, second: Vectors) -> float:
    """Distance between the mean vectors of the two modalities; 0 to 2.

    Parameters
    ----------
    first, second
        Unit vectors, float ``(N, D)`` and ``(M, D)``.

    References
    ----------
    Liang, Zhang, Kwon, Yeung and Zou, Mind the Gap: Understanding the Modality Gap in Multi-modal
    Contrastive Representation Learning, NeurIPS 2022, section 2.
    """
    x, y = _checked(first), _checked(second)
    return float(np.linalg.norm(x.mean(axis=0) - y.mean(axis=0)))


def hubness(
    queries: Vectors, points: Vectors, k: int = 10, *, without_self: bool = False
) -> Hubness:
    r"""Skewness of the k-occurrence of `points`: how many queries have each among their first k.

    .. math:: S = \mathrm{E}(N_k - \mu)^3 / \sigma^3

    Parameters
    ----------
    queries, points
        Unit vectors, float ``(Q, D)`` and ``(P, D)``, of two modalities or of one.
    k
        Neighbours of a query, at most as many as there are points it may have.
    without_self
        Point i is no neighbour of query i: for the neighbours of points among themselves.

    References
    ----------
    Radovanović, Nanopoulos and Ivanović, Hubs in Space: Popular Nearest Neighbors in
    High-Dimensional Data, JMLR 11, 2010, section 3.
    """
    q, p = _checked(queries), _checked(points)
    if not 1 <= k <= len(p) - without_self:
        raise ValueError(f"k is {k}, there are {len(p)} points")
    found = np.zeros(len(p), dtype=np.int64)
    for start in range(0, len(q), _QUERIES_AT_ONCE):
        scores = q[start : start + _QUERIES_AT_ONCE] @ p.T
        if without_self:
            rows = np.arange(min(len(scores), len(p) - start))
            scores[rows, start + rows] = -np.inf
        first = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        found += np.bincount(first.ravel(), minlength=len(p))
    spread = found.std()
    skewness = float(np.mean(((found - found.mean()) / spread) ** 3)) if spread > 0 else 0.0
    return Hubness(k, skewness, int(found.max()), float(np.mean(found == 0)))


def _pair(first: Vectors, second: Vectors) -> tuple[Vectors, Vectors]:
    if first.shape != second.shape:
        raise ValueError(f"pairs of shapes {first.shape} and {second.shape}")
    return _checked(first), _checked(second)


def _finite(vectors: Vectors) -> Vectors:
    x = np.asarray(vectors, dtype=np.float64)
    if x.ndim != 2 or not x.size:
        raise ValueError(f"vectors of shape {x.shape}; rows and columns are needed")
    if not np.isfinite(x).all():
        bad = int(np.flatnonzero(~np.isfinite(x).all(axis=1))[0])
        raise ValueError(f"row {bad} holds a number that is not finite")
    return x


def _checked(vectors: Vectors) -> Vectors:
    x = _finite(vectors)
    off = np.abs(np.linalg.norm(x, axis=1) - 1)
    if off.max() > _UNIT_WITHIN:
        raise ValueError(f"row {int(off.argmax())} is no unit vector")
    return x
