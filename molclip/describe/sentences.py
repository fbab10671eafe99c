"""Captions made from facts, in ChEBI's manner and in plain words; nothing is said without a fact.

Captions of training (`text.captions`) are drawn at random and dress facts up; these are for
reading, so they say each fact once and always the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from molclip.text.grammar import as_kind, joined, singular, with_article
from molclip.text.property_phrases import ADJECTIVES, property_phrases

_MOST = 4
"""Classes, roles and relations of each kind in one caption."""
_REDUNDANT = {"acyclic": "no rings", "cationic": "charge +", "anionic": "charge -"}
_RELATIONS = {
    "has_functional_parent": "is functionally related to",
    "has_parent_hydride": "derives from the hydride",
    "is_conjugate_base_of": "is a conjugate base of",
    "is_conjugate_acid_of": "is a conjugate acid of",
    "is_enantiomer_of": "is an enantiomer of",
    "is_tautomer_of": "is a tautomer of",
    "has_part": "contains",
    "is_substituent_group_from": "is a substituent group from",
}


def formal(
    name: str | None,
    classes: Sequence[str],
    roles: Sequence[str],
    relations: Sequence[tuple[str, str]] = (),
) -> str:
    """Classes, roles and relations by their names, in the manner of ChEBI.

    Parameters
    ----------
    name
        Of the molecule; None for one without.
    classes, roles
        Names; the first few are said.
    relations
        Kind of relation and name of the other molecule.

    Returns
    -------
    str
        One to three sentences; empty where there is nothing to say.
    """
    said = []
    if classes:
        said.append(f"is {joined([as_kind(kind) for kind in classes[:_MOST]])}")
    if roles:
        said.append(f"has a role as {joined([as_kind(role) for role in roles[:_MOST]])}")
    by_kind: dict[str, list[str]] = {}
    for kind, other in relations:
        if kind in _RELATIONS:
            by_kind.setdefault(kind, []).append(other)
    said += [f"{_RELATIONS[kind]} {joined(found[:_MOST])}" for kind, found in by_kind.items()]
    if not said:
        return ""
    subject = _capital(name) if name else "The molecule"
    return " ".join([f"{subject} {said[0]}.", *(f"It {part}." for part in said[1:])])


def plain(classes: Sequence[str], roles: Sequence[str]) -> str:
    """One sentence in everyday words.

    Parameters
    ----------
    classes, roles
        Everyday phrases, one for each class and role.
    """
    kind = singular(classes[0]) if classes else "molecule"
    acts = joined([with_article(singular(role)) for role in roles[:2]])
    if not classes and not roles:
        return ""
    return _capital(f"{with_article(kind)}{f' that is {acts}' if acts else ''}.")


def of_properties(properties: Mapping[str, Any]) -> str:
    """One sentence about size, charge and composition; empty where little is known."""
    known = {key: value for key, value in properties.items() if value is not None}
    phrases = property_phrases(known)
    adjectives = [phrase for phrase in phrases if phrase in ADJECTIVES]
    doubled = tuple(_REDUNDANT[word] for word in adjectives if word in _REDUNDANT)
    others = [p for p in phrases if p not in adjectives and not (doubled and p.startswith(doubled))]
    if len(phrases) < 2:
        return ""
    kind = " ".join([", ".join(adjectives), "molecule"]).strip()
    return _capital(f"{with_article(kind)} with {joined(others)}.")


def _capital(text: str) -> str:
    """A capital at the start of a word; locants, stereo and the like stay as they are."""
    return (
        text[:1].upper() + text[1:]
        if text[:2].isalpha() and text[:2].islower()
        else (text[:1].upper() + text[1:] if text.startswith(("a ", "an ")) else text)
    )
