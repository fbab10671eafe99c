"""What the source states of a molecule: its entry, found by structure."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from molclip.datasets.facts import Fact, load_facts
from molclip.datasets.ontology import Ontology
from molclip.describe.description import Record
from molclip.describe.vocabulary import held, informative

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule

_SKELETON = 14
"""Letters of an InChIKey that tell the skeleton; the rest tells stereo and charge."""


@dataclass(frozen=True)
class Recorded:
    """The facts of one entry."""

    fact: Fact
    exact: bool
    """Whether the structure is the same, and not the InChIKey alone."""

    @property
    def record(self) -> Record:
        """The entry without its facts."""
        fact = self.fact
        return Record(fact.chebi_id, fact.name, fact.smiles, self.exact, fact.curated)

    def terms(self, ontology: Ontology) -> frozenset[str]:
        """Ids of every class and role that the source states or that follows."""
        return held(ontology, self.fact.classes, self.fact.roles) | {self.fact.chebi_id}

    def classes(self, ontology: Ontology) -> list[str]:
        """Ids of the classes that the source gives to the entry itself."""
        return [id_ for id_ in self.fact.classes if informative(id_, ontology)]

    def roles(self, ontology: Ontology) -> list[tuple[str, str | None]]:
        """Ids of the entry's own roles, then of those of its classes, with the class's name.

        Of two roles of classes of which one lies above the other, the narrower is listed.
        """
        own = [id_ for id_ in self.fact.roles if informative(id_, ontology)]
        known = ontology.closure(own)
        through: dict[str, str] = {}
        for class_ in sorted(ontology.closure(self.fact.classes)):
            term = ontology.terms.get(class_)
            for role in term.roles if term else ():
                if role not in known and informative(role, ontology):
                    through.setdefault(role, ontology.name(class_))
        above = {parent for role in through for parent in ontology.ancestors(role)}
        inherited = [(id_, name) for id_, name in through.items() if id_ not in above]
        return [*((id_, None) for id_ in own), *inherited]


def find(molecule: Molecule) -> Recorded | None:
    """The entry with the molecule's structure, or else with its InChIKey; None without either."""
    facts, key = load_facts(), molecule.inchikey
    rows = facts.rows_of_inchikey.get(key, ()) if key else ()
    entries: list[Fact] = [facts[row] for row in rows]
    for fact in entries:
        if fact.smiles == molecule.smiles:
            return Recorded(fact, True)
    # Of several forms of one InChIKey, the one that curators checked.
    entries.sort(key=lambda fact: not fact.curated)
    return Recorded(entries[0], False) if entries else None


def relative(molecule: Molecule) -> Fact | None:
    """An entry of the same skeleton with other stereo or charge, a curated one if there is one."""
    key = molecule.inchikey
    rows = _skeletons().get(key[:_SKELETON], ()) if key else ()
    entries: list[Fact] = [load_facts()[row] for row in rows]
    return min(entries, key=lambda fact: not fact.curated, default=None)


@lru_cache(maxsize=1)
def _skeletons() -> dict[str, list[int]]:
    rows: dict[str, list[int]] = {}
    for row, key in enumerate(load_facts().column("inchikey")):
        rows.setdefault(key[:_SKELETON], []).append(row)
    return rows
