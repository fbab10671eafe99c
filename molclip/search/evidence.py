"""Does the source of a row state what was asked, or does only the model think so?

The words of a question are linked to classes and roles of the source by their names, synonyms and
the lexicon's plain phrases, longest phrase first. A hit is *recorded* when the source states all of
them for it; what could not be linked is reported, never guessed. Words behind a negation ask for
nothing: what they name is excluded.
"""

from __future__ import annotations

import csv
import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.search.exclusion import ELEMENTS, NEGATIONS, Word, negated
from molclip.search.names import spell_greek
from molclip.search.rows import map_table, write_table

if TYPE_CHECKING:
    from molclip.datasets.ontology import Ontology

TERMS_FILE = "terms.arrow"
PHRASES_FILE = "phrases.arrow"
LONGEST = 10
"""Words in the longest phrase that is looked for."""
_LISTED = 3
"""Meanings of a phrase that a sentence lists."""


def _word_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


GENERIC = _word_set(
    "agent application chemical compound drug entity material medication medicine metabolite "
    "molecule pharmaceutical product structure substance thing"
)
"""Words that by themselves ask for nothing."""

HEADS = _word_set("acid alcohol amide amine base ester ether ion ketone oxide ring salt sugar")
"""Words that mean another thing after a word that was not linked: "propionic acid" is no acid at
large, "conjugate base" no base."""

# As `plain_words` gives them: "does" comes as "doe".
_STOP = _word_set(
    "a about against also an and are as at be between both but by can contain containing derived "
    "derivative did do doe each find for found from give has have having how i in into is it its "
    "like made make me no not of on one or part related show similar some such than that the their "
    "them these this those to two type used use uses using was we were what when where which who "
    "why will with within without you"
)
_PARTS = _word_set("atom core group moiety ring scaffold skeleton system")
"""Words that only say that something is part of a molecule: "without a lactam ring"."""
_WORD = re.compile(r"[a-z0-9]+(?:[,'][a-z0-9]+)*", re.UNICODE)


def plain_words(text: str) -> list[str]:
    """Words as they are compared: lower case, Greek spelled out, hyphens split, singular."""
    return [word.text for word in _words(text)]


def _words(text: str) -> list[Word]:
    found, end = [], 0
    spelled = spell_greek(text)
    for match in _WORD.finditer(spelled):
        found.append(Word(_singular(match.group()), spelled[end : match.start()]))
        end = match.end()
    return found


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _variants(phrase: str) -> set[str]:
    """A phrase, and what is left of it without generic words at either end."""
    words = plain_words(phrase)
    if not words or len(words) > LONGEST:
        return set()
    found = {" ".join(words)}
    while len(words) > 1 and words[-1] in GENERIC:
        words = words[:-1]
    # One short word alone ("cell", "EC") would link by accident.
    if len(words) > 1 or len(words[0]) > 4:
        found.add(" ".join(words))
    return {text for text in found if text not in _STOP}


@dataclass(frozen=True)
class Asked:
    """One phrase of a question and the terms it may mean (any of them will do)."""

    phrase: str
    terms: tuple[int, ...]
    generic: bool


@dataclass(frozen=True)
class Excluded:
    """One thing that a question excludes."""

    phrase: str
    terms: tuple[tuple[int, ...], ...] = ()
    """For each phrase of the source the terms it may mean; a molecule must belong to one of each."""
    elements: tuple[str, ...] = ()
    """Symbols; a molecule that holds one of them is meant."""


@dataclass
class Linked:
    """What a question asks of the source."""

    asked: list[Asked] = field(default_factory=list)
    unlinked: list[str] = field(default_factory=list)
    """Content words that belong to no term."""
    excluded: list[Excluded] = field(default_factory=list)
    """What a molecule must not be or hold."""
    not_excluded: list[str] = field(default_factory=list)
    """Phrases behind a negation that name no term."""

    @property
    def required(self) -> list[Asked]:
        """Phrases that count: the generic ones only where nothing else is asked."""
        return [part for part in self.asked if not part.generic] or self.asked


