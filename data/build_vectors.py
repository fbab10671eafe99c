"""Embed the library: ``library_vectors.safetensors``, tied by hash to weights and table.

    python -m molclip.data.build_vectors [--model FOLDER] [--storage float16|int8]

Row i belongs to row i of ``library.parquet``. Run it again whenever the weights change.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from molclip.chem.features import VERSION
from molclip.chem.molecule import ParseFailure
from molclip.chem.parallel import featurize_stream
from molclip.search.embedded import LIBRARY_FILE, VECTORS_FILE, data_folder, file_hash
from molclip.search.vectors import StorageType, write_vectors

BLOCK = 8192


def feature_blocks(
    smiles: list[str], workers: int, cache: Path | None
) -> Iterator[npt.NDArray[np.uint8]]:
    """Feature rows block by block, from the training's feature store where there is one.

    Raises
    ------
    SystemExit
        When a row has no features: the library itself is wrong then.
    """
    if cache is not None:
        from molclip.training.features import FeatureStore

        store = FeatureStore(cache, workers)
        rows = store.rows(smiles)
        for start in range(0, len(rows), BLOCK):
            block = store.dense(rows[start : start + BLOCK])
            empty = np.flatnonzero(~block.any(axis=1))
            if len(empty):
                raise SystemExit(f"row {start + empty[0] + 1} of the library has no features")
            yield block
        return
    found: list[npt.NDArray[np.uint8]] = []
    for done, features in enumerate(featurize_stream(smiles, workers=workers), start=1):
        if isinstance(features, ParseFailure):
            raise SystemExit(str(features))
        found.append(features)
        if len(found) == BLOCK or done == len(smiles):
            yield np.stack(found)
            found.clear()


def embed(
    model: Any, smiles: list[str], workers: int, cache: Path | None = None
) -> Iterator[npt.NDArray[np.float32]]:
    """Unit vectors block by block, float32."""
    done = 0
    for block in feature_blocks(smiles, workers, cache):
        yield model.encode_features(block)
        done += len(block)
        print(f"\r{done:,} of {len(smiles):,}", end="", file=sys.stderr, flush=True)


def build(
    model: Any, folder: Path, storage: StorageType, workers: int, cache: Path | None = None
) -> Path:
    """Write the file beside the library; return its path."""
    source = folder / LIBRARY_FILE
    library = file_hash(source)
    smiles = pq.read_table(source, columns=["smiles"]).column("smiles").to_pylist()
    target = folder / VECTORS_FILE
    draft = target.with_suffix(".draft")
    write_vectors(
        draft,
        embed(model, smiles, workers, cache),
        len(smiles),
        model.dimension,
        storage,
        {
            "model_hash": model.model_hash,
            "library_sha256": library,
            "dimension": str(model.dimension),
            "rows": str(len(smiles)),
            "feature_version": VERSION,
        },
    )
    draft.replace(target)
    return target


def main() -> None:
    """Run from the command line."""
    from molclip.models.molclip import MolCLIP

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", help="folder; the built-in model where left out")
    parser.add_argument("--folder", type=Path, default=data_folder(), help="of library.parquet")
    parser.add_argument("--storage", choices=["float16", "int8"], default="float16")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--cache", type=Path, help="feature cache of a training run")
    options = parser.parse_args()
    model = MolCLIP.from_pretrained(options.model)
    target = build(model, options.folder, options.storage, options.workers, options.cache)
    print(f"\n{target}: {target.stat().st_size / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
