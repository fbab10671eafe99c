"""Where the right answer stands: ranks with ties, for pools of any size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

Ties = Literal["pessimistic", "expected", "optimistic"]
FloatArray = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]

# The same molecule embedded in two batches differs in the last bits of a float32, and so do two
# matrix products of different shape. What lies within this distance is one score, hence a tie.
SCORE_TOLERANCE = 1e-6

_QUERY_CHUNK = 256
_CANDIDATE_CHUNK = 32_768


@dataclass(frozen=True)
class Ranks:
    """For each query, how many wrong candidates stand before and beside the right one.

    A query may have several right candidates; the best of them counts, and the others neither
    help nor harm.
    """

    higher: IntArray
    """(Q,) wrong candidates with a higher score."""
    tied: IntArray
    """(Q,) wrong candidates with the same score."""
    missed: BoolArray
    """(Q,) true where query or right candidate has no vector: never a hit, last in the pool."""
    pool_size: int
    """Candidates, those without a vector included."""

    def __len__(self) -> int:
        return len(self.higher)

    def subset(self, queries: BoolArray | IntArray) -> Ranks:
        """Return the ranks of some of the queries, in the same pool."""
        return Ranks(self.higher[queries], self.tied[queries], self.missed[queries], self.pool_size)

    def where(self, queries: BoolArray, other: Ranks) -> Ranks:
        """Return these ranks for the queries that are marked, and `other`'s for the rest."""
        return Ranks(
            np.where(queries, self.higher, other.higher),
            np.where(queries, self.tied, other.tied),
            np.where(queries, self.missed, other.missed),
            self.pool_size,
        )

    @classmethod
    def joined(cls, parts: Sequence[Ranks]) -> Ranks:
        """Return the ranks of several groups of queries in the same pool, in their order."""
        return cls(
            np.concatenate([part.higher for part in parts]),
            np.concatenate([part.tied for part in parts]),
            np.concatenate([part.missed for part in parts]),
            parts[0].pool_size,
        )

    def ranks(self, ties: Ties = "pessimistic") -> npt.NDArray[np.float64]:
        """Return 1-based ranks, shape (Q,).

        Parameters
        ----------
        ties
            `pessimistic`: the right candidate comes after all that share its score;
            `optimistic`: before them; `expected`: the mean over every order of the tied ones.
        """
        share = {"pessimistic": 1.0, "expected": 0.5, "optimistic": 0.0}[ties]
        ranks = self.higher + share * self.tied + 1
        return np.where(self.missed, float(self.pool_size), ranks)

    def hits(self, k: int, ties: Ties = "pessimistic") -> npt.NDArray[np.float64]:
        """Return, for each query, whether the right one is among the first `k`, shape (Q,).

        With `expected` ties this is the probability of it when tied candidates are shuffled.
        """
        if ties == "expected":
            places = np.clip(k - self.higher, 0, self.tied + 1)
            found = places / (self.tied + 1)
        else:
            found = (self.ranks(ties) <= k).astype(np.float64)
        return np.where(self.missed, 0.0, found)

    def reciprocal(self, ties: Ties = "pessimistic") -> npt.NDArray[np.float64]:
        """Return 1 / rank, shape (Q,); 0 for a missed query.

        With `expected` ties this is the mean of 1 / rank over every order of the tied ones, which
        is not 1 / (expected rank).
        """
        if ties == "expected":
            last = self.higher + self.tied + 1
            steps = 1.0 / np.arange(1, last.max(initial=0) + 1)
            harmonic = np.concatenate([[0.0], np.cumsum(steps)])
            inverse = (harmonic[last] - harmonic[self.higher]) / (self.tied + 1)
        else:
            inverse = 1.0 / self.ranks(ties)
        return np.where(self.missed, 0.0, inverse)


