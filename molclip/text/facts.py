"""What is known about one molecule, before it becomes a sentence."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Protocol


class Terms(Protocol):
    """The part of an ontology that captions need; `datasets.facts.Ontology` is one."""

    def name(self, term: str) -> str:
        """Name of a class or role."""

    def ancestors(self, term: str) -> Collection[str]:
        """Every term above `term`, without itself."""


@dataclass(slots=True)
class MoleculeFacts:
    """Facts of one molecule, as ChEBI and label sets state them.

    `classes` and `roles` are ontology ids; `relations` are `(kind, name of the other molecule)`.
    """

    names: tuple[str, ...] = ()
    """The primary name first, then synonyms."""
    classes: tuple[str, ...] = ()
    """Direct classes (is_a)."""
    roles: tuple[str, ...] = ()
    """Direct roles (has_role)."""
    relations: tuple[tuple[str, str], ...] = ()
    """For instance `("is_conjugate_base_of", "acetic acid")`."""
    partners: tuple[str, ...] = ()
    """Ids of its conjugate acids and bases, enantiomers and tautomers."""
    labels: tuple[tuple[str, str], ...] = ()
    """`(kind, label)` from label sets: kinds are the keys of `captions.LABEL_FORMS`."""
    texts: tuple[str, ...] = ()
    """Descriptions written by people."""
    properties: dict[str, float | str] = field(default_factory=dict)
    """Computed properties (`chem.descriptors`), for captions about size and shape."""

    def closed(self, terms: Terms, ids: Iterable[str]) -> set[str]:
        """`ids` with everything above them."""
        result = set(ids)
        for term in list(result):
            result.update(terms.ancestors(term))
        return result
