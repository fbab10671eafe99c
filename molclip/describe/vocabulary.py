"""The labels that a molecule is compared with: ChEBI's classes and roles, and ChemFuncT's uses."""

from __future__ import annotations

import csv
from collections import Counter
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import Ontology
from molclip.text.captions import UNINFORMATIVE

if TYPE_CHECKING:
    from molclip.datasets.facts import Facts

DEFINITIONS_FILE = "definitions.tsv"
"""In `molclip.data`, made by `data/build_definitions.py`."""

MEMBERS = 3
"""Curated molecules that a class or role needs: how rare fewer are cannot be told."""
RAREST_USE = 0.02
"""Uses count as no more frequent than this: ChemFuncT's substances are the products of industry,
so its shares say nothing about a library of natural products and drugs."""


@dataclass(frozen=True, slots=True)
class Label:
    """One class, role or use."""

    id: str
    kind: str
    """`class`, `role` or `use`."""
    name: str
    share: float
    """Share of the source's molecules that have it, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a class or use means, as people wrote it."""

    id: str
    name: str
    text: str
    source: str


def informative(id_: str, ontology: Ontology) -> bool:
    """Whether a class or role says something: "biological role" only sorts other roles."""
    return id_ not in UNINFORMATIVE and not (
        ontology.kind(id_) == "role" and ontology.name(id_).endswith(" role")
    )


def labels(facts: Facts | None = None, ontology: Ontology | None = None) -> list[Label]:
    """Classes and roles of at least `MEMBERS` curated molecules, then uses.

    A molecule has what ChEBI gives it, what lies above, and the roles of its classes.

    Parameters
    ----------
    facts, ontology
        The shipped ones where left out.
    """
    facts, ontology = facts or load_facts(), ontology or Ontology.load()
    counts, whole = _members(facts, ontology)
    found = [
        Label(term.id, term.kind, term.name, counts[term.id] / whole)
        for term in ontology.terms.values()
        if term.kind in ("class", "role")
        and counts[term.id] >= MEMBERS
        and informative(term.id, ontology)
    ]
    return [*found, *_uses()]


def _members(facts: Facts, ontology: Ontology) -> tuple[Counter[str], int]:
    """Curated molecules below each term, and how many there are in all."""
    # Most molecules share their lists of classes and roles with others, so each is closed once.
    lists: Counter[tuple[tuple[str, ...], tuple[str, ...]]] = Counter()
    columns = [facts.column(name) for name in ("classes", "roles", "curated")]
    for classes, roles, curated in zip(*columns, strict=True):
        if curated:
            lists[tuple(classes), tuple(roles)] += 1
    counts: Counter[str] = Counter()
    for (classes, roles), times in lists.items():
        for id_ in held(ontology, classes, roles):
            counts[id_] += times
    return counts, max(1, lists.total())


def held(ontology: Ontology, classes: tuple[str, ...], roles: tuple[str, ...]) -> frozenset[str]:
    """Everything that follows from a molecule's own classes and roles, themselves included."""
    return _of_classes(ontology, classes) | ontology.closure(roles)


def _of_classes(ontology: Ontology, classes: tuple[str, ...]) -> frozenset[str]:
    return ontology.closure(classes) | ontology.inherited_roles(classes)


def _uses() -> list[Label]:
    return [
        Label(row["id"], "use", row["name"], min(RAREST_USE, float(row["share"])))
        for row in _rows()
        if row["kind"] == "use"
    ]


@cache
def definitions() -> dict[str, Definition]:
    """Written definitions of classes and uses by their ids."""
    sources = {"class": "definition in ChEBI", "use": "description in ChemFuncT"}
    return {
        row["id"]: Definition(row["id"], row["name"], row["definition"], sources[row["kind"]])
        for row in _rows()
    }


@cache
def _rows() -> tuple[dict[str, str], ...]:
    lines = (files("molclip.data") / DEFINITIONS_FILE).read_text(encoding="utf-8").splitlines()
    return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
