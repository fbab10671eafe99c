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
    """

    def __init__(self, pairs: Pairs, rules: Sequence[str], tanimoto: float = 0.95) -> None:
        self.pairs = pairs
        self.rules = tuple(dict.fromkeys(rules))
        self.tanimoto = tanimoto
        self.molecules = _numbered(pairs.inchikeys)
        """Number of each row's molecule, int64 of shape ``(N,)``; equal for equal InChIKeys."""
        self._skeletons = _numbered(key[:14] for key in pairs.inchikeys)

    def mask(self, rows: Rows, captions: Sequence[Caption]) -> FalseMask:
        """The false negatives of a batch.

        Parameters
        ----------
        rows
            Row of each pair, int64 of shape ``(N,)``.
        captions
            The text that each has in this batch.

        Returns
        -------
        FalseMask
            Of shape ``(N, N)``; the diagonal is true.
        """
        return self._found(rows, captions, rows, captions, square=True)

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
        return self._found(rows, captions, queue_rows, queue_captions, square=False)

    def same_molecules(self, row: int, others: Rows) -> npt.NDArray[np.bool_]:
        """Which of `others` the rules about molecules hold to be one with `row`; shape ``(K,)``."""
        result: BoolMatrix = np.zeros((1, len(others)), dtype=bool)
        for rule in MOLECULE_RULES:
            if rule in self.rules:
                self._apply(rule, np.array([row]), None, others, None, result)
        return result.reshape(-1)

    def _found(
        self,
        rows: Rows,
        captions: Sequence[Caption],
        others: Rows,
        other_captions: Sequence[Caption] | None,
        square: bool,
    ) -> FalseMask:
        mask = np.zeros((len(rows), len(others)), dtype=bool)
        if square:
            np.fill_diagonal(mask, True)
        own = len(rows) if square else 0
        pairs = max(mask.size - own, 1)
        shares = {}
        for rule in self.rules:
            found = self._apply(rule, rows, captions, others, other_captions, mask, square)
            shares[rule] = found / pairs
        shares["any"] = (int(np.count_nonzero(mask)) - own) / pairs
        return FalseMask(mask, shares)

    def _apply(
        self,
        rule: str,
        rows: Rows,
        captions: Sequence[Caption] | None,
        others: Rows,
        other_captions: Sequence[Caption] | None,
        mask: BoolMatrix,
        square: bool = False,
    ) -> int:
        """Set `mask` where a rule holds; how often it does, a text's own molecule not counted."""
        if rule == "facts":
            assert captions is not None
            stated = [caption.facts for caption in captions]
            return _mark_facts(stated, others, self.pairs.held, mask, square)
        if rule == "description":
            assert captions is not None
            return self._mark_descriptions(captions, others, other_captions, mask, square)
        if rule == "molecule":
            return _mark_equal(self.molecules[rows], self.molecules[others], mask, square)
        if rule == "skeleton":
            return _mark_equal(self._skeletons[rows], self._skeletons[others], mask, square)
        raise ValueError(f"no rule {rule!r}")

    def _mark_descriptions(
        self,
        captions: Sequence[Caption],
        others: Rows,
        other_captions: Sequence[Caption] | None,
        mask: BoolMatrix,
        square: bool,
    ) -> int:
        """A text is false for a molecule that has it now, or could have it at another time."""
        asked: dict[str, list[int]] = {}
        for position, caption in enumerate(captions):
            asked.setdefault(plain(caption.text), []).append(position)
        count = 0
        for position, row in enumerate(others.tolist()):
            texts = {plain(text) for text in self.pairs.facts[row].texts}
            if other_captions is not None:
                texts.add(plain(other_captions[position].text))
            for text in texts & asked.keys():
                found = asked[text]
                mask[found, position] = True
                count += len(found) - (square and position in found)
        return count


def false_negatives(
    stated: Sequence[frozenset[str] | None],
    held: Sequence[frozenset[str]],
    keys: Sequence[str],
) -> BoolMatrix:
    """The rules `facts` and `molecule` for what is given outright.

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
    mask = np.zeros((len(stated), len(held)), dtype=bool)
    _mark_facts(stated, np.arange(len(held)), held.__getitem__, mask, square=True)
    codes = _numbered(keys)
    _mark_equal(codes, codes, mask, square=True)
    return mask


def plain(text: str) -> str:
    """A text without what does not change its meaning: case, spacing, a final full stop."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split()).rstrip(". ")


def _numbered(values: Iterable[Hashable]) -> Rows:
    """A number for each value, the same for equal ones; int64 of shape ``(N,)``."""
    number: dict[Hashable, int] = {}
    return np.array([number.setdefault(value, len(number)) for value in values], dtype=np.int64)


def _mark_equal(codes: Rows, others: Rows, mask: BoolMatrix, square: bool) -> int:
    """Set `mask` where codes are equal, without comparing every pair."""
    places: dict[int, list[int]] = {}
    for position, code in enumerate(codes.tolist()):
        places.setdefault(code, []).append(position)
    targets: dict[int, list[int]] = {}
    for position, code in enumerate(others.tolist()):
        if code in places:
            targets.setdefault(code, []).append(position)
    count = 0
    for code, columns in targets.items():
        mask[np.ix_(places[code], columns)] = True
        count += len(places[code]) * len(columns)
    return count - (len(codes) if square else 0)


def _mark_facts(
    stated: Sequence[frozenset[str] | None],
    others: Rows,
    held: Callable[[int], frozenset[str]],
    mask: BoolMatrix,
    square: bool,
) -> int:
    """Set `mask` where a molecule has every fact of a text.

    The molecules that have a fact are one packed row of bits, so a text of three facts costs two
    ANDs over K / 8 bytes.
    """
    asked = frozenset().union(*(facts for facts in stated if facts))
    holders: dict[str, list[int]] = {}
    for position, row in enumerate(others.tolist()):
        for fact in held(row) & asked:
            holders.setdefault(fact, []).append(position)
    packed: dict[str, npt.NDArray[np.uint8]] = {}
    for fact in asked:
        bits = np.zeros(len(others), dtype=bool)
        bits[holders.get(fact, [])] = True
        packed[fact] = np.packbits(bits)
    texts: dict[frozenset[str], list[int]] = {}
    for position, facts in enumerate(stated):
        if facts:
            texts.setdefault(facts, []).append(position)
    count = 0
    for facts, positions in texts.items():
        bits = np.bitwise_and.reduce([packed[fact] for fact in facts])
        true_of = np.unpackbits(bits, count=len(others)).astype(bool)
        mask[positions] |= true_of
        count += int(true_of.sum()) * len(positions)
        if square:
            count -= int(true_of[positions].sum())
    return count
