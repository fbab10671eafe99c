"""Which molecules stand in which batch: the plan of one epoch, fixed by seed and epoch."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Plan = npt.NDArray[np.int64]


def epoch_rows(
    chances: npt.NDArray[np.float64], repeats: npt.NDArray[np.int64], seed: int, epoch: int
) -> Plan:
    """Rows that take part in an epoch, shuffled.

    Parameters
    ----------
    chances
        Chance of each row to take part, float of shape ``(N,)``.
    repeats
        Times that a chosen row is shown, int of shape ``(N,)``.
    seed, epoch
        Fix the draw.

    Returns
    -------
    int64 array of row numbers.
    """
    rng = np.random.default_rng((seed, epoch, 1))
    chosen = np.flatnonzero(rng.random(len(chances)) < chances)
    rows = np.repeat(chosen, repeats[chosen])
    return rng.permutation(rows)


def random_batches(rows: Plan, size: int) -> list[Plan]:
    """Consecutive batches; a last one under half the size is dropped, its rows come next epoch."""
    return _without_small_rest(
        [rows[start : start + size] for start in range(0, len(rows), size)], size
    )


def batch_count(rows: float, size: int) -> int:
    """Batches that `random_batches` and `grouped_batches` make of so many rows; at least 1."""
    full, rest = divmod(round(rows), size)
    return max(1, full + (rest >= size // 2))


def grouped_batches(
    groups: Sequence[Plan], size: int, share: float, rng: np.random.Generator
) -> list[Plan]:
    """Batches in which a stated share of the rows stand beside the others of their group.

    Parameters
    ----------
    groups
        Row numbers of each group; a group of one row counts as loose.
    size
        Rows per batch; the last one as in `random_batches`. A group that a batch has no more room
        for goes on in the next.
    share
        Of all rows, those that stay in their groups, from 0 to 1, to within one group; the other
        groups are taken apart. Every batch has the same share of rows in groups, to within a row.
    rng
        Decides which groups stay, and their order.

    Returns
    -------
    list of int64 arrays; in each the rows in groups come first, group by group.
    """
    order = rng.permutation(len(groups))
    total = sum(len(group) for group in groups)
    kept: list[Plan] = []
    loose: list[Plan] = []
    held = 0
    for group in (groups[index] for index in order.tolist()):
        if len(group) > 1 and held < share * total:
            kept.append(group)
            held += len(group)
        else:
            loose.append(group)
    rows = np.concatenate([*kept, rng.permutation(_joined(loose))])
    batches = []
    for first in range(0, total, size):
        last = min(first + size, total)
        # Of the first n places, n * held / total are for rows in groups.
        start, stop = (place * held // total for place in (first, last))
        batches.append(
            np.concatenate([rows[start:stop], rows[held + first - start : held + last - stop]])
        )
    return _without_small_rest(batches, size)


def _joined(parts: Sequence[Plan]) -> Plan:
    return np.concatenate(parts) if parts else np.empty(0, dtype=np.int64)


def _without_small_rest(batches: list[Plan], size: int) -> list[Plan]:
    if len(batches) > 1 and len(batches[-1]) < size // 2:
        batches.pop()
    return batches
