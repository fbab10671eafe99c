"""What a question says a molecule must not be: "not an alkaloid", "without sulfur", "sugar-free".

The vector of a short question leans away from what it excludes (`models.negated`), which keeps out
much of it, not all. What the source states, and what a formula holds, is certain. So the words that
are excluded are found here, by where a negation stands; `evidence` looks up what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from molclip.text.negation import ALONE, IN_PLACE, PAIRS

NEGATIONS = ALONE | IN_PLACE
_JOINING = frozenset(("and", "nor", "or"))
_ARTICLES = frozenset(("a", "an", "any", "the"))
_ENDING = re.compile(r"[,;:.!?()]")
_NITRIC_OXIDE = re.compile(r"(?<![\w-])NO(?![\w-])")

_HALOGENS = ("F", "Cl", "Br", "I", "At")
ELEMENTS: dict[str, tuple[str, ...]] = {
    "aluminium": ("Al",),
    "aluminum": ("Al",),
    "arsenic": ("As",),
    "boron": ("B",),
    "bromine": ("Br",),
    "calcium": ("Ca",),
    "carbon": ("C",),
    "chlorine": ("Cl",),
    "cobalt": ("Co",),
    "copper": ("Cu",),
    "fluorine": ("F",),
    "halogen": _HALOGENS,
    "hydrogen": ("H",),
    "iodine": ("I",),
    "iron": ("Fe",),
    "magnesium": ("Mg",),
    "mercury": ("Hg",),
    "nitrogen": ("N",),
    "oxygen": ("O",),
    "phosphorus": ("P",),
    "platinum": ("Pt",),
    "potassium": ("K",),
    "selenium": ("Se",),
    "silicon": ("Si",),
    "sodium": ("Na",),
    "sulfur": ("S",),
    "sulphur": ("S",),
    "tin": ("Sn",),
    "zinc": ("Zn",),
}
"""Words for elements, singular, with the symbols that a formula has for them."""


@dataclass(frozen=True)
class Word:
    """One word of a question."""

    text: str
    """Lower case, singular."""
    gap: str
    """What stands between the word before and this one."""


@dataclass(frozen=True)
class Negated:
    """Words that a negation excludes."""

    parts: tuple[tuple[str, ...], ...]
    """Each excluded by itself: `without sulfur or a lactam` has two."""
    end: int
    """Place of the first word after them."""


def negated(words: Sequence[Word], place: int, text: str, stop: frozenset[str]) -> Negated | None:
    """Words that are excluded from `place` on; None where no negation stands there.

    Parameters
    ----------
    words
        The question.
    place
        Place of the negation, or of the first word of `sugar-free`.
    text
        The question as it was written: in `NO donor` NO is nitric oxide.
    stop
        Words that mean nothing by themselves; one of them ends what is excluded.
    """
    free = _before_free(words, place)
    if free is not None:
        return Negated((tuple(word.text for word in words[place:free]),), free + 1)
    first = _after_negation(words, place, text)
    if first is None:
        return None
    # "not used as a dye", "does not contain any sulfur"
    skipped = (stop | _ARTICLES) - {"but"}
    while first < len(words) and words[first].text in skipped:
        first += 1
    hyphened = words[place].text == "non" and first < len(words) and words[first].gap == "-"
    parts: list[list[str]] = [[]]
    at = first
    while at < len(words):
        word = words[at]
        if at > first and (_ENDING.search(word.gap) or (hyphened and word.gap != "-")):
            break
        if word.text in _JOINING:
            parts.append([])
        elif word.text in _ARTICLES and not parts[-1]:
            pass
        elif word.text in stop:
            break
        else:
            parts[-1].append(word.text)
        at += 1
    return Negated(tuple(tuple(part) for part in parts if part), max(at, place + 1))


def _before_free(words: Sequence[Word], place: int) -> int | None:
    """Place of the `free` that ends the hyphened word which begins at `place`."""
    if place and words[place].gap == "-":
        return None
    at = place + 1
    while at < len(words) and words[at].gap == "-":
        if words[at].text == "free":
            return at
        at += 1
    return None


def _after_negation(words: Sequence[Word], place: int, text: str) -> int | None:
    word = words[place].text
    if place + 1 < len(words) and (word, words[place + 1].text) in PAIRS:
        return place + 2
    nitric_oxide = word == "no" and _NITRIC_OXIDE.search(text) and text != text.upper()
    return place + 1 if word in NEGATIONS and not nitric_oxide else None
