"""Queries made from an ontology: the same every time, spread over frequent and rare terms."""

from __future__ import annotations

import hashlib
from bisect import bisect
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from molclip.datasets.ontology import Ontology
from molclip.evaluation.zero_shot.library_terms import Rows
from molclip.text.captions import UNINFORMATIVE
from molclip.text.grammar import as_kind, is_plural, singular

HITS = 10
STRATA = (HITS, 30, 100, 300, 1000)
"""A term belongs to the stratum of the largest of these that its number of rows reaches."""
_MOST = 0.5
"""A term of more than this share of the rows asks for nothing."""
_OVERLAP = (0.25, 0.75)
"""A condition is worth asking where it holds for this share of the class."""
_BOTH = 0.5
"""Neither half of a combined query may fill more than this share of the other's rows."""
_HEADS = (" agent", " drug", " compound")

SLICES = {
    "class names": 70,
    "class, everyday words": 50,
    "role names": 60,
    "role, everyday words": 50,
    "negated": 30,
    "combined": 40,
}
"""Queries of each kind."""


@dataclass(frozen=True)
class LibraryQuery:
    """A query with the rows that answer it."""

    text: str
    slice: str
    terms: tuple[str, ...]
    """Ids it is made of; in a negated query the second is the one not wanted."""
    right: frozenset[int]
    stratum: int
    """Least number of rows of its stratum."""
    parts: tuple[str, ...] = ()
    """Simpler queries, to see what the condition is worth: the same rows are right for them."""


class QueryMaker:
    """Makes queries for the rows of a library.

    Parameters
    ----------
    rows
        Which rows have which term.
    ontology
        Names and kinds of terms.
    lexicon
        Everyday phrases by term.
    seed
        Another seed chooses other terms.
    """

    def __init__(
        self,
        rows: Rows,
        ontology: Ontology,
        lexicon: Mapping[str, Sequence[str]],
        seed: int = 0,
    ) -> None:
        self._rows, self._ontology, self._lexicon, self._seed = rows, ontology, lexicon, seed
        most = _MOST * len(rows.ids)
        self._size = {
            term: len(found)
            for term, found in rows.members.items()
            if HITS <= len(found) <= most and term not in UNINFORMATIVE
        }

    def queries(self, wanted: Mapping[str, int] | None = None) -> list[LibraryQuery]:
        """Return the suite; fewer where the library has too few terms.

        Parameters
        ----------
        wanted
            Queries by slice; `SLICES` by default.
        """
        made: list[LibraryQuery] = []
        for name, count in (SLICES if wanted is None else wanted).items():
            made += self._slice(name, count)
        return made

    def _slice(self, name: str, count: int) -> list[LibraryQuery]:
        if name == "negated":
            return self._pairs(count, self._negated)
        if name == "combined":
            return self._pairs(count, self._combined)
        kind, _, form = name.replace(",", "").partition(" ")
        plain = form != "names"
        made = []
        for term in self._spread(kind, count, with_words=plain):
            text = self._ontology.name(term)
            if plain:
                text = min(self._lexicon[term], key=lambda phrase: self._draw(term, phrase))
            made.append(self._query(text, name, (term,), self._rows.members[term]))
        return made

    def _query(
        self,
        text: str,
        name: str,
        terms: tuple[str, ...],
        right: frozenset[int],
        parts: tuple[str, ...] = (),
    ) -> LibraryQuery:
        return LibraryQuery(text, name, terms, right, STRATA[bisect(STRATA, len(right)) - 1], parts)

    # -- choosing terms -----------------------------------------------------------------------

    def _draw(self, *parts: str) -> bytes:
        return hashlib.sha256("/".join((str(self._seed), *parts)).encode()).digest()

    def _shuffled(self, kind: str) -> list[str]:
        terms = [term for term in self._size if self._ontology.kind(term) == kind]
        return sorted(terms, key=lambda term: self._draw(kind, term))

    def _spread(self, kind: str, count: int, *, with_words: bool) -> list[str]:
        """Terms in turn from every stratum; bare names and everyday words use other terms."""
        strata: dict[int, list[str]] = {}
        for term in self._shuffled(kind):
            # Half of the terms that the lexicon knows are kept for its words.
            worded = term in self._lexicon and self._draw("words", term)[0] < 128
            if worded == with_words:
                strata.setdefault(bisect(STRATA, self._size[term]), []).append(term)
        chosen: list[str] = []
        while len(chosen) < count and any(strata.values()):
            for stratum in sorted(strata):
                if strata[stratum] and len(chosen) < count:
                    chosen.append(strata[stratum].pop(0))
        return chosen

    def _pairs(
        self, count: int, make: Callable[[str], Iterator[LibraryQuery]]
    ) -> list[LibraryQuery]:
        """One query for each class in turn, until there are enough."""
        made: list[LibraryQuery] = []
        strata: dict[int, list[str]] = {}
        for term in self._shuffled("class"):
            strata.setdefault(bisect(STRATA, self._size[term]), []).append(term)
        while len(made) < count and any(strata.values()):
            for stratum in sorted(strata):
                while strata[stratum] and len(made) < count:
                    query = next(make(strata[stratum].pop(0)), None)
                    if query is not None:
                        made.append(query)
                        break
        return made

    def _others(self, first: str, kinds: tuple[str, ...]) -> list[str]:
        others = [
            term for term in self._size if term != first and self._ontology.kind(term) in kinds
        ]
        return sorted(others, key=lambda term: self._draw(first, term))

    def _negated(self, first: str) -> Iterator[LibraryQuery]:
        """A class without another class or role: "alkaloid that is not a steroid"."""
        members = self._rows.members[first]
        low, high = (share * len(members) for share in _OVERLAP)
        for second in self._others(first, ("class", "role")):
            other = self._rows.members[second]
            if low <= len(members & other) <= high and len(members - other) >= HITS:
                head = singular(self._ontology.name(first))
                text = f"{head} that is not {as_kind(self._ontology.name(second))}"
                yield self._query(text, "negated", (first, second), members - other, (head,))

    def _combined(self, first: str) -> Iterator[LibraryQuery]:
        """A class with a role: "antibacterial sulfonamide"."""
        members = self._rows.members[first]
        for second in self._others(first, ("role",)):
            other = self._rows.members[second]
            both = members & other
            if len(both) >= HITS and len(both) <= _BOTH * min(len(members), len(other)):
                class_, role = self._ontology.name(first), self._ontology.name(second)
                text = combined_text(class_, role)
                yield self._query(text, "combined", (first, second), both, (class_, role))


def combined_text(class_: str, role: str) -> str:
    """A class and a role as people type them: the role's adjective first, where it has one."""
    head = singular(class_)
    for ending in _HEADS:
        adjective = role.removesuffix(ending)
        if adjective != role and " " not in adjective:
            return f"{adjective} {head}"
    return f"{head} that is {as_kind(role)}" if not is_plural(role) else f"{head}, {role}"
