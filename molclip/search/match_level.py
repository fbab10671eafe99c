"""Is this a hit, or the best of a bad lot?

The first of 100,000 rows has a high score for any sentence, nonsense too. So a score is laid beside
two measured distributions: scores of true text-molecule pairs the model was not trained on, and
best scores of questions that have no answer in the library.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.errors import ModelError
from molclip.search.manifest import replace_json
from molclip.search.quantiles import percentile, quantiles

CALIBRATION_FILE = "match_level.json"
"""Its name in a model folder."""

LEVELS = ("strong", "plausible", "weak", "none")
"""From best to worst:

- `strong`: above 99 % of the best scores of questions without answer;
- `plausible`: above 90 % of them;
- `weak`: above half of them, or above a quarter of the true pairs;
- `none`: what nonsense scores.
"""


@dataclass(frozen=True)
class MatchLevel:
    """Where one score lies."""

    level: str
    """One of `LEVELS`."""
    percentile_true: float
    """Percent of true held-out pairs that score lower."""
    percentile_nonsense: float
    """Percent of questions without answer whose best hit scores lower."""


@dataclass(frozen=True)
class Calibration:
    """Quantiles of both distributions, at 0, 0.5, … 100 percent."""

    model_hash: str
    true_pairs: list[float]
    nonsense: list[float]
    pairs: int
    """Number of true pairs."""
    questions: int
    """Number of questions without answer."""
    pool: int
    """Rows the questions were put to."""
    true_source: str = ""
    """What the true pairs were, in words."""

    def level(self, score: float) -> MatchLevel:
        """Match level of a cosine of text and molecule."""
        true = percentile(self.true_pairs, score)
        nonsense = percentile(self.nonsense, score)
        if nonsense >= 99.0:
            level = "strong"
        elif nonsense >= 90.0:
            level = "plausible"
        elif nonsense >= 50.0 or true >= 25.0:
            level = "weak"
        else:
            level = "none"
        return MatchLevel(level, round(true, 1), round(nonsense, 1))

    def save(self, path: str | PathLike[str]) -> None:
        """Write as JSON, by custom `match_level.json` in the model folder."""
        replace_json(Path(path), asdict(self))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Calibration:
        """Read what `save` wrote.

        Raises
        ------
        ModelError
            When the file is damaged.
        """
        try:
            return cls(**json.loads(Path(path).read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(
                f"The match levels {path} cannot be read: {error}.", "Fetch the model again."
            ) from error

    @classmethod
    def beside(cls, folder: str | PathLike[str] | None, model_hash: str) -> Calibration | None:
        """The calibration in a model folder; None where there is none for these weights."""
        path = Path(folder) / CALIBRATION_FILE if folder is not None else None
        if path is None or not path.is_file():
            return None
        calibration = cls.load(path)
        return calibration if calibration.model_hash == model_hash else None


def calibrate(
    model: Any,
    pairs: Sequence[tuple[str, str]],
    questions: Sequence[str],
    best_score: Callable[[npt.NDArray[np.float32]], float],
    pool: int,
    *,
    true_source: str = "",
) -> Calibration:
    """Measure both distributions.

    Parameters
    ----------
    model
        A `MolCLIP`.
    pairs
        True `(text, SMILES)` pairs of molecules the model was not trained on. Mix full
        descriptions with plain questions, in the proportion users ask them.
    questions
        Questions without answer (`data/no_answer_queries.txt`).
    best_score
        Best exact score in the library of a unit vector `(D,)`.
    pool
        Number of rows `best_score` looks at.
    true_source
        What the pairs are, in words.

    Raises
    ------
    ValueError
        With fewer than 20 pairs or questions.
    """
    if len(pairs) < 20 or len(questions) < 20:
        raise ValueError("quantiles need at least 20 pairs and 20 questions")
    texts = model.encode_text([text for text, _ in pairs])
    molecules = model.encode_molecules([smiles for _, smiles in pairs]).vectors
    true = (texts * molecules).sum(axis=1)
    best = [best_score(vector) for vector in model.encode_text(list(questions))]
    return Calibration(
        model_hash=model.model_hash,
        true_pairs=quantiles(true[np.isfinite(true)]),
        nonsense=quantiles(np.asarray(best)),
        pairs=int(np.isfinite(true).sum()),
        questions=len(best),
        pool=pool,
        true_source=true_source,
    )
