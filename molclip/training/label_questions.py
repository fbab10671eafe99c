"""Short questions beside the captions of a batch: names of what its molecules hold.

Captions compete: a short one in place of a description is a description less. A bare class or role
costs a tenth of a description to encode, so a step can ask a hundred of them besides, and each
learns from all its holders in the batch at once.
"""

from __future__ import annotations

import random

import numpy as np
import numpy.typing as npt

from molclip.text.questions import partners, question, question_of_two
from molclip.training.batches import Plan
from molclip.training.pairs import Pairs

# Share of each kind among the questions of a step, as far as the batch has so many.
_SHARES = {"role": 0.45, "class": 0.3, "label": 0.25}
# Of the classes and roles among them: asked together with something else that a holder holds.
_TWO = 0.3


def ask(
    pairs: Pairs, rows: Plan, count: int, rng: random.Random
) -> tuple[list[str], npt.NDArray[np.bool_]]:
    """Draw labels that some of a batch's molecules hold, every label with the same chance.

    Parameters
    ----------
    pairs
        With a caption maker.
    rows
        Of the batch, ``(N,)``.
    count
        Questions to ask at most.
    rng
        The same state gives the same questions.

    Returns
    -------
    texts
        L short texts, at most `count`.
    holds
        Bool ``(L, N)``: which row holds what is asked for.
    """
    maker = pairs.maker
    assert maker is not None
    holders: dict[str, list[int]] = {}
    for place, row in enumerate(rows.tolist()):
        for term in pairs.held(row):
            holders.setdefault(term, []).append(place)
    kinds: dict[str, list[str]] = {kind: [] for kind in _SHARES}
    for term, places in holders.items():
        kind = maker.kind(term)
        if kind in kinds and len(places) < len(rows):
            kinds[kind].append(term)
    chosen: list[str] = []
    for kind, share in _SHARES.items():
        terms = sorted(kinds[kind])
        chosen += rng.sample(terms, min(len(terms), round(share * count)))
    texts: list[str] = []
    told: list[list[int]] = []
    for term in chosen:
        places = holders[term]
        text = None
        if maker.kind(term) != "label" and rng.random() < _TWO:
            others = partners(maker, term, pairs.held(int(rows[rng.choice(places)])))
            if others:
                other = rng.choice(others)
                text = question_of_two(maker, term, other, rng)
                places = [place for place in places if place in set(holders[other])]
        if text is None:
            text, places = question(maker, term, rng), holders[term]
        if text is not None:
            texts.append(text)
            told.append(places)
    holds = np.zeros((len(texts), len(rows)), dtype=bool)
    for number, places in enumerate(told):
        holds[number, places] = True
    return texts, holds
