"""Groups of rows that are hard for each other: a row and what ranks highest for it."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice
from typing import Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

Positions = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Refuses = Callable[[int, Positions], Bools]

# Rows that ask at once, and candidates that each gets per place of its group: most are taken by
# the time the last of them is served.
_ASK_AT_ONCE = 64
_CANDIDATES_PER_PLACE = 4
# What ranks lower is not hard any more: the group of a text that is true of all above stays small.
_MOST_PER_PLACE = 64


class Ranker(Protocol):
    """Orders the rows of one block by how hard they are for one of them."""

    def rank(self, seeds: Positions, free: Bools, count: int) -> Positions:
        """The hardest free rows for each seed.

        Parameters
        ----------
        seeds
            Positions in the block, int64 of shape ``(S,)``.
        free
            Positions that may be named, bool of shape ``(M,)``; a seed is never named for itself.
        count
            Most positions to name.

        Returns
        -------
        int64 array ``(S, min(count, M))``: positions, hardest first, and -1 after the last.
        """


class VectorRanker:
    """Ranks by dot products of vectors of the current model.

    Parameters
    ----------
    asking, asked
        Vectors of the same M rows, float of shape ``(M, D)``: of the molecules both times for
        structural neighbours; of the texts and of the molecules for mined negatives.
    device
        Where the products are taken.
    """

    def __init__(
        self,
        asking: npt.NDArray[np.floating],
        asked: npt.NDArray[np.floating],
        device: torch.device | str = "cpu",
    ) -> None:
        self.device = torch.device(device)
        self._asking = torch.from_numpy(asking).to(self.device, torch.float32)
        self._asked = (
            self._asking
            if asked is asking
            else torch.from_numpy(asked).to(self.device, torch.float32)
        )

    @torch.inference_mode()
    def rank(self, seeds: Positions, free: Bools, count: int) -> Positions:
        """See `Ranker.rank`."""
        where = torch.from_numpy(seeds).to(self.device)
        scores: Tensor = self._asking[where] @ self._asked.T
        scores.masked_fill_(torch.from_numpy(~free).to(self.device), float("-inf"))
        scores[torch.arange(len(seeds), device=self.device), where] = float("-inf")
        best = scores.topk(min(count, len(free)), dim=1)
        found = best.indices.masked_fill(best.values == float("-inf"), -1)
        return found.cpu().numpy()


def grow_groups(
    order: Positions,
    codes: npt.NDArray[np.int64],
    ranker: Ranker,
    group: int,
    refuses: Refuses | None = None,
) -> list[Positions]:
    """Part the rows of a block into groups: the next unplaced row, and its hardest unplaced ones.

    Parameters
    ----------
    order
        Positions in the order in which they may start a group, int64; a position that is to be
        placed several times stands there several times. Every position of the block is in it.
    codes
        Identity of each position, int64 of shape ``(M,)``; no group holds the same one twice, so
        a row shown several times in an epoch does not meet itself there.
    ranker
        Tells what is hard for a row.
    group
        Rows per group. A group is smaller where the ranker names no more, or where the first 64
        times as many are placed or refused.
    refuses
        Called with a position and its candidates ``(C,)``; true for those that are no negatives
        of it and must not join its group.

    Returns
    -------
    list of int64 arrays: the groups, each with the row that started it first and the others from
    hard to easy. Together they hold exactly `order`.
    """
    left = np.bincount(order, minlength=len(codes))
    groups: list[Positions] = []
    visits = iter(order.tolist())
    count = _CANDIDATES_PER_PLACE * group
    while True:
        turn = list(islice((position for position in visits if left[position]), _ASK_AT_ONCE))
        if not turn:
            return groups
        seeds = list(dict.fromkeys(turn))
        ranked = ranker.rank(np.array(seeds), left > 0, count)
        place = {seed: index for index, seed in enumerate(seeds)}
        for seed in turn:
            if left[seed]:
                left[seed] -= 1
                others = _others(seed, ranked[place[seed]], left, codes, ranker, group, refuses)
                left[others] -= 1
                groups.append(np.array([seed, *others]))


def _others(
    seed: int,
    candidates: Positions,
    left: Positions,
    codes: npt.NDArray[np.int64],
    ranker: Ranker,
    group: int,
    refuses: Refuses | None,
) -> list[int]:
    """The best candidates for a seed's group; asks for more where too many are gone."""
    while True:
        open_to = candidates[(candidates >= 0) & (left[candidates] > 0)]
        if refuses is not None and len(open_to):
            open_to = open_to[~refuses(seed, open_to)]
        # The first of each identity, in order.
        first = np.sort(np.unique(codes[open_to], return_index=True)[1])
        chosen = open_to[first]
        chosen = chosen[codes[chosen] != codes[seed]][: group - 1]
        count = min(4 * len(candidates), _MOST_PER_PLACE * group, len(left))
        all_named = candidates[-1] < 0 or count <= len(candidates)
        if len(chosen) == group - 1 or all_named:
            found: list[int] = chosen.tolist()
            return found
        candidates = ranker.rank(np.array([seed]), left > 0, count)[0]