def write_evidence(folder: Path, ontology: Ontology, lexicons: Iterable[Path]) -> dict[str, int]:
    """Write terms and phrases; return the number of every term by id.

    Parameters
    ----------
    folder
        Where `terms.arrow` and `phrases.arrow` go.
    ontology
        Classes and roles of the source.
    lexicons
        Tab-separated files with `chebi_id` and `plain` (phrases separated by `|`).
    """
    import pyarrow as pa

    terms = [term for term in ontology.terms.values() if term.kind in ("class", "role")]
    number = {term.id: index for index, term in enumerate(terms)}
    phrases: set[tuple[str, int]] = set()
    for term in terms:
        for text in (term.name, *term.synonyms):
            phrases.update((variant, number[term.id]) for variant in _variants(text))
    for path in lexicons:
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE):
                if row["chebi_id"] in number:
                    for text in row["plain"].split("|"):
                        found = _variants(text)
                        phrases.update((variant, number[row["chebi_id"]]) for variant in found)
    batch = pa.RecordBatch.from_pydict(
        {
            "id": pa.array([term.id for term in terms], pa.string()),
            "name": pa.array([term.name for term in terms], pa.string()),
            "kind": pa.array([term.kind for term in terms], pa.string()),
        }
    )
    write_table(folder / TERMS_FILE, batch.schema, [batch])
    ordered = sorted(phrases)
    batch = pa.RecordBatch.from_pydict(
        {
            "phrase": pa.array([phrase for phrase, _ in ordered], pa.string()),
            "term": pa.array([term for _, term in ordered], pa.int32()),
        }
    )
    write_table(folder / PHRASES_FILE, batch.schema, [batch])
    return number


class Closures:
    """Everything the source states about a row, what follows along `is_a` included.

    Parameters
    ----------
    ontology
        Classes and roles of the source.
    number
        Result of `write_evidence`.
    """

    def __init__(self, ontology: Ontology, number: dict[str, int]) -> None:
        self._ontology = ontology
        self._number = number
        self._of_class: dict[str, frozenset[int]] = {}
        self._of_role: dict[str, frozenset[int]] = {}

    def facts(self, id_: str, classes: Iterable[str], roles: Iterable[str]) -> list[int]:
        """Numbers of all terms a row belongs to, ascending; its own id counts as a class."""
        found: set[int] = set()
        for class_ in (id_, *classes):
            if class_ not in self._of_class:
                held = self._ontology.closure([class_])
                held |= self._ontology.inherited_roles([class_])
                self._of_class[class_] = self._numbers(held)
            found |= self._of_class[class_]
        for role in roles:
            if role not in self._of_role:
                self._of_role[role] = self._numbers(self._ontology.closure([role]))
            found |= self._of_role[role]
        return sorted(found)

    def _numbers(self, ids: Iterable[str]) -> frozenset[int]:
        return frozenset(self._number[id_] for id_ in ids if id_ in self._number)


