"""Captions made from facts: the same molecule in many sentences, from one word to a paragraph.

Each caption also says which facts it rests on. That is what lets the trainer mask a false
negative: another molecule of the batch to which the same sentence applies.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from molclip.text.facts import MoleculeFacts, Terms
from molclip.text.grammar import as_kind, is_plural, joined, singular, with_article
from molclip.text.name_prose import acid_of, unfold
from molclip.text.property_phrases import (
    ADJECTIVES,
    composition_phrases,
    property_phrases,
    worded,
)
from molclip.text.sentences import split_sentences
from molclip.text.withheld import Withheld

#: Terms too broad to say anything: nobody searches for a "molecular entity".
UNINFORMATIVE = frozenset(
    f"CHEBI:{number}"
    for number in (
        24431, 23367, 36342, 50906, 24432, 51086, 33232, 52206, 52211, 33250, 33579, 33582, 33259,
        36357, 25367, 33302, 33675, 33304, 37577, 50860, 72695, 33285,
    )
)  # fmt: skip

#: Everything below it is a role of ChEBI.
ROLE = "CHEBI:50906"

#: Sentence openings by label kind; `{}` is the label.
LABEL_FORMS: dict[str, tuple[str, ...]] = {
    "pathway": ("{}", "a natural product of the {} pathway", "{} natural product"),
    "superclass": ("{}", "a natural product of the {} type", "a member of {}"),
    "class": ("{}", "a natural product of the class {}", "a member of {}"),
    "use": ("{}", "used as {}", "a chemical used as {}", "a substance with the function {}"),
    "odour": ("smells {}", "{} odour", "a {} smelling compound", "{}", "a compound with {} scent"),
    "mechanism": ("{}", "a drug that acts as {}", "a {}"),
    "target": ("acts on {}", "a ligand of {}", "a compound that binds {}"),
    "indication": ("used to treat {}", "a drug for {}", "a medicine against {}", "treats {}"),
    "area": ("a drug used in {}", "a {} drug", "a medicine for {}"),
}

_RELATION_FORMS = {
    "has_functional_parent": ("It derives from {}.", "It is functionally related to {}."),
    "has_parent_hydride": ("It derives from a hydride of {}.",),
    "is_conjugate_base_of": ("It is a conjugate base of {}.",),
    "is_conjugate_acid_of": ("It is a conjugate acid of {}.",),
    "is_enantiomer_of": ("It is an enantiomer of {}.",),
    "is_tautomer_of": ("It is a tautomer of {}.",),
    "has_part": ("It contains {}.",),
    "is_substituent_group_from": ("It is a substituent group from {}.",),
}
_BOILERPLATE = re.compile(r"natural product found in|with data available|\[PubChem\]")
# Drawings of a caption that says nothing withheld. Facts are cleaned of such texts beforehand
# (`Withheld.without`), so a second drawing is rare.
_DRAWS = 20


@dataclass(frozen=True, slots=True)
class Caption:
    """One sentence about one molecule.

    `facts` are the ids or labels it rests on; None when it holds for this molecule alone (a name,
    a description that a person wrote).
    """

    text: str
    facts: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class CaptionMix:
    """How often each kind of caption is drawn. The rest are full descriptions from facts."""

    real: float = 0.8
    """Share of a person's description, for molecules that have one."""
    short: float = 0.35
    """Share of a bare class, role, ancestor, or a pair of them."""
    label: float = 0.5
    """Share of a label of another set, for molecules that have one."""
    name: float = 0.06
    """Share of a bare name."""
    properties: float = 0.06
    """Share of sentences about size, charge and composition."""
    plain: float = 0.5
    """Within short captions: share of plain-language words where the lexicon has some."""
    lowercase_article: float = 0.3
    """Within short captions: share that keep their article."""


