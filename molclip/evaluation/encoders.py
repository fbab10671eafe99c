"""Models as the retrieval evaluation uses them: loaded, with a pool encoder that remembers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.evaluation import cache
from molclip.evaluation.feature_table import FeatureTable
from molclip.evaluation.ranks import FloatArray

if TYPE_CHECKING:
    from molclip.chem.inputs import Kind
    from molclip.evaluation.encoding import Encoded, Encoder, Progress
    from molclip.evaluation.graph_table import GraphTable

_BLOCK = 4096
_BANK_CHUNK = 512


@dataclass(frozen=True)
class PoolVectors:
    """Vectors of a pool, NaN where a row failed, and why."""

    vectors: FloatArray
    failures: Sequence[ParseFailure]


class InputTable(Protocol):
    """Encoder inputs of a pool of molecules."""

    @property
    def failures(self) -> Sequence[ParseFailure]:
        """Rows without an input; `row` is the place in the pool, counted from 1."""

    def __len__(self) -> int: ...

    def rows(self, start: int, stop: int) -> Any:
        """Return inputs `start` to `stop`, as `MolCLIP.encode_features` takes them."""


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
    """Load a `MolCLIP` and return it with a pool encoder that keeps molecule inputs on disk.

    Inputs depend on the molecules and RDKit alone, so one file serves every model of a kind; the
    vectors are computed anew each time.
    """
    from molclip.models.molclip import MolCLIP

    model = MolCLIP.from_pretrained(name)

    def count_cut(texts: Sequence[str]) -> int:
        return sum(bool(encoded.dropped) for encoded in model.tokenize(texts))

    def encode_pool(smiles: Sequence[str]) -> PoolVectors:
        table = pool_inputs(smiles, model.kind, workers, progress)
        vectors = np.empty((len(table), model.dimension), dtype=np.float32)
        for start in range(0, len(table), _BLOCK):
            progress("molecule vectors", start, len(table))
            stop = min(start + _BLOCK, len(table))
            vectors[start:stop] = model.encode_features(table.rows(start, stop))
        progress("molecule vectors", len(table), len(table))
        vectors[[failure.row - 1 for failure in table.failures]] = np.nan
        return PoolVectors(vectors, table.failures)

    return LoadedEncoder(model, encode_pool, count_cut)


def pool_inputs(
    smiles: Sequence[str], kind: Kind, workers: int | None, progress: Progress
) -> InputTable:
    """Return the encoder inputs of a pool, from disk when the same pool was seen before.

    Feature rows and graphs have a file each; a hybrid model reads both.
    """
    if kind == "fingerprint":
        return pool_features(smiles, workers, progress)
    graphs = _pool_graphs(smiles, workers, progress)
    if kind == "graph":
        return graphs
    from molclip.evaluation.graph_table import HybridTable

    return HybridTable(pool_features(smiles, workers, progress), graphs)


def pool_features(smiles: Sequence[str], workers: int | None, progress: Progress) -> FeatureTable:
    """Return the feature rows of a pool, from disk when the same pool was seen before."""
    from molclip.chem.features import VERSION, WIDTH, golden_hash

    path = cache.cache_file("features", VERSION, golden_hash(), *smiles)
    stored = FeatureTable.load(path)
    if stored is not None:
        return stored
    made = _watched(smiles, "fingerprint", "molecule features", workers, progress)
    table = FeatureTable.collect(made, WIDTH)
    table.save(path)
    return table


def _pool_graphs(smiles: Sequence[str], workers: int | None, progress: Progress) -> GraphTable:
    from molclip.chem.graphs import VERSION, golden_hash
    from molclip.evaluation.graph_table import GraphTable

    path = cache.cache_file("graphs", VERSION, golden_hash(), *smiles)
    stored = GraphTable.load(path)
    if stored is not None:
        return stored
    table = GraphTable.collect(_watched(smiles, "graph", "molecule graphs", workers, progress))
    table.save(path)
    return table


def _watched(
    smiles: Sequence[str], kind: Kind, what: str, workers: int | None, progress: Progress
) -> Iterator[Any]:
    """Inputs and failures of a pool, with word of how far they are."""
    from molclip.chem.parallel import featurize_stream

    for done, item in enumerate(featurize_stream(smiles, kind=kind, workers=workers)):
        progress(what, done, len(smiles))
        yield item
    progress(what, len(smiles), len(smiles))


def image_encoder(weights: str, workers: int | None, progress: Progress) -> LoadedEncoder:
    """Load an open_clip model and return it with a pool encoder that keeps vectors on disk.

    Here vectors are kept, because drawing and a vision transformer cost a hundred times what
    fingerprints do; see `image_vectors`.
    """
    from molclip.evaluation.image_vectors import image_vectors
    from molclip.models.image import ImageBaseline

    model = ImageBaseline.from_pretrained(weights)

    def encode_pool(smiles: Sequence[str]) -> PoolVectors:
        return PoolVectors(*image_vectors(model, smiles, workers, progress))

    return LoadedEncoder(model, encode_pool, model.count_cut)