def rank_scores(
    scores: npt.NDArray[np.floating],
    right: BoolArray | IntArray,
    tolerance: float = 0.0,
) -> Ranks:
    """Rank from a full score matrix.

    Parameters
    ----------
    scores
        (Q, P) similarity of each query to each candidate; NaN where one of the two is invalid.
    right
        (Q, P) booleans, or (Q,) column of the one right candidate of each query.
    tolerance
        Scores this close are tied.
    """
    queries, pool = scores.shape
    if right.ndim == 1:
        mask = np.zeros((queries, pool), dtype=bool)
        mask[np.arange(queries), right] = True
    else:
        mask = right.astype(bool)
    clean = np.where(np.isnan(scores), -np.inf, scores)
    best = np.where(mask, clean, -np.inf).max(axis=1, initial=-np.inf)
    missed = np.isneginf(best)
    higher, tied = _count(np.where(mask, -np.inf, clean), best, tolerance)
    return Ranks(higher, tied, missed, pool)


def rank_vectors(
    queries: FloatArray,
    candidates: FloatArray,
    query_labels: npt.ArrayLike,
    candidate_labels: npt.ArrayLike,
    *,
    penalty: FloatArray | None = None,
    tolerance: float = SCORE_TOLERANCE,
    query_chunk: int = _QUERY_CHUNK,
    candidate_chunk: int = _CANDIDATE_CHUNK,
) -> Ranks:
    """Rank by dot product in float32 without ever holding the full score matrix.

    Parameters
    ----------
    queries, candidates
        (Q, D) and (P, D) unit vectors; a row of NaN is invalid.
    query_labels, candidate_labels
        (Q,) and (P,) integers; a candidate is right for a query when their labels are equal.
    penalty
        (P,) subtracted from every score of a candidate.
    tolerance
        Scores this close are tied, see `SCORE_TOLERANCE`.
    query_chunk, candidate_chunk
        Rows scored at once; together they bound the memory (4 bytes each pair).

    Returns
    -------
    Ranks of the Q queries. A query whose label no candidate carries is missed.

    Raises
    ------
    ValueError
        When the arrays do not fit together.
    """
    wanted = np.asarray(query_labels, dtype=np.int64)
    offered = np.asarray(candidate_labels, dtype=np.int64)
    queries = np.ascontiguousarray(queries, dtype=np.float32)
    candidates = np.ascontiguousarray(candidates, dtype=np.float32)
    if queries.ndim != 2 or candidates.ndim != 2 or queries.shape[1] != candidates.shape[1]:
        raise ValueError(f"vectors do not fit: {queries.shape} and {candidates.shape}")
    if wanted.shape != queries.shape[:1] or offered.shape != candidates.shape[:1]:
        raise ValueError("one label for each vector is needed")
    pool = len(candidates)
    invalid_query: BoolArray = np.asarray(np.isnan(queries).any(axis=1))
    invalid: BoolArray = np.asarray(np.isnan(candidates).any(axis=1))
    queries = np.where(invalid_query[:, None], np.float32(0), queries)
    candidates = np.where(invalid[:, None], np.float32(0), candidates)
    shift = np.zeros(pool, np.float32) if penalty is None else penalty.astype(np.float32)
    shift = np.where(invalid, np.float32(np.inf), shift)

    pair_query, pair_candidate = _right_pairs(wanted, offered)
    best = np.full(len(queries), -np.inf, dtype=np.float32)
    for start in range(0, len(pair_query), _CANDIDATE_CHUNK):
        part = slice(start, start + _CANDIDATE_CHUNK)
        q, c = pair_query[part], pair_candidate[part]
        score = np.einsum("nd,nd->n", queries[q], candidates[c]) - shift[c]
        np.maximum.at(best, q, score)
    missed = np.isneginf(best) | invalid_query

    higher = np.zeros(len(queries), dtype=np.int64)
    tied = np.zeros(len(queries), dtype=np.int64)
    for first in range(0, len(queries), query_chunk):
        rows = slice(first, first + query_chunk)
        own = slice(*np.searchsorted(pair_query, [first, first + query_chunk]).tolist())
        own_query, own_candidate = pair_query[own] - first, pair_candidate[own]
        for left in range(0, pool, candidate_chunk):
            columns = slice(left, left + candidate_chunk)
            scores = queries[rows] @ candidates[columns].T
            scores -= shift[columns]
            inside = (own_candidate >= left) & (own_candidate < left + candidate_chunk)
            scores[own_query[inside], own_candidate[inside] - left] = -np.inf
            above, beside = _count(scores, best[rows], tolerance)
            higher[rows] += above
            tied[rows] += beside
    return Ranks(higher, tied, missed, pool)


