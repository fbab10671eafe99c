"""Do training molecules stand in front? Pools of one size, with and without them."""

from __future__ import annotations

import numpy as np

from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.settings import Directions, Ranker, Setting


def crowding(
    ranker: Ranker, data: RetrievalData, directions: Directions, *, samples: int, seed: int
) -> list[Setting]:
    """Rank the texts among their own molecules and as many others, unseen or seen.

    The molecules of the texts' split get the same number of others twice: molecules of the pool
    that stand in no training, and training molecules drawn at random. Were training molecules only
    more candidates, both would come out alike; what the second is worse by is the bias towards
    them. (A whole pool is harder than a small one mostly because it is larger.)

    Parameters
    ----------
    ranker, data, directions
        The model and the task, in the whole pool.
    samples, seed
        Of the bootstrap; the seed also draws the training molecules.

    Returns
    -------
    Two settings, `text_to_molecule_unseen` and `text_to_molecule_seen`; none where the data do
    not name training molecules, or the pool has no others besides.
    """
    if not any(data.trained):
        return []
    trained = np.array(data.trained, dtype=bool)[directions.rows]
    own = np.zeros(len(trained), dtype=bool)
    own[directions.small] = True
    unseen, seen = np.flatnonzero(~trained & ~own), np.flatnonzero(trained & ~own)
    count = min(len(unseen), len(seen))
    if not count:
        return []
    generator = np.random.default_rng(seed)
    settings = []
    for key, others in (("unseen", unseen), ("seen", seen)):
        drawn = generator.choice(others, count, replace=False)
        columns = np.sort(np.concatenate([directions.small, drawn]))
        ranks = ranker.text_to_molecule(columns)
        title = f"{count:,} {key} others\npool {len(columns):,}"
        settings.append(
            Setting.measure(
                f"text_to_molecule_{key}",
                title,
                list(data.text_ids),
                ranks,
                samples=samples,
                seed=seed,
            )
        )
    return settings