class Evidence:
    """Links questions to terms and judges rows.

    Parameters
    ----------
    folder
        Where `write_evidence` wrote.
    """

    def __init__(self, folder: Path) -> None:
        terms = map_table(folder / TERMS_FILE)
        phrases = map_table(folder / PHRASES_FILE)
        self._ids: Any = terms.column("id")
        self._names: Any = terms.column("name")
        self._kinds: Any = terms.column("kind")
        self._phrases: Any = phrases.column("phrase").chunk(0) if phrases.num_rows else []
        self._terms: Any = phrases.column("term").chunk(0) if phrases.num_rows else []

    def _meanings(self, phrase: str) -> tuple[int, ...]:
        size = len(self._phrases)
        place = bisect_left(range(size), phrase, key=lambda i: self._phrases[i].as_py())
        found = []
        while place < size and self._phrases[place].as_py() == phrase:
            found.append(self._terms[place].as_py())
            place += 1
        return tuple(found)

    def link(self, text: str) -> Linked:
        """Find the classes and roles a question names, and those it excludes."""
        written = _words(text)
        words = [word.text for word in written]
        linked = Linked()
        place = 0
        left_over = -1
        while place < len(words):
            without = negated(written, place, text, _STOP)
            # "non-steroidal anti-inflammatory drug" is a role, and "sugar-free" excludes sugar.
            if without is None or words[place] in NEGATIONS:
                head = left_over == place - 1 >= 0
                size, terms = self._longest(words[place:], head=head)
                if terms:
                    part = words[place : place + size]
                    generic = all(word in GENERIC for word in part)
                    linked.asked.append(Asked(" ".join(part), terms, generic))
                    place += size
                    continue
            if without is not None:
                for excluded in without.parts:
                    self._exclude(list(excluded), linked)
                place = without.end
                continue
            if words[place] not in _STOP and words[place] not in GENERIC:
                linked.unlinked.append(words[place])
                left_over = place
            place += 1
        return linked

    def _longest(self, words: list[str], *, head: bool = False) -> tuple[int, tuple[int, ...]]:
        """Length and terms of the longest phrase that `words` begin with.

        With `head` a phrase that is but one of `HEADS` is none.
        """
        for size in range(min(LONGEST, len(words)), 0, -1):
            phrase = " ".join(words[:size])
            terms = () if phrase in _STOP else self._meanings(phrase)
            if terms and not (head and phrase in HEADS):
                return size, terms
        return 0, ()

    def _exclude(self, words: list[str], linked: Linked) -> None:
        """Add one thing that is excluded; only where all its words are understood.

        "No red dye" does not exclude every dye.
        """
        phrase = " ".join(words)
        elements: list[str] = []
        terms: list[tuple[int, ...]] = []
        while words:
            if words[0] in ELEMENTS and (len(words) == 1 or words[1] in _PARTS):
                elements += ELEMENTS[words[0]]
                words = words[1:]
                continue
            size, found = self._longest(words)
            part = words[: size or 1]
            if found and not all(word in GENERIC for word in part):
                terms.append(found)
            elif not found and part[0] not in _PARTS and part[0] not in GENERIC:
                linked.unlinked.append(part[0])
                terms, elements, words = [], [], []
            words = words[len(part) :]
        if elements or terms:
            linked.excluded.append(Excluded(phrase, tuple(terms), tuple(elements)))
        else:
            linked.not_excluded.append(phrase)

    def describe(self, linked: Linked) -> list[dict[str, str]]:
        """The asked terms for a report: id, name, kind, phrase."""
        return [
            {
                "id": self._ids[term].as_py(),
                "name": self._names[term].as_py(),
                "kind": self._kinds[term].as_py(),
                "phrase": asked.phrase,
            }
            for asked in linked.asked
            for term in asked.terms
        ]

    def names_of(self, excluded: Excluded) -> list[str]:
        """Names of the terms that are excluded."""
        terms = dict.fromkeys(term for part in excluded.terms for term in part)
        return [self._names[term].as_py() for term in terms]

    def wording(self, linked: Linked) -> str:
        """What the source has to state of a row, for a sentence."""
        said = []
        for asked in linked.required:
            names = list(dict.fromkeys(self._names[term].as_py() for term in asked.terms))
            # Of a word with many meanings the word itself says more than their list.
            said.append(" or ".join(names) if len(names) <= _LISTED else repr(asked.phrase))
        return " and ".join(dict.fromkeys(said))

    def judge(self, facts: Iterable[int] | None, linked: Linked) -> tuple[str, list[str]]:
        """`recorded` or `predicted`, and the names of the asked terms the source states.

        Parameters
        ----------
        facts
            Numbers of the row's terms (`Closures.facts`).
        linked
            Result of `link`.
        """
        held = set(facts or ())
        named: list[str] = []
        missing = not linked.asked
        for asked in linked.asked:
            stated = [term for term in asked.terms if term in held]
            named += [self._names[term].as_py() for term in stated]
            if not stated and asked in linked.required:
                missing = True
        return ("predicted" if missing else "recorded"), list(dict.fromkeys(named))
