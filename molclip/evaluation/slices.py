"""Which queries are hard, and how a model does on each kind of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.evaluation.metrics import bootstrap, figures
from molclip.evaluation.ranks import Ranks
from molclip.evaluation.settings import Directions, Pool

if TYPE_CHECKING:
    from molclip.datasets.facts import Facts
    from molclip.evaluation.pairs import RetrievalData
    from molclip.evaluation.pool_facts import PoolFacts

_FIGURES = ("hits@1", "mrr")
# Upper ends of the bins, in words of a description and in training molecules of a class.
_LENGTHS = (30, 40, 55)
_CLASS_SIZES = (0, 9, 99)
# Shorter names (DNA, ATP, tin) stand inside other words and sentences by chance.
_SHORTEST_NAME = 4


@dataclass(frozen=True)
class Labels:
    """One way to sort queries: `values[i]` is the kind of query i, "" where it cannot be told."""

    name: str
    kinds: Sequence[str]
    """In the order of a report."""
    values: Sequence[str]


@dataclass(frozen=True)
class Slice:
    """Figures of the queries of one kind."""

    name: str
    kind: str
    queries: int
    figures: dict[str, float]
    """Hits@1 and MRR under pessimistic ties."""
    intervals: dict[str, tuple[float, float]]

    def to_dict(self) -> dict[str, Any]:
        """Return the slice for the JSON report."""
        return {
            "slice": self.name,
            "kind": self.kind,
            "queries": self.queries,
            **self.figures,
            "interval_95": {name: list(pair) for name, pair in self.intervals.items()},
        }


def measure_slices(
    ranks: Ranks, labels: Sequence[Labels], *, samples: int = 1000, seed: int = 0
) -> list[Slice]:
    """Figures of every kind of query that there is; kinds without a query are left out.

    Parameters
    ----------
    ranks
        Of the Q queries.
    labels
        Each with Q values.
    samples, seed
        Of the bootstrap, see `metrics.bootstrap`.
    """
    slices = []
    for label in labels:
        values = np.array(label.values)
        if values.shape != (len(ranks),):
            raise ValueError(f"{label.name}: {len(values)} labels for {len(ranks)} queries")
        for kind in label.kinds:
            part = ranks.subset(values == kind)
            if not len(part):
                continue
            every = figures(part)
            spread = bootstrap(part, samples=samples, seed=seed)
            slices.append(
                Slice(
                    label.name,
                    kind,
                    len(part),
                    {name: every[name] for name in _FIGURES},
                    {name: spread[name] for name in _FIGURES},
                )
            )
    return slices


def label_queries(
    data: RetrievalData,
    facts: PoolFacts,
    library: Facts | None = None,
    *,
    pool: Pool = "all",
) -> list[Labels]:
    """Sort the texts of a task by what makes them hard.

    - *charge*: of the right molecule; a zwitterion has charges that cancel.
    - *stereo twin*: another row that is ranked has the same skeleton (first block of the InChIKey) with
      other stereo.
    - *conjugate*: another row that is ranked is the same molecule with protons more or less.
    - *words*: length of the text.
    - *own name*: whether a name of the molecule, of four letters or more, stands in the text.
    - *class*: how many training molecules the molecule's commonest direct class has.
    - *skeleton*, *scaffold*: whether a training molecule has the same one.

    Names and classes are ChEBI's, from the embedded library, by InChIKey. What needs training
    molecules is left out where the data do not name them.

    Parameters
    ----------
    data
        The task.
    facts
        Of its whole pool, whichever part of it is ranked: training molecules are looked up there.
    library
        The embedded library by default.
    pool
        As in `evaluate_retrieval`. Twins and conjugates are those among the rows that are ranked,
        for one that is not offered makes no query harder.
    """
    directions = Directions.of(data, pool)
    rows = directions.rows[directions.targets]
    ranked = facts.subset(directions.rows)
    labels = [
        _charge(facts, rows),
        _flag("stereo twin", ranked.stereo_twins()[directions.targets], "in the pool", "none"),
        _flag("conjugate", ranked.conjugates()[directions.targets], "in the pool", "none"),
        _words(data.texts),
    ]
    if library is None:
        from molclip.datasets.facts import load_facts

        library = load_facts()
    keys = facts.inchikeys[rows].tolist()
    labels.append(_own_name(data.texts, keys, library))
    trained = np.array(data.trained, dtype=bool)
    if trained.any():
        labels.append(_class_size(keys, facts.inchikeys[trained].tolist(), library))
        for name, column in (("skeleton", facts.skeletons), ("scaffold", facts.scaffolds)):
            seen = np.isin(column[rows], column[trained])
            known = _flag(name, seen, "in training", "new")
            if name == "scaffold":
                acyclic = column[rows] == 0
                values = np.where(acyclic, "no ring", np.array(known.values)).tolist()
                known = Labels(name, (*known.kinds, "no ring"), values)
            labels.append(known)
    return labels


def _flag(name: str, truth: npt.NDArray[np.bool_], yes: str, no: str) -> Labels:
    return Labels(name, (yes, no), np.where(truth, yes, no).tolist())


def _charge(facts: PoolFacts, rows: npt.NDArray[np.int64]) -> Labels:
    kinds = ("neutral", "zwitterion", "anion", "cation")
    charge = facts.charges[rows]
    choice = np.where(charge < 0, 2, np.where(charge > 0, 3, facts.zwitterions[rows].astype(int)))
    return Labels("charge", kinds, np.array(kinds)[choice].tolist())


def _binned(
    name: str, ends: Sequence[int], numbers: Sequence[int], known: Sequence[bool]
) -> Labels:
    """Bins up to and with each end, and one above the last."""
    kinds = []
    low = 0
    for end in ends:
        kinds.append(f"{low}–{end}" if end > low else f"{end}")
        low = end + 1
    kinds.append(f"{low} or more")
    values = [
        kinds[int(np.searchsorted(ends, number))] if sure else ""
        for number, sure in zip(numbers, known, strict=True)
    ]
    return Labels(name, kinds, values)


def _words(texts: Sequence[str]) -> Labels:
    return _binned("words", _LENGTHS, [len(text.split()) for text in texts], [True] * len(texts))


def _own_name(texts: Sequence[str], keys: Sequence[str], library: Facts) -> Labels:
    values = []
    for text, key in zip(texts, keys, strict=True):
        names = {
            name.casefold()
            for row in library.rows_of_inchikey.get(key, ())
            for name in (library[row].name, *library[row].synonyms)
            if len(name) >= _SHORTEST_NAME
        }
        folded = text.casefold()
        found = any(_stands_in(name, folded) for name in names)
        values.append("" if not names else "in the text" if found else "absent")
    return Labels("own name", ("in the text", "absent"), values)


def _stands_in(name: str, text: str) -> bool:
    """Whether a name stands in a text as words of its own, not inside a longer name."""
    if name not in text:
        return False
    # A hyphen, bracket or prime joins a name to a longer one: "alanine" is not in "L-alanine-d3".
    return bool(re.search(rf"(?<![\w\-(),'′\[\]]){re.escape(name)}(?![\w\-('′\[])", text))


def _class_size(keys: Sequence[str], trained: Sequence[str], library: Facts) -> Labels:
    classes = library.column("classes")

    def of(key: str) -> set[str]:
        return {term for row in library.rows_of_inchikey.get(key, ()) for term in classes[row]}

    members = Counter(term for key in set(trained) - {""} for term in of(key))
    own = [of(key) for key in keys]
    sizes = [max((members[term] for term in terms), default=0) for terms in own]
    return _binned("class", _CLASS_SIZES, sizes, [bool(terms) for terms in own])