def best_similarity(
    rows: FloatArray, bank: FloatArray, *, row_chunk: int = _CANDIDATE_CHUNK, bank_chunk: int = 1024
) -> FloatArray:
    """Return each row's highest dot product with any vector of a bank, shape (N,), float32.

    Parameters
    ----------
    rows
        (N, D); a row of NaN gives NaN.
    bank
        (B, D) with B of at least 1.
    row_chunk, bank_chunk
        Rows and bank vectors compared at once; together they bound the memory.
    """
    if not len(bank):
        raise ValueError("the bank has no vectors")
    best = np.full(len(rows), -np.inf, dtype=np.float32)
    for first in range(0, len(rows), row_chunk):
        part = slice(first, first + row_chunk)
        for left in range(0, len(bank), bank_chunk):
            scores = rows[part] @ bank[left : left + bank_chunk].T
            np.maximum(best[part], scores.max(axis=1), out=best[part])
    return best


def soft_similarity(
    rows: FloatArray,
    bank: FloatArray,
    sharpness: float,
    *,
    row_chunk: int = _CANDIDATE_CHUNK,
    bank_chunk: int = 1024,
) -> FloatArray:
    r"""Return a smooth maximum of each row's similarities to a bank, shape (N,), float32.

    .. math:: \frac{1}{\beta} \log \sum_b \exp(\beta s_b)

    which tends to `best_similarity` as :math:`\beta` grows.

    Parameters
    ----------
    rows, bank
        Unit vectors, as in `best_similarity`.
    sharpness
        :math:`\beta`, above 0.
    row_chunk, bank_chunk
        As in `best_similarity`.
    """
    best = best_similarity(rows, bank, row_chunk=row_chunk, bank_chunk=bank_chunk)
    total = np.zeros(len(rows), dtype=np.float64)
    for first in range(0, len(rows), row_chunk):
        part = slice(first, first + row_chunk)
        for left in range(0, len(bank), bank_chunk):
            scores = rows[part] @ bank[left : left + bank_chunk].T
            # Taken from the highest, so that no power overflows and the sum is at least 1.
            scores -= best[part, None]
            total[part] += np.exp(sharpness * scores).sum(axis=1, dtype=np.float64)
    return np.asarray(best + np.log(total) / sharpness, dtype=np.float32)


def _count(
    scores: npt.NDArray[np.floating], best: npt.NDArray[np.floating], tolerance: float
) -> tuple[IntArray, IntArray]:
    """Count, for each row, the scores above and within `tolerance` of its best right one."""
    above = (scores > (best + tolerance)[:, None]).sum(axis=1)
    level = (scores >= (best - tolerance)[:, None]).sum(axis=1)
    finite = np.isfinite(best)
    return np.where(finite, above, 0), np.where(finite, level - above, 0)


def _right_pairs(wanted: IntArray, offered: IntArray) -> tuple[IntArray, IntArray]:
    """Every (query, candidate) with equal labels, ordered by query."""
    order = np.argsort(offered, kind="stable")
    labels = offered[order]
    low = np.searchsorted(labels, wanted, side="left")
    high = np.searchsorted(labels, wanted, side="right")
    counts = high - low
    query = np.repeat(np.arange(len(wanted)), counts)
    offset = np.arange(len(query)) - np.repeat(np.cumsum(counts) - counts, counts)
    return query, order[np.repeat(low, counts) + offset]
