"""Which negatives of a batch are none: molecules that a text also describes, by stated rules.

=========== =================================================================== ===========
rule        true at ``[i, j]`` where                                            direction
=========== =================================================================== ===========
facts       molecule j has every fact that text i rests on                      of text i
description text i, case and spacing aside, is a text of molecule j as well     of text i
molecule    both molecules have the same InChIKey                               both ways
skeleton    their InChIKeys share the first block: stereoisomers, proton forms  both ways
tanimoto    the counts of their circular environments are similar enough        both ways
=========== =================================================================== ===========
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from molclip.training.tanimoto import count_sets, similar_pairs

if TYPE_CHECKING:
    from molclip.text.captions import Caption
    from molclip.training.pairs import Pairs

Rows = npt.NDArray[np.int64]
BoolMatrix = npt.NDArray[np.bool_]

#: Rules that compare two molecules, whatever the texts.
MOLECULE_RULES = ("molecule", "skeleton", "tanimoto")


class FalseMask(NamedTuple):
    """What the loss hides or softens, and why."""

    mask: BoolMatrix
    """``(N, K)``; true at ``[i, j]`` where text i also describes molecule j."""
    shares: dict[str, float]
    """Share of the pairs ``[i, j]`` that each rule makes false, and of all together (`any`); a
    text with its own molecule is no pair here. Rules overlap, so they may sum to more."""


class FalseNegatives:
    """Finds the false negatives of batches.

    Parameters
    ----------
    pairs
        The training rows.
    rules
        Names from the table above; none: only a text's own molecule is true.
    tanimoto
        Similarity from which on the rule of that name holds, in (0, 1].

    Raises
    ------
    ValueError
        For a rule that is not in the table.
    """

    def __init__(self, pairs: Pairs, rules: Sequence[str], tanimoto: float = 0.95) -> None:
        self.pairs = pairs
        self.rules = tuple(dict.fromkeys(rules))
        self.tanimoto = tanimoto
        self.molecules = _numbered(pairs.inchikeys)
        """Number of each row's molecule, int64 of shape ``(N,)``; equal for equal InChIKeys."""
        self.skeletons = _numbered(key[:14] for key in pairs.inchikeys)
        """The same for the first block of the InChIKey."""
        self._marks: dict[str, Callable[[_Sides, BoolMatrix], int]] = {
            "facts": self._mark_facts,
            "description": self._mark_descriptions,
            "molecule": lambda sides, mask: _mark_equal(self.molecules, sides, mask),
            "skeleton": lambda sides, mask: _mark_equal(self.skeletons, sides, mask),
            "tanimoto": self._mark_similar,
        }
        unknown = [rule for rule in self.rules if rule not in self._marks]
        if unknown:
            raise ValueError(f"No rule {unknown[0]!r}; there are {', '.join(self._marks)}.")

    def mask(self, rows: Rows, captions: Sequence[Caption]) -> FalseMask:
        """The false negatives of a batch.

        Parameters
        ----------
        rows
            Row of each pair, int64 of shape ``(N,)``.
        captions
            The text that each has in this batch; not looked at where no rule is about texts.

        Returns
        -------
        FalseMask
            Of shape ``(N, N)``; the diagonal is true.
        """
        return self._found(_Sides(rows, captions, rows, captions, square=True))

    def mask_queue(
        self,
        rows: Rows,
        captions: Sequence[Caption],
        queue_rows: Rows,
        queue_captions: Sequence[Caption] | None = None,
    ) -> FalseMask:
        """Which molecules of a queue the texts of a batch also describe.

        For molecules of a batch against a queue of texts, ask the other way round and transpose:
        ``mask_queue(queue_rows, queue_captions, rows, captions).mask.T``.

        Parameters
        ----------
        rows, captions
            The batch, as in `mask`.
        queue_rows
            Row of each entry of the queue, int64 of shape ``(K,)``.
        queue_captions
            Their texts where they are known; without them the rule `description` sees only texts
            that belong to the row for good.

        Returns
        -------
        FalseMask
            Of shape ``(N, K)``.
        """
        return self._found(_Sides(rows, captions, queue_rows, queue_captions, square=False))

    def same_molecules(self, row: int, others: Rows) -> npt.NDArray[np.bool_]:
        """Which of `others` the rules about molecules hold to be one with `row`; shape ``(K,)``."""
        found: BoolMatrix = np.zeros((1, len(others)), dtype=bool)
        sides = _Sides(np.array([row]), [], others, None, square=False)
        for rule in self.rules:
            if rule in MOLECULE_RULES:
                self._marks[rule](sides, found)
        return found.reshape(-1)

    def _found(self, sides: _Sides) -> FalseMask:
        mask = np.zeros((len(sides.rows), len(sides.others)), dtype=bool)
        own = len(sides.rows) if sides.square else 0
        if sides.square:
            np.fill_diagonal(mask, True)
        pairs = max(mask.size - own, 1)
        shares = {rule: self._marks[rule](sides, mask) / pairs for rule in self.rules}
        shares["any"] = (int(np.count_nonzero(mask)) - own) / pairs
        return FalseMask(mask, shares)

    def _mark_facts(self, sides: _Sides, mask: BoolMatrix) -> int:
        """Where a molecule has every fact of a text.

        The molecules that have a fact are one packed row of bits, so a text of three facts costs
        two ANDs over K / 8 bytes.
        """
        texts: dict[frozenset[str], list[int]] = {}
        for position, caption in enumerate(sides.captions):
            if caption.facts:
                texts.setdefault(caption.facts, []).append(position)
        asked = frozenset().union(*texts)
        holders: dict[str, list[int]] = {fact: [] for fact in asked}
        for position, row in enumerate(sides.others.tolist()):
            for fact in self.pairs.held(row) & asked:
                holders[fact].append(position)
        packed: dict[str, npt.NDArray[np.uint8]] = {}
        for fact, positions in holders.items():
            bits = np.zeros(len(sides.others), dtype=bool)
            bits[positions] = True
            packed[fact] = np.packbits(bits)
        count = 0
        for facts, positions in texts.items():
            both = np.bitwise_and.reduce([packed[fact] for fact in facts])
            true_of = np.unpackbits(both, count=len(sides.others)).astype(bool)
            mask[positions] |= true_of
            count += int(true_of.sum()) * len(positions)
            if sides.square:
                count -= int(true_of[positions].sum())
        return count

    def _mark_descriptions(self, sides: _Sides, mask: BoolMatrix) -> int:
        """Where a molecule has a text now, or could have it at another time."""
        asked: dict[str, list[int]] = {}
        for position, caption in enumerate(sides.captions):
            asked.setdefault(plain(caption.text), []).append(position)
        count = 0
        for position, row in enumerate(sides.others.tolist()):
            texts = {plain(text) for text in self.pairs.facts[row].texts}
            if sides.other_captions is not None:
                texts.add(plain(sides.other_captions[position].text))
            for text in texts & asked.keys():
                found = asked[text]
                mask[found, position] = True
                count += len(found) - (sides.square and position in found)
        return count

    def _mark_similar(self, sides: _Sides, mask: BoolMatrix) -> int:
        store, at = self.pairs.store, self.pairs.feature_rows
        first = count_sets(store, at[sides.rows])
        second = first if sides.square else count_sets(store, at[sides.others])
        i, j = similar_pairs(first, second, self.tanimoto)
        mask[i, j] = True
        return len(i) - (int(np.count_nonzero(i == j)) if sides.square else 0)