class CaptionMaker:
    """Draws captions for molecules.

    Parameters
    ----------
    terms
        The ontology that names classes and roles.
    lexicon
        Plain-language phrases by term id (see `text.lexicon`).
    definitions
        Written definitions by term id; used as captions of the molecules below the term.
    mix
        Shares of the caption kinds.
    withheld
        Labels that no caption may say, nor any synonym of them; none by default.
    """

    def __init__(
        self,
        terms: Terms,
        lexicon: Mapping[str, Sequence[str]],
        definitions: Mapping[str, str] | None = None,
        mix: CaptionMix | None = None,
        withheld: Withheld | None = None,
    ) -> None:
        self.withheld = withheld or Withheld()
        self.terms = terms
        self.lexicon = self.withheld.of_phrases(lexicon) if self.withheld else lexicon
        self.definitions = {
            term: text
            for term, text in (definitions or {}).items()
            if not self.withheld.is_withheld(text)
        }
        self.mix = mix or CaptionMix()
        self._closed: dict[str, tuple[str, ...]] = {}
        self._said: dict[str, bool] = {}

    def caption(self, facts: MoleculeFacts, rng: random.Random) -> Caption:
        """Draw one caption that says nothing withheld.

        Parameters
        ----------
        facts
            The molecule's facts; at least a name.
        rng
            Source of randomness; the same state gives the same caption.
        """
        for _ in range(_DRAWS):
            made = self._draw(facts, rng)
            if not self.withheld.is_withheld(made.text):
                return made
        return Caption("a molecule", frozenset())

    def _draw(self, facts: MoleculeFacts, rng: random.Random) -> Caption:
        mix = self.mix
        if facts.texts and rng.random() < mix.real:
            return self._real(facts, rng)
        if not (facts.names or facts.classes or facts.roles):
            # A molecule that only a label set knows has nothing else to be told about.
            make_first = self._properties if rng.random() < 0.15 else self._label
            made = make_first(facts, rng) or self._label(facts, rng)
            return made or Caption("a molecule", frozenset())
        draw = rng.random()
        attempts: tuple[tuple[float, Callable[[MoleculeFacts, random.Random], Caption | None]], ...]
        attempts = (
            (mix.label if facts.labels else 0.0, self._label),
            (mix.short, self._short),
            (mix.properties, self._properties),
            (mix.name, self._name),
        )
        for share, make in attempts:
            if draw < share:
                made = make(facts, rng)
                if made is not None:
                    return made
                break
            draw = (draw - share) / (1 - share) if share < 1 else 1.0
        return self._full(facts, rng)

    # -- whole descriptions -------------------------------------------------------------------

    def _real(self, facts: MoleculeFacts, rng: random.Random) -> Caption:
        sentences = _sentences(rng.choice(facts.texts))
        useful = [s for s in sentences if not _BOILERPLATE.search(s)] or list(sentences[:1])
        head, tail = useful[0], useful[1:]
        if rng.random() < 0.5:
            tail = [s for s in tail if rng.random() < 0.7]
        if rng.random() < 0.15:
            rng.shuffle(tail)
        if tail and rng.random() < 0.1:
            head, tail = tail[0], tail[1:]
        return Caption(" ".join([head, *tail]), None)

    def _full(self, facts: MoleculeFacts, rng: random.Random) -> Caption:
        classes = self._informative(facts.classes)
        rng.shuffle(classes)
        roles = self._informative(facts.roles)
        rng.shuffle(roles)
        relations = list(facts.relations)
        rng.shuffle(relations)
        keep_all = rng.random() < 0.55
        said_roles = roles if keep_all else _some(roles, rng)
        said_classes = classes if keep_all else _some(classes, rng)
        said_relations = relations if keep_all else _some(relations, rng)
        sentences: list[str] = []
        named = bool(facts.names) and rng.random() < 0.65
        if named:
            sentences.append(self._opening(facts, classes, rng))
        if said_roles:
            listed = joined([self._role_words(role, rng) for role in said_roles])
            form = "It has a role as {}." if rng.random() < 0.85 else "It is used as {}."
            sentences.append(form.format(listed))
        if said_classes and (not named or rng.random() < 0.85):
            listed = joined([as_kind(self.terms.name(term)) for term in said_classes])
            sentences.append(f"It is {listed}.")
        for kind, other in said_relations[:5]:
            forms = _RELATION_FORMS.get(kind)
            if forms:
                sentences.append(rng.choice(forms).format(with_article(other)))
        if not sentences:
            sentences.append(self._opening(facts, classes, rng))
            named = True
        first = sentences[0]
        if first.startswith("It "):
            sentences[0] = f"The molecule {first[3:]}"
        # A relation names one other molecule, so it pins this one down about as a name does.
        stated = None if named or said_relations else frozenset([*said_roles, *said_classes])
        return Caption(" ".join(sentences), stated)

    def _opening(self, facts: MoleculeFacts, classes: Sequence[str], rng: random.Random) -> str:
        name = facts.names[0] if facts.names else "of unknown name"
        if len(facts.names) > 1 and rng.random() < 0.45:
            name = rng.choice(facts.names[1:])
        lead = ""
        if classes:
            kind = self.terms.name(rng.choice(classes))
            lead = f"a member of the class of {kind}" if is_plural(kind) else with_article(kind)
        told = self._relation_opening(facts, rng)
        if told is not None and not lead:
            told = told.removeprefix("that is ")
        if told is None:
            told = f"that is {unfold(name, rng)}" if lead else unfold(name, rng)
        return f"The molecule is {lead} {told}.".replace("  ", " ")

    def _relation_opening(self, facts: MoleculeFacts, rng: random.Random) -> str | None:
        """The curator's phrase for an anion, a cation or an enantiomer, half of the time."""
        if not facts.names or rng.random() < 0.4:
            return None
        for kind, other in facts.relations:
            if kind == "is_conjugate_base_of":
                group = "carboxy group" if other.endswith("acid") else "acidic group"
                if "CoA" in other or "phosph" in other:
                    group = "phosphate OH groups"
                tail = rng.choice(
                    (
                        f", obtained by deprotonation of the {group}; major species at pH 7.3",
                        f", resulting from the deprotonation of the {group}",
                        f"; major species at pH 7.3, arising from deprotonation of the {group}",
                        "",
                    )
                )
                return f"that is the conjugate base of {other}{tail}"
            if kind == "is_conjugate_acid_of" and "(1+)" in facts.names[0]:
                tail = rng.choice(
                    (
                        ", obtained by protonation of the amino group; major species at pH 7.3",
                        ", arising from protonation of the tertiary amino group",
                        "; major species at pH 7.3",
                    )
                )
                return f"that is the conjugate acid of {other}{tail}"
            if kind == "is_enantiomer_of" and rng.random() < 0.3:
                return f"that is the enantiomer of {other}"
            if kind == "is_tautomer_of" and "zwitterion" in facts.names[0]:
                return (
                    "obtained by transfer of a proton from the carboxy group to the amino group "
                    f"of {other}; major species at pH 7.3"
                )
            if kind == "has_functional_parent" and rng.random() < 0.25:
                return f"that is derived from {other}"
        acid = acid_of(facts.names[0]) if facts.names else None
        if acid and rng.random() < 0.3:
            return f"that is an ester or anion of {acid}"
        return None

    def _role_words(self, role: str, rng: random.Random) -> str:
        if role in self.lexicon and rng.random() < 0.2:
            return with_article(rng.choice(self.lexicon[role]))
        return as_kind(self.terms.name(role))

    # -- short captions -----------------------------------------------------------------------

    def _short(self, facts: MoleculeFacts, rng: random.Random) -> Caption | None:
        classes = self._closed_informative(facts.classes)
        roles = self._closed_informative(facts.roles)
        direct = self._informative([*facts.classes, *facts.roles])
        if not classes and not roles:
            return None
        draw = rng.random()
        if draw < 0.12 and (told := self._definition(direct or [*classes, *roles], rng)):
            return told
        if draw > 0.985 and (broad := self._broad(facts)):
            term = rng.choice(broad)
            return Caption(as_kind(self.terms.name(term)), frozenset([term]))
        if draw < 0.4 and direct:
            chosen = [rng.choice(direct)]
        elif draw < 0.62 or not (classes and roles):
            chosen = [
                rng.choice(roles if roles and (not classes or rng.random() < 0.5) else classes)
            ]
        else:
            chosen = [
                self._pick(facts.classes, classes, rng),
                self._pick(facts.roles, roles, rng),
            ]
            if rng.random() < 0.2:
                chosen.append(self._pick(facts.roles, roles, rng))
        words = [self.plain_words(term, rng) for term in dict.fromkeys(chosen)]
        role_set = set(roles)
        if len(words) == 1:
            text = words[0]
            if rng.random() < self.mix.lowercase_article:
                text = as_kind(text)
            if chosen[0] in role_set and rng.random() < 0.25:
                text = rng.choice(("used as {}", "drug or compound acting as {}", "acts as {}"))
                text = text.format(with_article(words[0]))
        else:
            text = in_one(words[0], words[1:], rng)
        return Caption(dressed(text, rng), frozenset(chosen))

    def _pick(self, direct: Sequence[str], closed: Sequence[str], rng: random.Random) -> str:
        informative = self._informative(direct)
        return rng.choice(informative if informative and rng.random() < 0.6 else closed)

    def plain_words(self, term: str, rng: random.Random) -> str:
        """The name of a class or role, or one of its everyday phrases."""
        phrases = self.lexicon.get(term)
        if phrases and rng.random() < self.mix.plain:
            return rng.choice(phrases)
        return self.terms.name(term)

    def _definition(self, terms: Sequence[str], rng: random.Random) -> Caption | None:
        defined = [term for term in terms if term in self.definitions]
        if not defined:
            return None
        term = rng.choice(defined)
        return Caption(self.definitions[term], frozenset([term]))

    def _name(self, facts: MoleculeFacts, rng: random.Random) -> Caption | None:
        if not facts.names:
            return None
        name = facts.names[0] if rng.random() < 0.4 else rng.choice(facts.names)
        if rng.random() < 0.4:
            name = unfold(name, rng)
        return Caption(name, None)

    def _label(self, facts: MoleculeFacts, rng: random.Random) -> Caption | None:
        if not facts.labels:
            return None
        kind, label = rng.choice(facts.labels)
        stated = {f"{kind}:{label}"}
        text = rng.choice(LABEL_FORMS[kind]).format(label)
        if rng.random() < 0.35 and len(facts.labels) > 1:
            other_kind, other = rng.choice(facts.labels)
            if (other_kind, other) != (kind, label):
                stated.add(f"{other_kind}:{other}")
                text = f"{text}, {rng.choice(LABEL_FORMS[other_kind]).format(other)}"
        elif rng.random() < 0.25 and facts.classes:
            term = rng.choice(facts.classes)
            if self._may_say(term):
                stated.add(term)
                text = f"{singular(self.plain_words(term, rng))}, {text}"
        return Caption(dressed(text, rng), frozenset(stated))

    def _properties(self, facts: MoleculeFacts, rng: random.Random) -> Caption | None:
        phrases = _phrases(facts)
        if len(phrases) < 2:
            return None
        chosen = rng.sample(phrases, k=min(len(phrases), rng.choice((1, 2, 2, 3))))
        classes = self._closed_informative(facts.classes)
        stated = {f"property:{phrase}" for phrase in chosen}
        kind = rng.choice(("molecule", "compound", "organic compound", "substance"))
        if classes and rng.random() < 0.7:
            term = rng.choice(classes)
            stated.add(term)
            kind = singular(self.plain_words(term, rng))
        adjectives = [p for p in chosen if p in ADJECTIVES]
        others = [worded(p, rng) for p in chosen if p not in ADJECTIVES]
        text = " ".join([*adjectives, kind])
        if others:
            text += f" with {joined(others)}"
        return Caption(dressed(text, rng), frozenset(stated))

    def held(self, facts: MoleculeFacts) -> frozenset[str]:
        """Everything a caption may state that is true of the molecule; see `Caption.facts`."""
        return frozenset(
            [
                *self._closed_informative(facts.classes),
                *self._closed_informative(facts.roles),
                *self._broad(facts),
                *(f"{kind}:{label}" for kind, label in facts.labels),
                *(f"property:{phrase}" for phrase in _phrases(facts)),
            ]
        )

    def kind(self, held: str) -> str:
        """What something held is: `role`, `class`, `property`, or `label` (of another set)."""
        if held.startswith("property:"):
            return "property"
        if not held.startswith("CHEBI:"):
            return "label"
        return "role" if ROLE in self.terms.ancestors(held) else "class"

    # -- terms --------------------------------------------------------------------------------

    def _may_say(self, term: str) -> bool:
        """Whether the name of a class or role says something, and nothing withheld."""
        if term not in self._said:
            withheld = self.withheld.is_withheld(self.terms.name(term))
            self._said[term] = term not in UNINFORMATIVE and not withheld
        return self._said[term]

    def _informative(self, ids: Sequence[str]) -> list[str]:
        return [term for term in ids if self._may_say(term)]

    def _broad(self, facts: MoleculeFacts) -> list[str]:
        """Terms above the facts that are too broad to describe a molecule, yet true of it."""
        above = {above for term in facts.classes for above in self.terms.ancestors(term)}
        return sorted(above & UNINFORMATIVE)

    def _closed_informative(self, ids: Sequence[str]) -> list[str]:
        found: dict[str, None] = {}
        for term in ids:
            above = self._closed.get(term)
            if above is None:
                above = tuple(
                    sorted(t for t in {term, *self.terms.ancestors(term)} if self._may_say(t))
                )
                self._closed[term] = above
            found.update(dict.fromkeys(above))
        return list(found)


