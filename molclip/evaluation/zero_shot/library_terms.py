"""Which rows of the embedded library ChEBI gives a class or role to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from molclip.datasets.facts import Facts
from molclip.datasets.ontology import Ontology


@dataclass(frozen=True)
class Rows:
    """Molecules of a library and the terms above each."""

    ids: Sequence[str]
    """ChEBI id of each row."""
    inchikeys: Sequence[str]
    smiles: Sequence[str]
    members: Mapping[str, frozenset[int]]
    """Rows by term id: classes and roles of the row, roles of its classes, and all above them."""

    @classmethod
    def of(cls, facts: Facts, ontology: Ontology, *, curated: bool = True) -> Rows:
        """Read the rows of a table of facts; `curated`: only those that curators checked."""
        wanted = ("chebi_id", "inchikey", "smiles", "classes", "roles", "curated")
        ids: list[str] = []
        keys: list[str] = []
        smiles: list[str] = []
        members: dict[str, set[int]] = {}
        closures = _Closures(ontology)
        columns = (facts.column(name) for name in wanted)
        for id_, key, text, classes, roles, checked in zip(*columns, strict=True):
            if curated and not checked:
                continue
            for term in closures.terms(id_, classes, roles):
                members.setdefault(term, set()).add(len(ids))
            ids.append(id_)
            keys.append(key)
            smiles.append(text)
        return cls(ids, keys, smiles, {term: frozenset(rows) for term, rows in members.items()})


class _Closures:
    """Terms above a row; the rows of one class share the work."""

    def __init__(self, ontology: Ontology) -> None:
        self._ontology = ontology
        self._of_class: dict[str, frozenset[str]] = {}
        self._of_role: dict[str, frozenset[str]] = {}

    def terms(self, id_: str, classes: Iterable[str], roles: Iterable[str]) -> set[str]:
        """Return the classes and roles of a row; a row's own id may be a class of others."""
        found: set[str] = set()
        for class_ in (id_, *classes):
            if class_ not in self._of_class:
                held = self._ontology.closure([class_]) | self._ontology.inherited_roles([class_])
                self._of_class[class_] = frozenset(held)
            found |= self._of_class[class_]
        for role in roles:
            if role not in self._of_role:
                self._of_role[role] = self._ontology.closure([role])
            found |= self._of_role[role]
        return {term for term in found if self._ontology.kind(term) in ("class", "role")}