class _Sides(NamedTuple):
    """Texts of some rows, and the molecules they are held against."""

    rows: Rows
    captions: Sequence[Caption]
    others: Rows
    other_captions: Sequence[Caption] | None
    square: bool
    """Both sides are one batch: a text with its own molecule is not counted."""


def plain(text: str) -> str:
    """A text without what does not change its meaning: case, spacing, a final full stop."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    return " ".join(text.casefold().split()).rstrip(". ")


def _numbered(values: Iterable[Hashable]) -> Rows:
    """A number for each value, the same for equal ones; int64 of shape ``(N,)``."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values], dtype=np.int64)


def _mark_equal(codes: Rows, sides: _Sides, mask: BoolMatrix) -> int:
    """Where both rows have one code; without comparing every pair."""
    places: dict[int, list[int]] = {}
    for position, code in enumerate(codes[sides.rows].tolist()):
        places.setdefault(code, []).append(position)
    targets: dict[int, list[int]] = {}
    for position, code in enumerate(codes[sides.others].tolist()):
        if code in places:
            targets.setdefault(code, []).append(position)
    count = 0
    for code, columns in targets.items():
        mask[np.ix_(places[code], columns)] = True
        count += len(places[code]) * len(columns)
    return count - (len(sides.rows) if sides.square else 0)
