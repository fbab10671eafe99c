r"""Similarity of molecules by the counts of their circular environments, for many at once.

The similarity of two rows of counts is that of Ruzicka, which is Tanimoto's for counts:

.. math:: s(a, b) = \sum_k \min(a_k, b_k) \Big/ \sum_k \max(a_k, b_k)

A count of three is written as the three set elements (column, 1), (column, 2), (column, 3); the
similarity then is the Jaccard similarity of two sets, and what is known about joins of sets holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from molclip.chem.features import BLOCKS

if TYPE_CHECKING:
    from molclip.training.features import FeatureStore

Rows = npt.NDArray[np.int64]

# The Morgan counts come first in a feature row; see `chem.features`.
_WIDTH = BLOCKS["morgan"]
_LEVELS = 256
_ROWS_AT_ONCE = 1024
_PAIRS_AT_ONCE = 1 << 16
# So few are compared outright: that costs less than to sort their elements.
_FEW_PAIRS = 1 << 12
# Similarities are quotients of small integers; a threshold written in decimals misses one by less.
_SLACK = 1e-9


class CountSets(NamedTuple):
    """Rows of counts as sets."""

    elements: Any
    """scipy CSR matrix ``(N, E)`` of float32 ones: row i has element e."""
    sizes: Rows
    """Elements of each row, ``(N,)``: the sum of its counts."""

    def __len__(self) -> int:
        return len(self.sizes)


def count_sets(store: FeatureStore, rows: Rows) -> CountSets:
    """The Morgan counts of rows of a store; read and held block by block, never dense as a whole.

    Parameters
    ----------
    store
        Gives the feature rows.
    rows
        Rows of the store, int64 of shape ``(N,)``.
    """
    from scipy import sparse

    columns = []
    sizes = np.zeros(len(rows), dtype=np.int64)
    for start in range(0, len(rows), _ROWS_AT_ONCE):
        counts = store.dense(rows[start : start + _ROWS_AT_ONCE])[:, :_WIDTH]
        sizes[start : start + len(counts)] = counts.sum(axis=1, dtype=np.int64)
        bits = np.nonzero(counts)[1]
        times = counts[counts > 0].astype(np.int64)
        first = np.repeat(np.cumsum(times) - times, times)
        levels = np.arange(int(times.sum())) - first
        columns.append((np.repeat(bits, times) * _LEVELS + levels).astype(np.int32))
    indices = np.concatenate(columns) if columns else np.empty(0, np.int32)
    pointers = np.concatenate([[0], np.cumsum(sizes)])
    ones = np.ones(len(indices), dtype=np.float32)
    shape = (len(rows), _WIDTH * _LEVELS)
    return CountSets(sparse.csr_matrix((ones, indices, pointers), shape=shape), sizes)


def similarity(first: CountSets, second: CountSets, i: Rows, j: Rows) -> npt.NDArray[np.float64]:
    """Similarity of row ``i[p]`` of `first` with row ``j[p]`` of `second`, of shape ``(P,)``."""
    shared = np.zeros(len(i))
    for start in range(0, len(i), _PAIRS_AT_ONCE):
        part = slice(start, start + _PAIRS_AT_ONCE)
        both = first.elements[i[part]].multiply(second.elements[j[part]])
        shared[part] = np.asarray(both.sum(axis=1)).ravel()
    either = first.sizes[i] + second.sizes[j] - shared
    return shared / np.maximum(either, 1)


def similar_pairs(first: CountSets, second: CountSets, threshold: float) -> tuple[Rows, Rows]:
    r"""All pairs with a similarity of at least `threshold`, exactly.

    Sets x and y of similarity t share at least :math:`\lceil t\,|x| \rceil` elements. So, all
    elements ordered from rare to common, they share one of the first
    :math:`|x| - \lceil t\,|x| \rceil + 1` of both, and only pairs that do are looked at: at high
    thresholds the common environments are never looked up. Of these pairs, most cannot reach t even
    if everything were shared that comes after the first elements of the set where those end
    earlier. What is left is compared wholly.

    Chaudhuri, Ganti and Kaushik, A primitive operator for similarity joins in data cleaning, ICDE
    2006; Xiao, Wang, Lin and Yu, Efficient similarity joins for near duplicate detection, WWW 2008.

    Parameters
    ----------
    first, second
        The rows to compare, N and K of them.
    threshold
        In (0, 1].

    Returns
    -------
    tuple
        Row of `first` and row of `second` of each pair, int64, by rows of `first`.
    """
    if len(first) * len(second) <= _FEW_PAIRS:
        i, j = np.indices((len(first), len(second))).reshape(2, -1)
        hit = similarity(first, second, i, j) >= threshold - _SLACK
        return i[hit], j[hit]
    rarity = _rarity(first, second)
    rare = _prefixes(first, rarity, threshold)
    other = rare if second is first else _prefixes(second, rarity, threshold)
    by_element = other.elements.T.tocsr()
    found_i, found_j = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for start in range(0, len(first), _ROWS_AT_ONCE):
        candidates = (rare.elements[start : start + _ROWS_AT_ONCE] @ by_element).tocoo()
        i = candidates.row.astype(np.int64) + start
        j = candidates.col.astype(np.int64)
        rest = np.where(rare.ends[i] <= other.ends[j], rare.rest[i], other.rest[j])
        sizes = first.sizes[i], second.sizes[j]
        most = np.minimum(np.minimum(*sizes), candidates.data + rest)
        open_to = most >= threshold * (sizes[0] + sizes[1] - most) - _SLACK
        i, j = i[open_to], j[open_to]
        hit = similarity(first, second, i, j) >= threshold - _SLACK
        found_i.append(i[hit])
        found_j.append(j[hit])
    return np.concatenate(found_i), np.concatenate(found_j)


class _Prefixes(NamedTuple):
    """The rarest elements of each row."""

    elements: Any
    """scipy CSR matrix ``(N, E)``; columns in the order from rare to common."""
    ends: Rows
    """Last column of each row, ``(N,)``."""
    rest: Rows
    """How many elements of each row are not among them, ``(N,)``."""


def _rarity(first: CountSets, second: CountSets) -> Rows:
    """Place of each element in the order from rare to common."""
    elements = first.elements.shape[1]
    times = np.bincount(first.elements.indices, minlength=elements)
    if second is not first:
        times += np.bincount(second.elements.indices, minlength=elements)
    rarity = np.empty(elements, dtype=np.int64)
    rarity[np.argsort(times, kind="stable")] = np.arange(elements)
    return rarity


def _prefixes(sets: CountSets, rarity: Rows, threshold: float) -> _Prefixes:
    from scipy import sparse

    pointers = sets.elements.indptr
    ones = sets.elements.data
    columns = rarity[sets.elements.indices]
    ordered = sparse.csr_matrix((ones, columns, pointers), shape=sets.elements.shape)
    ordered.sort_indices()
    rest = np.ceil(threshold * sets.sizes - _SLACK).astype(np.int64) - 1
    lengths = np.where(sets.sizes > 0, sets.sizes - rest, 0)
    place = np.arange(len(columns)) - np.repeat(pointers[:-1], sets.sizes)
    columns = ordered.indices[place < np.repeat(lengths, sets.sizes)]
    stops = np.cumsum(lengths)
    elements = sparse.csr_matrix(
        (ones[: len(columns)], columns, np.concatenate([[0], stops])), shape=sets.elements.shape
    )
    ends = np.full(len(sets), -1, dtype=np.int64)
    filled = lengths > 0
    ends[filled] = columns[stops[filled] - 1]
    return _Prefixes(elements, ends, rest)
