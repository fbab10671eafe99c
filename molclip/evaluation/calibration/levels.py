"""Match levels: how often is a hit of each level right, and do percentiles mean what they say?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.evaluation.calibration.held_out import (
    DESCRIPTIONS,
    HARD_NO_ANSWER,
    NO_ANSWER,
    Asked,
)
from molclip.evaluation.calibration.pool import Float32, IntArray, Pool
from molclip.evaluation.calibration.reliability import Reliability, two_fold_reliability
from molclip.search.match_level import LEVELS, Calibration

HITS = 10
"""Hits looked at."""

BoolArray = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Answered:
    """The first hits of the questions of one kind; arrays are (T, HITS)."""

    kind: str
    scores: Float32
    right: BoolArray
    same_skeleton: BoolArray
    """Right, or another stereoisomer or charge of what is right; as `right` but for descriptions."""
    percentile_nonsense: Float32
    """0 to 1."""
    levels: npt.NDArray[np.str_]


@dataclass(frozen=True)
class LevelResult:
    """Match levels of every kind of question."""

    answers: Sequence[Answered]
    true_percentiles: Float32
    """Percentile of each true held-out pair among those that set the levels, 0 to 1."""
    reliability: Reliability
    """Of a probability that the best hit is right, made of its score."""
    mixed: Mapping[str, tuple[float, int]]
    """Share of right best hits of each level where every kind of question is as frequent, and the
    number of hits of that level."""

    def of(self, kind: str) -> Answered:
        """Return one kind."""
        return next(answer for answer in self.answers if answer.kind == kind)


def measure_levels(
    model: Any,
    calibration: Calibration,
    pool: Pool,
    asked: Sequence[Asked],
    pairs: Sequence[tuple[str, int]],
    seed: int = 0,
) -> LevelResult:
    """Ask every question and judge the first hits.

    Parameters
    ----------
    model
        Encodes texts.
    calibration
        The model's match levels.
    pool
        What is searched.
    asked
        Questions of every kind.
    pairs
        True `(text, row)` pairs in the proportion of those that set the levels.
    seed
        Of the halves of the reliability.
    """
    answers = [_answered(model, calibration, pool, part) for part in asked if part.texts]
    texts = model.encode_text([text for text, _ in pairs])
    own = (texts * pool.vectors[[row for _, row in pairs]]).sum(axis=1)
    true = np.array(
        [calibration.level(float(score)).percentile_true / 100 for score in own], dtype=np.float32
    )
    return LevelResult(answers, true, _reliability(answers, seed), _mixed(answers))


def _answered(model: Any, calibration: Calibration, pool: Pool, asked: Asked) -> Answered:
    vectors = model.encode_text(list(asked.texts))
    rows, scores = pool.top(vectors, min(HITS, len(pool.vectors)))
    right = _judged(rows, asked.right)
    skeletons = right
    if asked.kind == DESCRIPTIONS:
        blocks = [key[:14] for key in pool.rows.inchikeys]
        wanted = [{blocks[row] for row in found} for found in asked.right]
        skeletons = np.array(
            [
                [blocks[row] in want for row in line]
                for line, want in zip(rows.tolist(), wanted, strict=True)
            ]
        )
    found = [[calibration.level(float(score)) for score in line] for line in scores]
    return Answered(
        asked.kind,
        scores,
        right,
        skeletons,
        np.array([[m.percentile_nonsense / 100 for m in line] for line in found], dtype=np.float32),
        np.array([[m.level for m in line] for line in found]),
    )


def _judged(rows: IntArray, right: Sequence[frozenset[int]]) -> BoolArray:
    return np.array(
        [
            [row in wanted for row in line]
            for line, wanted in zip(rows.tolist(), right, strict=True)
        ],
        dtype=bool,
    ).reshape(rows.shape)


def _balanced(answers: Sequence[Answered]) -> list[Answered]:
    """Kinds that the mixture is made of: all but the hard questions without answer."""
    return [answer for answer in answers if answer.kind != HARD_NO_ANSWER]


def _reliability(answers: Sequence[Answered], seed: int) -> Reliability:
    kinds = _balanced(answers)
    scores = np.concatenate([answer.scores[:, 0] for answer in kinds])
    right = np.concatenate([answer.right[:, 0] for answer in kinds])
    weights = np.concatenate([np.full(len(a.scores), 1 / len(a.scores)) for a in kinds])
    return two_fold_reliability(scores, right, weights, seed=seed)


def _mixed(answers: Sequence[Answered]) -> dict[str, tuple[float, int]]:
    """Right best hits by level, each kind of question weighing the same."""
    kinds = _balanced(answers)
    found = {}
    for level in LEVELS:
        here = sum(float((answer.levels[:, 0] == level).mean()) for answer in kinds)
        good = sum(float(((a.levels[:, 0] == level) & a.right[:, 0]).mean()) for a in kinds)
        number = sum(int((answer.levels[:, 0] == level).sum()) for answer in kinds)
        found[level] = (good / here if number else float("nan"), number)
    return found


def nonsense_percentiles(result: LevelResult, kind: str = NO_ANSWER) -> Float32:
    """Percentile of the best hit of each question of a kind, 0 to 1."""
    return result.of(kind).percentile_nonsense[:, 0]
