"""Guessing: what no model at all gets."""

from __future__ import annotations

import numpy as np

from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.ranks import IntArray, Ranks
from molclip.evaluation.settings import Directions, measure_settings
from molclip.evaluation.systems import System

NAME = "random"


class Chance:
    """Every candidate scores the same, see `settings.Ranker`.

    The expectation over all orders of P tied candidates is exact: k / P for Hits@k,
    (1 + 1/2 + … + 1/P) / P for MRR, (P + 1) / 2 for mean and median rank.
    """

    def __init__(self, directions: Directions) -> None:
        self.directions = directions

    def text_to_molecule(self, columns: IntArray) -> Ranks:
        """All molecules at these places tie."""
        return _tied(len(self.directions.targets), len(columns))

    def molecule_to_text(self) -> Ranks:
        """All texts tie but the molecule's own others, of which the best counts."""
        texts = len(self.directions.targets)
        own = np.bincount(self.directions.targets)[self.directions.described]
        return Ranks(np.zeros(len(own), np.int64), texts - own, np.zeros(len(own), bool), texts)


def _tied(queries: int, pool: int) -> Ranks:
    none = np.zeros(queries, dtype=np.int64)
    return Ranks(none, none + pool - 1, np.zeros(queries, dtype=bool), pool)


def chance(data: RetrievalData, directions: Directions) -> System:
    """Return the expectation of a random order, in closed form."""
    settings = measure_settings(Chance(directions), data, directions, samples=1, seed=0)
    return System(NAME, "expectation of a random order, in closed form.", settings, "expected")
