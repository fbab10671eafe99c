"""Training rows with molecules and facts chosen one by one."""

import numpy as np

from molclip.text.captions import CaptionMaker, CaptionMix
from molclip.text.facts import MoleculeFacts
from molclip.training.features import FeatureStore
from molclip.training.pairs import Pairs


class Tree:
    """Terms named by their id; `parents` maps each to the terms above it."""

    def __init__(self, parents=None):
        self.parents = parents or {}

    def name(self, term):
        return term

    def ancestors(self, term):
        found = set()
        for parent in self.parents.get(term, ()):
            found |= {parent, *self.ancestors(parent)}
        return found


def made_pairs(folder, molecules, repeats=None, chances=None, terms=None):
    """Pairs of `(id, SMILES, facts)`; captions name classes where `terms` are given."""
    store = FeatureStore(folder, workers=1)
    smiles = [molecule[1] for molecule in molecules]
    count = len(molecules)
    return Pairs(
        ids=[molecule[0] for molecule in molecules],
        inchikeys=store.keys(smiles),
        feature_rows=store.rows(smiles),
        store=store,
        facts=[molecule[2] for molecule in molecules],
        chances=np.ones(count) if chances is None else np.array(chances, dtype=float),
        repeats=np.array(repeats if repeats is not None else [1] * count),
        maker=None if terms is None else CaptionMaker(terms, {}, mix=CaptionMix(short=1.0)),
    )


def told(text):
    """The facts of a molecule that one sentence describes."""
    return MoleculeFacts(texts=(text,))


class CountStore:
    """Stands for a store: Morgan counts given outright."""

    def __init__(self, counts):
        self.counts = np.asarray(counts, dtype=np.uint8)

    def dense(self, rows):
        result = np.zeros((len(rows), 8719), dtype=np.uint8)
        result[:, : self.counts.shape[1]] = self.counts[rows]
        return result


def slow_groups(order, codes, scores, group, refused):
    """Each unplaced row in turn takes the best unplaced rows, one of each identity."""
    left = np.bincount(order, minlength=len(codes))
    groups = []
    for seed in order.tolist():
        if not left[seed]:
            continue
        left[seed] -= 1
        members = [seed]
        for other in sorted(range(len(codes)), key=lambda other: -scores[seed, other]):
            taken = {int(codes[member]) for member in members}
            able = left[other] and not refused[seed, other]
            if len(members) < group and able and int(codes[other]) not in taken:
                members.append(other)
        for member in members[1:]:
            left[member] -= 1
        groups.append(members)
    return groups
