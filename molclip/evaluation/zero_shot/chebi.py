"""Classes and roles of ChEBI on molecules of the ChEBI-20 validation split."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from molclip.datasets.ontology import ROLE_ROOT
from molclip.evaluation.zero_shot.label_set import NEW_SKELETON, LabelSet
from molclip.evaluation.zero_shot.molecules import DataFolder, Strangers
from molclip.evaluation.zero_shot.prompts import TEMPLATES, make_label
from molclip.evaluation.zero_shot.scores import BoolArray
from molclip.text.lexicon import load_lexicon

MINIMUM = 20
"""Validation molecules that a class or role needs."""


@dataclass
class Graph:
    """The exported ChEBI graph: names, and what an entry is and has.

    Parameters
    ----------
    names
        By id.
    parents, roles
        Ids of the direct `is_a` and `has_role` targets, by id.
    primary
        Primary id of every secondary one.
    """

    names: dict[str, str]
    parents: dict[str, list[str]]
    roles: dict[str, list[str]]
    primary: dict[str, str] = field(default_factory=dict)
    _above: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    @classmethod
    def read(cls, data: DataFolder) -> Graph:
        """Read the graph from the user's folder.

        Raises
        ------
        molclip.errors.InputError
            When it is not there.
        """
        table = data.table("chebi-graph").data.table
        graph = cls({}, {}, {})
        columns = (table.column(name).to_pylist() for name in ("id", "name", "alt_ids"))
        for (id_, name, others), relations in zip(
            zip(*columns, strict=True), table.column("relations").to_pylist(), strict=True
        ):
            graph.names[id_] = name
            graph.parents[id_] = [r["target"] for r in relations if r["type"] == "is_a"]
            graph.roles[id_] = [r["target"] for r in relations if r["type"] == "has_role"]
            graph.primary.update(dict.fromkeys(others, id_))
        return graph

    def find(self, id_: str | None) -> str | None:
        """Return the primary id; None where the graph does not have it."""
        if id_ is None or id_ in self.names:
            return id_
        return self.primary.get(id_)

    def above(self, id_: str) -> frozenset[str]:
        """Return everything above an entry along `is_a`, without itself."""
        if id_ not in self._above:
            found: set[str] = set()
            todo = list(self.parents.get(id_, ()))
            while todo:
                parent = todo.pop()
                if parent not in found:
                    found.add(parent)
                    todo.extend(self.parents.get(parent, ()))
            self._above[id_] = frozenset(found - {id_})
        return self._above[id_]

    def closed(self, ids: Iterable[str]) -> set[str]:
        """Return these entries and everything above them."""
        found = set(ids)
        for id_ in tuple(found):
            found |= self.above(id_)
        return found


@dataclass(frozen=True)
class _Split:
    """Molecules of one split that the graph knows."""

    smiles: list[str]
    ids: list[str]
    keys: list[str]
    left_out: int


def chebi_classes(data: DataFolder, strangers: Strangers, graph: Graph) -> LabelSet:
    """Classes that ChEBI names as the molecule's own (direct `is_a`)."""
    return _label_set(
        data, strangers, graph, "chebi-classes", "ChEBI direct classes", "class",
        lambda id_: set(graph.parents[id_]),
    )  # fmt: skip


def chebi_ancestors(data: DataFolder, strangers: Strangers, graph: Graph) -> LabelSet:
    """Every class above the molecule along `is_a`, direct ones included."""
    return _label_set(
        data, strangers, graph, "chebi-ancestors", "ChEBI ancestor classes", "class", graph.above
    )


def chebi_roles(data: DataFolder, strangers: Strangers, graph: Graph) -> LabelSet:
    """Roles of the molecule and every role above them; the bare root "role" is no label."""
    return _label_set(
        data, strangers, graph, "chebi-roles", "ChEBI roles", "role",
        lambda id_: graph.closed(graph.roles[id_]) - {ROLE_ROOT},
    )  # fmt: skip


def _label_set(
    data: DataFolder,
    strangers: Strangers,
    graph: Graph,
    name: str,
    title: str,
    kind: str,
    held: Callable[[str], Iterable[str]],
) -> LabelSet:
    measured, training = _split(data, graph, "validation"), _split(data, graph, "train")
    rows = [set(held(id_)) for id_ in measured.ids]
    counts: dict[str, int] = {}
    for row in rows:
        for term in row:
            counts[term] = counts.get(term, 0) + 1
    terms = sorted(
        (term for term, count in counts.items() if MINIMUM <= count <= len(rows) - MINIMUM),
        key=lambda term: (-counts[term], term),
    )
    lexicon = load_lexicon()
    labels = [
        make_label(term, graph.names.get(term, term), kind, plain=lexicon.get(term, ()))
        for term in terms
    ]
    strange = np.array([strangers.is_stranger(key) for key in measured.keys], dtype=bool)
    return LabelSet(
        name=name,
        title=title,
        molecules="ChEBI-20 validation split; none of them was trained on",
        kind=f"chebi {kind}",
        labels=labels,
        smiles=measured.smiles,
        truth=table_of(rows, terms),
        training_smiles=training.smiles,
        training_truth=table_of([set(held(id_)) for id_ in training.ids], terms),
        minimum=MINIMUM,
        templates=TEMPLATES[kind],
        slices={NEW_SKELETON: strange},
        left_out=measured.left_out,
    )


def table_of(rows: Sequence[set[str]], columns: Sequence[str]) -> BoolArray:
    """Return which row holds which column, (rows, columns)."""
    place = {column: number for number, column in enumerate(columns)}
    table = np.zeros((len(rows), len(columns)), dtype=bool)
    for number, row in enumerate(rows):
        table[number, [place[item] for item in row if item in place]] = True
    return table


def _split(data: DataFolder, graph: Graph, split: str) -> _Split:
    table = data.table("chebi20", split)
    smiles: list[str] = []
    ids: list[str] = []
    for text, id_, valid in zip(
        table["smiles"][:], table["chebi_id"][:], table["valid"][:], strict=True
    ):
        known = graph.find(id_)
        if valid and known is not None:
            smiles.append(text)
            ids.append(known)
    return _Split(smiles, ids, data.keys(smiles), len(table) - len(smiles))
