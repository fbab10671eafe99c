"""Relatives of molecules by chemistry: hard negatives that need no model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.training.grouping import Bools, Positions
from molclip.training.tanimoto import CountSets, count_sets, similarity

if TYPE_CHECKING:
    from molclip.training.pairs import Pairs

#: Similarity from which on two structures count as relatives; of random pairs of ChEBI molecules,
#: one in a hundred reaches it.
SIMILAR = 0.35
# Environments that more of the rows have make no candidates: they would make everything one. With
# this share, the nearest 15 of 16,000 ChEBI molecules come out 99 % as similar as the true ones; the
# limits keep small blocks exact and the cost per row of large ones bounded.
_COMMON = 0.02
_COMMON_ROWS = (256, 1500)


class Relatives:
    """Ranks the rows of a block by kinship.

    First come the partners that ChEBI names (conjugate acid or base, enantiomer, tautomer); then
    the rows with the same first block of the InChIKey (stereoisomers and other proton forms); then,
    in turns, a row of the same most specific class and a row that is `SIMILAR` at least by its
    circular environments. Within each kind the most similar come first, and each of the last two
    kinds brings its own partners and skeleton mates along, so that acid and base are not parted by
    the group of a third. The most specific class of a row is the one with the fewest rows of those
    that it is directly a member of.

    Similar rows are looked for among those that share an uncommon environment, and of these the
    ones that share most of them are compared wholly.

    Parameters
    ----------
    pairs
        The training rows.
    members
        Rows of the block, int64 of shape ``(M,)``, distinct.
    """

    def __init__(self, pairs: Pairs, members: npt.NDArray[np.int64]) -> None:
        rows = members.tolist()
        self._partners = _partners(pairs, rows)
        self._skeletons = _sharers([(pairs.inchikeys[row][:14],) for row in rows])
        self._classes = _sharers([_classes(pairs, row) for row in rows])
        self._sets = count_sets(pairs.store, pairs.feature_rows[members])
        self._rare = _rare(self._sets)
        self._by_element = self._rare.T.tocsr()

    def rank(self, seeds: Positions, free: Bools, count: int) -> Positions:
        """See `training.grouping.Ranker.rank`."""
        count = min(count, len(free))
        kinds = self._candidates(seeds, free, count)
        # One comparison for all seeds, all candidates of each.
        parts = [part for kinds_of_seed in kinds for part in kinds_of_seed]
        asking = np.repeat(np.repeat(seeds, 4), [len(part) for part in parts])
        asked = np.concatenate(parts)
        scores = similarity(self._sets, self._sets, asking, asked)
        ranked = np.full((len(seeds), count), -1, dtype=np.int64)
        start = 0
        for index, kinds_of_seed in enumerate(kinds):
            orders = []
            for kind, part in enumerate(kinds_of_seed):
                own = scores[start : start + len(part)]
                start += len(part)
                order = part[np.argsort(-own, kind="stable")]
                orders.append(order[: int((own >= SIMILAR).sum())] if kind == 3 else order)
            found = self._in_turns(orders, free, int(seeds[index]))[:count]
            ranked[index, : len(found)] = found
        return ranked

    def _in_turns(self, orders: Sequence[Positions], free: Bools, seed: int) -> list[int]:
        """The candidates of one row in the order of the class's docstring, each once."""
        partners, skeletons, classes, similar = (order.tolist() for order in orders)
        found = dict.fromkeys([*partners, *skeletons])
        for pair in zip_longest(classes, similar):
            for row in pair:
                if row is not None and row not in found:
                    found[row] = None
                    kin = (*self._partners.get(row, ()), *self._skeletons[row])
                    found.update((other, None) for other in kin if free[other] and other != seed)
        return [int(row) for row in found]

    def _candidates(
        self, seeds: Positions, free: Bools, count: int
    ) -> list[tuple[Positions, Positions, Positions, Positions]]:
        """Free partners, skeleton mates, class mates and likely similar rows of each seed."""
        shared = self._rare[seeds] @ self._by_element
        promise = np.zeros(len(free))
        found = []
        for index, seed in enumerate(seeds.tolist()):
            part = slice(shared.indptr[index], shared.indptr[index + 1])
            near = shared.indices[part].astype(np.int64)
            overlap = shared.data[part]
            promise[near] = overlap / (self._sets.sizes[seed] + self._sets.sizes[near] - overlap)
            kinds = []
            for kind in (
                self._partners.get(seed, _NONE),
                self._skeletons[seed],
                self._classes[seed],
                near,
            ):
                open_to = kind[free[kind] & (kind != seed)]
                kinds.append(open_to[_best(promise[open_to], count)])
            promise[near] = 0
            found.append((kinds[0], kinds[1], kinds[2], kinds[3]))
        return found


_NONE = np.empty(0, dtype=np.int64)


def _best(scores: npt.NDArray[np.float64], count: int) -> Positions:
    """Places of the highest scores, highest first; of equal ones the earlier first."""
    places = np.arange(len(scores))
    if len(scores) > count:
        places = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
    return places[np.argsort(-scores[places], kind="stable")[:count]]


def _partners(pairs: Pairs, rows: list[int]) -> dict[int, Positions]:
    """Positions of the partners of each position that has some, both ways."""
    position = {pairs.ids[row]: index for index, row in enumerate(rows)}
    found: dict[int, set[int]] = {}
    for index, row in enumerate(rows):
        for id_ in pairs.facts[row].partners:
            other = position.get(id_)
            if other is not None:
                found.setdefault(index, set()).add(other)
                found.setdefault(other, set()).add(index)
    return {index: np.array(sorted(others)) for index, others in found.items()}


def _sharers(keys: Sequence[Sequence[Hashable]]) -> list[Positions]:
    """Positions that share with each position the rarest of its keys that others have too."""
    places: dict[Hashable, list[int]] = {}
    for index, own in enumerate(keys):
        for key in dict.fromkeys(own):
            places.setdefault(key, []).append(index)
    arrays = {key: np.array(found) for key, found in places.items() if len(found) > 1}
    result = []
    for own in keys:
        shared = [arrays[key] for key in own if key in arrays]
        result.append(min(shared, key=len) if shared else _NONE)
    return result


def _classes(pairs: Pairs, row: int) -> tuple[Hashable, ...]:
    """What a row is directly a member of: classes of ChEBI, and of natural products."""
    facts = pairs.facts[row]
    return (*facts.classes, *(label for label in facts.labels if label[0] == "class"))


def _rare(sets: CountSets) -> Any:
    """The uncommon elements of each row, as scipy CSR ``(M, E')``."""
    times = np.bincount(sets.elements.indices, minlength=sets.elements.shape[1])
    kept = (times > 1) & (times <= np.clip(_COMMON * len(sets), *_COMMON_ROWS))
    return sets.elements[:, np.flatnonzero(kept)]
