"""What do float16 and int8 vectors cost in ranking, against float32?

    python benchmarks/vector_storage.py [--model FOLDER] [--cache FOLDER] [--questions 1000]

The embedded library is embedded anew in float32. Names of ChEBI classes and roles are the
questions. For each storage type: size on disk, how many of the first 10 and 100 rows stay, how
often the first row stays, and the largest change of a score.
"""

import argparse
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
from molclip.data.build_vectors import embed

from molclip.datasets.ontology import Ontology
from molclip.models.molclip import MolCLIP
from molclip.search.embedded import LIBRARY_FILE, data_folder
from molclip.search.vectors import quantise


def stored(vectors, storage):
    """Unit float32 rows after a trip through the storage type."""
    rows = quantise(vectors, storage).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def top(vectors, questions, count):
    """First `count` rows for every question, and all their scores."""
    scores = questions @ vectors.T
    order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(scores, order, axis=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model")
    parser.add_argument("--cache", type=Path, help="feature cache of a training run")
    parser.add_argument("--questions", type=int, default=1000)
    options = parser.parse_args()
    model = MolCLIP.from_pretrained(options.model)
    smiles = pq.read_table(data_folder() / LIBRARY_FILE, columns=["smiles"])["smiles"].to_pylist()
    vectors = np.concatenate(list(embed(model, smiles, 2, options.cache)))
    terms = [term.name for term in Ontology.load().terms.values() if term.kind != "molecule"]
    chosen = np.random.default_rng(0).permutation(len(terms))[: options.questions]
    questions = model.encode_text([terms[number] for number in sorted(chosen)])
    types = ("float16", "int8")
    kept = {name: np.zeros(4) for name in types}
    after = {name: stored(vectors, name) for name in types}
    for start in range(0, len(questions), 100):
        part = questions[start : start + 100]
        order, scores = top(vectors, part, 100)
        for name in types:
            found, _ = top(after[name], part, 100)
            change = np.abs((part[:, None] * after[name][order]).sum(axis=2) - scores).max()
            for mine, theirs in zip(found, order, strict=True):
                kept[name][0] += len(np.intersect1d(mine[:10], theirs[:10])) / 10
                kept[name][1] += len(np.intersect1d(mine, theirs)) / 100
                kept[name][2] += mine[0] == theirs[0]
            kept[name][3] = max(kept[name][3], change)
    print(f"\n{len(vectors):,} molecules, {len(questions):,} questions, {model.dimension} numbers")
    print("storage      MB   first 10 kept   first 100 kept   first kept   largest change")
    for name in types:
        size = vectors.size * np.dtype(name).itemsize / 1e6
        ten, hundred, first = kept[name][:3] / len(questions)
        print(
            f"{name:8} {size:6.1f} {ten:15.4f} {hundred:16.4f} {first:12.4f} {kept[name][3]:16.5f}"
        )


if __name__ == "__main__":
    main()
