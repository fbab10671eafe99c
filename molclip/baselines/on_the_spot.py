"""Baselines that take seconds to minutes, so they are made anew in every evaluation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from molclip.baselines import chance, linear_cca, nearest_text
from molclip.baselines.descriptions import Descriptions, training_descriptions
from molclip.errors import InputError
from molclip.evaluation.encoders import pool_features
from molclip.evaluation.retrieval import VectorRanker
from molclip.evaluation.settings import Directions, Pool, measure_settings
from molclip.evaluation.systems import System

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Progress
    from molclip.evaluation.pairs import RetrievalData
    from molclip.evaluation.pool_facts import PoolFacts

NAMES = ("random", "tfidf", "cca")
_SAMPLES = 1000


def measure_baselines(
    wanted: Sequence[str],
    data: RetrievalData,
    facts: PoolFacts,
    *,
    pool: Pool = "all",
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
    descriptions: Descriptions | None = None,
) -> list[System]:
    """Fit and measure baselines on the texts of a task.

    Parameters
    ----------
    wanted
        Of `NAMES`, or `all`.
    data, facts
        The task, and its pool's identities.
    pool
        As in `evaluate_retrieval`.
    seed
        Of captions, SVD and bootstrap.
    workers, progress
        For the chemistry.
    descriptions
        What to learn from; those of the task's training molecules by default.

    Raises
    ------
    InputError
        For a name that is none of them, or when there are no training molecules to learn from.
    """
    names = list(NAMES) if "all" in wanted else list(dict.fromkeys(wanted))
    unknown = [name for name in names if name not in NAMES]
    if unknown:
        raise InputError(f"There is no baseline {unknown[0]!r}.", f"Use {', '.join(NAMES)} or all.")
    directions = Directions.of(data, pool)
    systems = []
    if "random" in names:
        systems.append(chance.chance(data, directions))
    if names == ["random"]:
        return systems
    learned = descriptions or training_descriptions(data, facts, seed=seed)
    if "tfidf" in names:
        ranker = nearest_text.NearestText(
            learned, data.pool_smiles, data.texts, directions, workers, progress
        )
        settings = measure_settings(ranker, data, directions, samples=_SAMPLES, seed=seed)
        note = (
            "the nearest training description by TF-IDF cosine, then the Tanimoto coefficient to "
            f"its molecule (Morgan bits); from {learned}."
        )
        systems.append(System(nearest_text.NAME, note, settings))
    if "cca" in names:
        systems.append(_cca(learned, data, directions, seed, workers, progress))
    return systems


def _cca(
    learned: Descriptions,
    data: RetrievalData,
    directions: Directions,
    seed: int,
    workers: int | None,
    progress: Progress | None,
) -> System:
    from scipy.sparse import csr_matrix

    table = pool_features(data.pool_smiles, workers, progress or _silent)
    counts = csr_matrix(
        (table.counts.astype(np.float32), table.columns, table.starts),
        shape=(len(table), table.width),
    )
    model = linear_cca.LinearCca(seed=seed).fit(
        learned.texts, counts[np.array(learned.rows)], progress
    )
    molecules = model.encode_counts(counts)
    molecules[[failure.row - 1 for failure in table.failures]] = np.nan
    ranker = VectorRanker(model.encode_text(data.texts), molecules[directions.rows], directions)
    settings = measure_settings(ranker, data, directions, samples=_SAMPLES, seed=seed)
    note = (
        f"canonical correlation analysis of TF-IDF and the model's own fingerprint counts, "
        f"{model.compressed} dimensions of each, {model.dimension} canonical; from {learned}."
    )
    return System(linear_cca.NAME, note, settings)


def _silent(*_: object) -> None:
    """Say nothing."""