@lru_cache(maxsize=16_384)
def _sentences(text: str) -> tuple[str, ...]:
    # The same few thousand descriptions come again in every epoch.
    return tuple(split_sentences(text))


def _some(items: list[str] | list[tuple[str, str]], rng: random.Random) -> list:  # type: ignore[type-arg]
    return items[: rng.randint(0, len(items))] if items else []


def _phrases(facts: MoleculeFacts) -> list[str]:
    return [*property_phrases(facts.properties), *composition_phrases(facts.properties)]


def in_one(kind: str, uses: Sequence[str], rng: random.Random) -> str:
    """A class and what its member is used as, in one phrase."""
    kind, *uses = (singular(word) for word in (kind, *uses))
    uses = [with_article(use) if rng.random() < 0.6 else use for use in uses]
    return rng.choice(
        (
            f"{kind} used as {joined(uses)}",
            f"{kind}, {joined(uses)}",
            f"{kind} that is {joined(uses)}",
            f"{joined(uses)} that is {with_article(kind)}",
            f"{joined(uses)}, {kind}",
            f"{kind} with a role as {joined(uses)}",
            f"{joined(uses)} derived from {kind}",
        )
    )


def dressed(text: str, rng: random.Random) -> str:
    """A bare phrase as people type it: alone, or behind a few words that carry nothing."""
    draw = rng.random()
    if draw < 0.18:
        kind = (
            text
            if text.startswith(("a ", "an ", "used ", "acts ", "treats ", "smells "))
            else as_kind(text)
        )
        return f"The molecule is {kind}." if draw < 0.12 else f"It is {kind}."
    if draw < 0.22:
        return f"find {text}"
    if draw < 0.26:
        return f"compounds: {text}"
    return text
