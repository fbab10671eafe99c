"""Models as the retrieval evaluation uses them: loaded, with a pool encoder that remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.evaluation import cache
from molclip.evaluation.feature_table import FeatureTable, UInt8Array
from molclip.evaluation.ranks import FloatArray

if TYPE_CHECKING:
    from molclip.evaluation.retrieval import Encoded, Encoder, Progress

_BLOCK = 4096
_BANK_CHUNK = 512


@dataclass(frozen=True)
class PoolVectors:
    """Vectors of a pool, NaN where a row failed, and why."""

    vectors: FloatArray
    failures: Sequence[ParseFailure]


@dataclass(frozen=True)
class LoadedEncoder:
    """A model and what the evaluation needs beside it."""

    model: Encoder
    encode_pool: Callable[[Sequence[str]], Encoded] | None
    """Embeds the SMILES of a pool; None: as the model itself does."""
    count_cut: Callable[[Sequence[str]], int]
    """How many of these texts are longer than the model reads."""

    def encode_bank(self, texts: Sequence[str], progress: Progress | None = None) -> FloatArray:
        """Vectors of many texts that are asked for again and again, kept on disk."""
        path = cache.cache_file("texts", self.model.model_hash, *texts)
        stored = cache.load(path, ("vectors",))
        if stored is not None:
            return np.asarray(stored[0]["vectors"])
        parts = []
        for start in range(0, len(texts), _BANK_CHUNK):
            if progress:
                progress("training texts", start, len(texts))
            parts.append(self.model.encode_text(list(texts[start : start + _BANK_CHUNK])))
        vectors = np.concatenate(parts).astype(np.float32)
        cache.save(path, {"vectors": vectors}, [])
        return vectors


def molclip_encoder(name: str | None, workers: int | None, progress: Progress) -> LoadedEncoder:
    """Load a `MolCLIP` and return it with a pool encoder that keeps feature rows on disk.

    Features depend on the molecules and RDKit alone, so one file serves every model; the vectors
    are computed anew each time.
    """
    from molclip.models.molclip import MolCLIP

    model = MolCLIP.from_pretrained(name)

    def count_cut(texts: Sequence[str]) -> int:
        return sum(bool(encoded.dropped) for encoded in model.tokenize(texts))

    if getattr(model.network.molecule, "kind", "fingerprint") != "fingerprint":
        # Graphs are not kept; the model makes them anew.
        return LoadedEncoder(model, None, count_cut)

    def encode_pool(smiles: Sequence[str]) -> PoolVectors:
        table = pool_features(smiles, workers, progress)
        vectors = np.empty((len(table), model.dimension), dtype=np.float32)
        for start in range(0, len(table), _BLOCK):
            progress("molecule vectors", start, len(table))
            stop = min(start + _BLOCK, len(table))
            vectors[start:stop] = model.encode_features(table.rows(start, stop))
        progress("molecule vectors", len(table), len(table))
        vectors[[failure.row - 1 for failure in table.failures]] = np.nan
        return PoolVectors(vectors, table.failures)

    return LoadedEncoder(model, encode_pool, count_cut)


def pool_features(smiles: Sequence[str], workers: int | None, progress: Progress) -> FeatureTable:
    """Return the feature rows of a pool, from disk when the same pool was seen before."""
    from molclip.chem.features import VERSION, WIDTH, golden_hash
    from molclip.chem.parallel import featurize_stream

    path = cache.cache_file("features", VERSION, golden_hash(), *smiles)
    stored = FeatureTable.load(path)
    if stored is not None:
        return stored

    def watched() -> Iterator[UInt8Array | ParseFailure]:
        for done, item in enumerate(featurize_stream(smiles, workers=workers)):
            progress("molecule features", done, len(smiles))
            yield item
        progress("molecule features", len(smiles), len(smiles))

    table = FeatureTable.collect(watched(), WIDTH)
    table.save(path)
    return table


def image_encoder(weights: str, progress: Progress) -> LoadedEncoder:
    """Load an open_clip model and return it with a pool encoder that keeps vectors on disk.

    Here vectors are kept, because drawing and a vision transformer cost a hundred times what
    fingerprints do. The file depends on the weights, the molecules and RDKit's drawing.
    """
    import rdkit

    from molclip.models.image import ImageBaseline

    model = ImageBaseline.from_pretrained(weights)

    def encode_pool(smiles: Sequence[str]) -> PoolVectors:
        path = cache.cache_file("images", model.model_hash, rdkit.__version__, *smiles)
        stored = cache.load(path, ("vectors",))
        if stored is not None:
            arrays, known_failures = stored
            return PoolVectors(arrays["vectors"], known_failures)
        vectors = np.empty((len(smiles), model.dimension), dtype=np.float32)
        failures: list[ParseFailure] = []
        step = model.batch_size
        for start in range(0, len(smiles), step):
            progress("depictions", start, len(smiles))
            encoded = model.encode_molecules(smiles[start : start + step])
            vectors[start : start + step] = encoded.vectors
            # The model counts rows from the start of what it was given.
            failures += [replace(failure, row=failure.row + start) for failure in encoded.failures]
        progress("depictions", len(smiles), len(smiles))
        cache.save(path, {"vectors": vectors}, failures)
        return PoolVectors(vectors, failures)

    return LoadedEncoder(model, encode_pool, model.count_cut)
