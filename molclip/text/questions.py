"""Short questions for what a molecule holds: one fact, or two that must hold together."""

from __future__ import annotations

import random
from collections.abc import Iterable

from molclip.text.captions import LABEL_FORMS, UNINFORMATIVE, CaptionMaker, dressed, in_one
from molclip.text.grammar import singular, with_article
from molclip.text.property_phrases import ADJECTIVES, worded


def question(maker: CaptionMaker, held: str, rng: random.Random) -> str | None:
    """A short text that asks for one thing held, its bare name as a rule.

    Parameters
    ----------
    maker
        Knows names, phrases and what is withheld.
    held
        Of `CaptionMaker.held`, but no property: alone that says too little.
    rng
        The same state gives the same question.

    Returns
    -------
    str or None
        None if the text would say something withheld.
    """
    if held.startswith("CHEBI:"):
        name = maker.plain_words(held, rng)
        if rng.random() < 0.15 and held in maker.definitions:
            text = maker.definitions[held]
        elif maker.kind(held) == "role" and rng.random() < 0.15:
            text = rng.choice(("used as {}", "acts as {}")).format(with_article(name))
        else:
            text = name if rng.random() < 0.85 else dressed(name, rng)
    else:
        text = _labelled(held, "{}" if rng.random() < 0.6 else None, rng)
    return None if maker.withheld.is_withheld(text) else text


def question_of_two(maker: CaptionMaker, first: str, second: str, rng: random.Random) -> str | None:
    """A short text that asks for two things at once: `sugar alcohol used as a sweetener`.

    Parameters
    ----------
    maker
        Knows names, phrases and what is withheld.
    first
        A class or role.
    second
        Anything else held by the same molecule.
    rng
        The same state gives the same question.

    Returns
    -------
    str or None
        None if the text would say something withheld.
    """
    if maker.kind(first) == "role" and maker.kind(second) == "class":
        first, second = second, first
    words, kind = singular(maker.plain_words(first, rng)), maker.kind(second)
    if kind == "property":
        phrase = second.removeprefix("property:")
        adjective = phrase in ADJECTIVES
        text = f"{phrase} {words}" if adjective else f"{words} with {worded(phrase, rng)}"
    elif kind == "label":
        text = f"{words}, {_labelled(second, None, rng)}"
    elif kind == maker.kind(first):
        other = singular(maker.plain_words(second, rng))
        text = rng.choice((f"{words}, {other}", f"{words} that is {with_article(other)}"))
    else:
        text = in_one(words, [maker.plain_words(second, rng)], rng)
    return None if maker.withheld.is_withheld(text) else text


def partners(maker: CaptionMaker, term: str, held: Iterable[str]) -> list[str]:
    """Of what a molecule holds, what says more about it than the class or role `term` does; sorted."""
    known = {term, *maker.terms.ancestors(term), *UNINFORMATIVE}
    return sorted(
        other
        for other in held
        if other not in known
        and not (other.startswith("CHEBI:") and term in maker.terms.ancestors(other))
    )


def _labelled(held: str, form: str | None, rng: random.Random) -> str:
    kind, _, label = held.partition(":")
    return (form or rng.choice(LABEL_FORMS[kind])).format(label)
