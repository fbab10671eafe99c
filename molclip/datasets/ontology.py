"""The ontology behind the embedded library: classes, roles, and what lies above them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from importlib.resources import as_file, files
from os import PathLike
from pathlib import Path

from molclip.errors import InputError

TERMS_FILE = "terms.parquet"

ROLE_ROOT = "CHEBI:50906"
"""The entry "role", above every role."""


@dataclass(frozen=True)
class Term:
    """One class, role, or molecule that a relation points to.

    Parameters
    ----------
    id
        ChEBI id, ``"CHEBI:22315"``.
    name
        ChEBI's name, ``"alkaloid"``.
    kind
        ``"class"``, ``"role"`` or ``"molecule"`` (a row of the library).
    parents
        Ids of the direct ``is_a`` parents.
    roles
        Ids of the roles the source gives this term directly.
    synonyms
        Other names.
    """

    id: str
    name: str
    kind: str
    parents: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    synonyms: tuple[str, ...] = ()


@dataclass
class Ontology:
    """Terms and their closure. Unknown ids have no parents and no children.

    Parameters
    ----------
    terms
        Every term by id.
    """

    terms: dict[str, Term]
    _ancestors: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)
    _children: dict[str, tuple[str, ...]] | None = field(default=None, repr=False)
    _names: dict[str, tuple[str, ...]] | None = field(default=None, repr=False)

    @classmethod
    def load(cls, path: str | PathLike[str] | None = None) -> Ontology:
        """The shipped ontology (read once), or one from a Parquet file of the same columns.

        Raises
        ------
        molclip.errors.InputError
            When the file is missing or is no such table.
        """
        return _shipped() if path is None else _read(Path(path))

    def name(self, id_: str) -> str:
        """ChEBI's name of a term; the id itself where it is unknown."""
        term = self.terms.get(id_)
        return term.name if term else id_

    def kind(self, id_: str) -> str | None:
        """``"class"``, ``"role"``, ``"molecule"``, or None where the id is unknown."""
        term = self.terms.get(id_)
        return term.kind if term else None

    def parents(self, id_: str) -> tuple[str, ...]:
        """Ids of the direct ``is_a`` parents."""
        term = self.terms.get(id_)
        return term.parents if term else ()

    def ancestors(self, id_: str) -> frozenset[str]:
        """Ids of everything above a class or role along ``is_a``, itself not included."""
        known = self._ancestors.get(id_)
        if known is not None:
            return known
        found: set[str] = set()
        todo = list(self.parents(id_))
        while todo:
            parent = todo.pop()
            if parent not in found:
                found.add(parent)
                todo.extend(self.parents(parent))
        found.discard(id_)
        closure = frozenset(found)
        self._ancestors[id_] = closure
        return closure

    def closure(self, ids: Iterable[str]) -> frozenset[str]:
        """These ids and everything above them."""
        found: set[str] = set()
        for id_ in ids:
            found.add(id_)
            found |= self.ancestors(id_)
        return frozenset(found)

    def children(self, id_: str) -> tuple[str, ...]:
        """Ids of the direct ``is_a`` children among the terms."""
        if self._children is None:
            below: dict[str, list[str]] = {}
            for term in self.terms.values():
                for parent in term.parents:
                    below.setdefault(parent, []).append(term.id)
            self._children = {parent: tuple(ids) for parent, ids in below.items()}
        return self._children.get(id_, ())

    def descendants(self, id_: str) -> frozenset[str]:
        """Ids of everything below a term, itself not included."""
        found: set[str] = set()
        todo = list(self.children(id_))
        while todo:
            child = todo.pop()
            if child not in found:
                found.add(child)
                todo.extend(self.children(child))
        return frozenset(found)

    def inherited_roles(self, classes: Iterable[str]) -> frozenset[str]:
        """Roles of these classes and of what lies above them, with the roles' own ancestors.

        What the source says of a class it says of the members.
        """
        direct: set[str] = set()
        for id_ in self.closure(classes):
            term = self.terms.get(id_)
            if term:
                direct.update(term.roles)
        return self.closure(direct)

    def records(
        self,
        row_classes: Iterable[str],
        row_roles: Iterable[str],
        term_id: str,
        *,
        inherit_roles: bool = True,
    ) -> bool:
        """Whether the source states that a library row has this class or role.

        Parameters
        ----------
        row_classes, row_roles
            Ids in the row's ``classes`` and ``roles``.
        term_id
            Id of the class or role asked for.
        inherit_roles
            Count roles that the source gives to one of the row's classes, not to the row.

        Returns
        -------
        bool
            True for a fact of the row itself or one that follows from it along ``is_a``.
        """
        if self.kind(term_id) != "role":
            return term_id in self.closure(row_classes)
        if term_id in self.closure(row_roles):
            return True
        return inherit_roles and term_id in self.inherited_roles(row_classes)

    def lookup(self, name: str, kind: str | None = None) -> tuple[str, ...]:
        """Ids of the terms with this name or synonym.

        Case, hyphens and a plural *s* make no difference: "Beta lactam antibiotics" finds
        "beta-lactam antibiotic".

        Parameters
        ----------
        name
            What the user wrote.
        kind
            Only terms of this kind.
        """
        if self._names is None:
            index: dict[str, list[str]] = {}
            for term in self.terms.values():
                for word in dict.fromkeys(map(_plain, (term.name, *term.synonyms))):
                    index.setdefault(word, []).append(term.id)
            self._names = {word: tuple(ids) for word, ids in index.items()}
        found = self._names.get(_plain(name), ())
        return tuple(id_ for id_ in found if kind is None or self.terms[id_].kind == kind)


def _plain(name: str) -> str:
    words = name.casefold().replace("-", " ").split()
    if words and len(words[-1]) > 3 and words[-1].endswith("s") and not words[-1].endswith("ss"):
        words[-1] = words[-1][:-1]
    return " ".join(words)


@lru_cache(maxsize=1)
def _shipped() -> Ontology:
    with as_file(files("molclip.data") / TERMS_FILE) as path:
        return _read(path)


def _read(path: Path) -> Ontology:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = ["id", "name", "kind", "parents", "roles", "synonyms"]
    try:
        # ParquetFile, because read_table imports pandas, half a second.
        with pq.ParquetFile(path) as file:
            table = file.read(columns=columns)
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            f"Cannot read the ontology {path}: {str(error).splitlines()[0]}.",
            "Reinstall molclip, or build the table again.",
        ) from error
    missing = [name for name in columns if name not in table.column_names]
    if missing:
        raise InputError(f"{path} lacks the column {missing[0]!r}.", "Build the table again.")
    rows = zip(*(table.column(c).to_pylist() for c in columns), strict=True)
    return Ontology(
        {
            id_: Term(id_, name, kind, tuple(parents), tuple(roles), tuple(synonyms))
            for id_, name, kind, parents, roles, synonyms in rows
        }
    )
