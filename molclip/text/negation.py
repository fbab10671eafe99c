"""What a question does not want: `alkaloid that is not a steroid`, `antibiotic without fluorine`.

The words that deny stand here for both who read them: this file takes a question apart for its
vector, `search.exclusion` finds what the excluded words mean in a source.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from molclip.text.sentences import split_sentences

LONGEST = 25
"""Words of the longest question that is taken apart; a description says *not* for other reasons."""

ALONE = frozenset(("devoid", "except", "excluding", "lacking", "without"))
"""Words that deny what follows, wherever they stand."""
IN_PLACE = frozenset(("neither", "no", "non", "nor", "not"))
"""Words that do so in some places: `non` begins names, `NO` is nitric oxide."""
PAIRS = frozenset((("free", "from"), ("free", "of"), ("other", "than")))

_ALONE = "|".join((*sorted(ALONE), *(rf"{one}\s+{other}" for one, other in sorted(PAIRS))))
_NOT = re.compile(
    r",?\s+(?:(?:that|which|who)\s+(?:is|are)\s+(?:not(?!\s+(?:only|used)\b)|neither)"
    r"|(?:that|which)\s+(?:do|does|did|has|have)\s+(?:not\s+(?:contain|have|hold|include|act\s+as)|no)"
    r"|but\s+(?:(?:is|are)\s+)?(?:neither|not(?!\s+only\b)|no|without)"
    r"|and\s+(?:is\s+|are\s+)?(?:neither|not)"
    rf"|(?:(?:that|which)\s+(?:is|are)\s+)?(?:{_ALONE})(?:\s+(?:for|of)(?=\s|$))?)\s+(?!of$|for$)"
    r"|,\s*(?:neither|not)\s+",
    re.IGNORECASE,
)
# What follows these words is asked for again: "without fluorine used as a herbicide".
_AGAIN = re.compile(r"\s+(?:used|acting|found|that|which|who|for|against)\s", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:being\s+)?(?:an?|any|the)(?:\s+|$)", re.IGNORECASE)


_NOR = re.compile(r",?\s+nor\s+(?:is\s+it\s+|are\s+they\s+)?(?:(?:an?|any)\s+)?", re.IGNORECASE)
_WHOLLY = re.compile(
    r"(?:(?:is|are)\s+)?not\s+(?!(?:only|just|yet|merely|necessarily|without|un\w+|classified|"
    r"determined|available|approved|used|known)\b)(?:(?:an?|any|the)\s+)?"
    r"(?!(?:an?|any|the)$)(?P<denied>\w.*)",
    re.IGNORECASE,
)
_MORE = re.compile(r"\b(?:and|but|not|nor|or)\b", re.IGNORECASE)


class Negated(NamedTuple):
    """The two halves of a question."""

    wanted: str
    unwanted: str


def split_negation(text: str) -> Negated | None:
    """Take a short question apart at *not*, *without* and the like.

    Parameters
    ----------
    text
        One sentence or phrase; longer texts are descriptions and stay whole.

    Returns
    -------
    Negated or None
        None where nothing is excluded, where nothing but that is asked ("not a steroid"), and for
        names ("non-steroidal anti-inflammatory drug").

    Examples
    --------
    >>> split_negation("alkaloid that is not a steroid")
    Negated(wanted='alkaloid', unwanted='steroid')
    """
    text = " ".join(text.split())
    if len(text.split()) > LONGEST or len(split_sentences(text)) > 1:
        return None
    found = _NOT.search(text)
    if found is None:
        return None
    wanted, unwanted = text[: found.start()].strip(" ,"), text[found.end() :].strip(" ,.?!")
    if again := _AGAIN.search(unwanted):
        wanted += unwanted[again.start() :]
        unwanted = unwanted[: again.start()].strip(" ,")
    unwanted = _NOR.sub(", ", _ARTICLE.sub("", unwanted))
    if not (re.search("[^\\W_]", wanted) and re.search("[^\\W_]", unwanted)):
        return None
    if further := split_negation(wanted):
        return Negated(further.wanted, f"{unwanted}, {further.unwanted}")
    return Negated(wanted, unwanted)


def negated_label(label: str) -> str | None:
    """What a label like *not an opioid* denies; None for one that denies nothing.

    Examples
    --------
    >>> negated_label("not an opioid")
    'opioid'
    """
    found = _WHOLLY.fullmatch(" ".join(label.split()))
    return None if found is None or _MORE.search(found["denied"]) else found["denied"]
