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
    batches = [rows[start : start + size] for start in range(0, len(rows), size)]
    if len(batches) > 1 and len(batches[-1]) < size // 2:
        batches.pop()
    return batches


def neighbour_batches(
    rows: Plan,
    vectors: npt.NDArray[np.float32],
    size: int,
    group: int,
    seed: int,
    epoch: int,
    block: int = 8192,
) -> list[Plan]:
    """Batches made of groups of structural neighbours, so that negatives are hard.

    The rows are taken in blocks; within a block, a random row and its nearest unassigned rows form
    a group, and each batch joins groups from all over the block.

    Parameters
    ----------
    rows
        Row numbers of the epoch, shuffled; a repeated row counts once per group.
    vectors
        Unit vectors of all rows under the current model, float32 of shape ``(N, D)``.
    size
        Rows per batch.
    group
        Rows per group of neighbours.
    seed, epoch
        Fix the order.
    block
        Rows whose similarities are held at once.
    """
    rng = np.random.default_rng((seed, epoch, 2))
    groups: list[Plan] = []
    for start in range(0, len(rows), block):
        part = rows[start : start + block]
        similar = vectors[part] @ vectors[part].T
        free = np.ones(len(part), dtype=bool)
        for first in range(len(part)):
            if not free[first]:
                continue
            scores = np.where(free, similar[first], -np.inf)
            # A row shown twice in an epoch must not meet itself in one batch group.
            same = part == part[first]
            same[first] = False
            scores[same] = -np.inf
            count = min(group, int(np.isfinite(scores).sum()))
            members = np.argpartition(-scores, count - 1)[:count]
            free[members] = False
            groups.append(part[members])
    order = rng.permutation(len(groups))
    return random_batches(np.concatenate([groups[index] for index in order]), size)


def false_negatives(
    stated: Sequence[frozenset[str] | None],
    held: Sequence[frozenset[str]],
    keys: Sequence[str],
) -> npt.NDArray[np.bool_]:
    """Which texts of a batch also describe another molecule of it.

    Parameters
    ----------
    stated
        Facts each text rests on; None where it holds for its molecule alone.
    held
        Facts of each molecule, closed upwards.
    keys
        Identity of each molecule; equal keys are one molecule.

    Returns
    -------
    bool array ``(N, N)``; true at ``[i, j]`` where text i is true of molecule j.
    """
    number: dict[str, int] = {}
    for facts in stated:
        for fact in facts or ():
            number.setdefault(fact, len(number))
    size = len(stated)
    asked = np.zeros((size, len(number)), dtype=np.float32)
    holds = np.zeros((size, len(number)), dtype=np.float32)
    for row, facts in enumerate(stated):
        for fact in facts or ():
            asked[row, number[fact]] = 1
    for row, facts in enumerate(held):
        for fact in facts:
            column = number.get(fact)
            if column is not None:
                holds[row, column] = 1
    needed = asked.sum(axis=1, keepdims=True)
    result = (asked @ holds.T >= needed - 0.5) & (needed > 0)
    identity = np.array(keys)
    return np.asarray(result | (identity[:, None] == identity[None, :]))
