"""Vectors of drawings for a whole pool: kept on disk in parts, so that a run that dies loses little."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from molclip.chem import versions
from molclip.chem.molecule import ParseFailure
from molclip.evaluation import cache
from molclip.evaluation.ranks import FloatArray

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Progress

SHARD = 1024
"""Molecules of one file: a minute's work of a vision transformer on a few cores."""


class ImageEncoder(Protocol):
    """What is needed of `molclip.models.image.ImageBaseline`."""

    @property
    def model_hash(self) -> str:
        """Identifies the weights."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def encode_batches(
        self, molecules: Sequence[Any], *, workers: int | None = None
    ) -> Iterator[tuple[FloatArray, Sequence[Any]]]:
        """Yield vectors of a few molecules at a time, and what was read of them."""


def image_vectors(
    model: ImageEncoder, smiles: Sequence[str], workers: int | None, progress: Progress
) -> tuple[FloatArray, list[ParseFailure]]:
    """Return the vectors of a pool's drawings, from disk as far as they were made before.

    A file is named by the weights, the molecules of its part, and how they are drawn: the version
    of our style, and what RDKit makes of a few molecules.

    Parameters
    ----------
    model
        The image model.
    smiles
        (P,) of the pool.
    workers
        Processes that draw; one per core by default.
    progress
        Told how many have a vector.

    Returns
    -------
    Vectors (P, D), float32, rows of NaN where a molecule has no drawing, and why; `row` is the place
    in the pool, counted from 1.
    """
    from molclip.chem.depict import golden_hash

    drawing = (versions.DRAWINGS, golden_hash())
    vectors = np.empty((len(smiles), model.dimension), dtype=np.float32)
    failures: list[ParseFailure] = []
    for start in range(0, len(smiles), SHARD):
        progress("depictions", start, len(smiles))
        part = smiles[start : start + SHARD]
        path = cache.cache_file("images", model.model_hash, *drawing, *part)
        stored = cache.load(path, ("vectors",))
        if stored is None:
            made, missing = _encoded(model, part, workers, start, len(smiles), progress)
            cache.save(path, {"vectors": made}, missing)
        else:
            made, missing = np.asarray(stored[0]["vectors"]), stored[1]
        vectors[start : start + len(part)] = made
        # A file counts rows from the start of its part, which may stand elsewhere in another pool.
        failures += [replace(failure, row=failure.row + start) for failure in missing]
    progress("depictions", len(smiles), len(smiles))
    return vectors, failures


def _encoded(
    model: ImageEncoder,
    part: Sequence[str],
    workers: int | None,
    before: int,
    total: int,
    progress: Progress,
) -> tuple[FloatArray, list[ParseFailure]]:
    blocks: list[FloatArray] = []
    read: list[Any] = []
    for vectors, molecules in model.encode_batches(part, workers=workers):
        blocks.append(vectors)
        read += molecules
        progress("depictions", before + len(read), total)
    return np.concatenate(blocks), [item for item in read if isinstance(item, ParseFailure)]
