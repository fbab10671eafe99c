"""Lay the library out on a sheet: ``library_map.parquet``, tied by hash to vectors and table.

    python -m molclip.data.build_map [--sample 9000] [--seed 0]

A sample of the curated rows; scikit-learn's t-SNE on the first 50 principal components of their
vectors, started from the first two (`molclip.evaluation.representation_map`). Needs scikit-learn
and no model. Run it again after ``build_vectors``.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow.parquet as pq

from molclip.datasets.ontology import Ontology
from molclip.errors import InputError
from molclip.evaluation.representation_map import OTHER, tsne
from molclip.search.embedded import LIBRARY_FILE, VECTORS_FILE, data_folder, file_hash
from molclip.search.library_map import MAP_FILE, LibraryMap
from molclip.search.vectors import VectorFile

CLASSES = (
    "CHEBI:35341",  # steroid
    "CHEBI:26873",  # terpenoid
    "CHEBI:72544",  # flavonoids
    "CHEBI:22315",  # alkaloid
    "CHEBI:61120",  # nucleobase-containing molecular entity
    "CHEBI:16670",  # peptide
    "CHEBI:78616",  # carbohydrates and carbohydrate derivatives
    "CHEBI:18059",  # lipid
    "CHEBI:33709",  # amino acid
    "CHEBI:24835",  # inorganic molecular entity
    "CHEBI:33659",  # organic aromatic compound
)
"""What points are coloured by, the first that fits: families of natural products before chemical
classes, which nearly every molecule belongs to. Their names come from the ontology."""
SAMPLE = 9000


def groups_of(
    classes: list[list[str]], ontology: Ontology
) -> tuple[npt.NDArray[np.int64], tuple[str, ...]]:
    """Group of each molecule as an index into the names returned with it; the last is `OTHER`."""
    names = (*(ontology.name(id_) for id_ in CLASSES), OTHER)
    found = np.full(len(classes), len(CLASSES), dtype=np.int64)
    for row, ids in enumerate(classes):
        above = ontology.closure(ids)
        found[row] = next((n for n, id_ in enumerate(CLASSES) if id_ in above), len(CLASSES))
    return found, names


def fitted(points: npt.NDArray[np.floating]) -> npt.NDArray[np.float32]:
    """Points centred and scaled by one factor, so that the farthest coordinate is 1 or −1."""
    centred = points - (points.max(axis=0) + points.min(axis=0)) / 2
    scale = max(float(np.abs(centred).max()), 1e-30)
    return np.asarray(centred / scale, dtype=np.float32)


def build(folder: Path, sample: int = SAMPLE, seed: int = 0) -> Path:
    """Write the file beside the vectors; return its path.

    Raises
    ------
    InputError
        When the vectors belong to another table, or scikit-learn is missing.
    """
    import sklearn

    vectors = VectorFile.open(folder / VECTORS_FILE)
    library = file_hash(folder / LIBRARY_FILE)
    if vectors.metadata.get("library_sha256") != library:
        raise InputError(
            f"{folder / VECTORS_FILE} was made for another {LIBRARY_FILE}.",
            "Run python -m molclip.data.build_vectors first.",
        )
    table = pq.read_table(folder / LIBRARY_FILE, columns=["curated", "classes"])
    pool = np.flatnonzero(table.column("curated").to_pylist())
    rows = pool
    if sample < len(pool):
        rows = np.sort(np.random.default_rng(seed).choice(pool, sample, replace=False))
    held = table.column("classes").to_pylist()
    groups, names = groups_of([held[row] or [] for row in rows.tolist()], Ontology.load())
    points = fitted(tsne(vectors.take(rows), seed))
    metadata = {
        "model_hash": vectors.metadata["model_hash"],
        "library_sha256": library,
        "method": "t-SNE of the first 50 principal components",
        "scikit-learn": sklearn.__version__,
        "pool": str(len(pool)),
        "seed": str(seed),
    }
    target = folder / MAP_FILE
    LibraryMap(rows, points, groups, names, metadata).save(target)
    return target


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--folder", type=Path, default=data_folder(), help="of library.parquet")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="molecules on the map")
    parser.add_argument("--seed", type=int, default=0, help="of the sample and of t-SNE")
    options = parser.parse_args()
    target = build(options.folder, options.sample, options.seed)
    size = target.stat().st_size / 1e3
    print(f"{target}: {size:.0f} kB, {time.process_time():.0f} s of one core")


if __name__ == "__main__":
    main()
