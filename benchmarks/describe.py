"""How often is what `molclip describe` predicts recorded? On molecules the model never saw.

    python benchmarks/describe.py [--molecules 2000] [--uses FOLDER]

Curated molecules of the embedded library that are not in the model's list of training molecules
are described without their records. A statement counts as right when ChEBI states it, or when it
follows from what ChEBI states. Molecules without any recorded role are left out of the count of
roles. FOLDER holds the data set `chemfunct`; its molecules that were not seen measure the uses.
"""

from __future__ import annotations

import argparse
import time

import numpy as np

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import Ontology
from molclip.describe import Describer
from molclip.describe.vocabulary import held
from molclip.search.library import Library

MARGINS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.5)


def main() -> None:
    parser = argparse.ArgumentParser(description=str(__doc__).splitlines()[0])
    parser.add_argument("--molecules", type=int, default=2000)
    parser.add_argument("--uses", help="folder of the data set chemfunct")
    arguments = parser.parse_args()
    library = Library.open()
    started = time.perf_counter()
    describer = Describer(library)
    index, ontology = describer.index, Ontology.load()
    print(f"{len(index.labels):,} labels ready after {time.perf_counter() - started:.1f} s")
    rows, truths = _unseen(library, ontology, arguments.molecules)
    vectors = library._index.vectors.take(rows)
    print(f"{len(rows):,} curated molecules not seen in training")
    for kind in ("class", "role"):
        places = np.array([n for n, label in enumerate(index.labels) if label.kind == kind])
        ids = [index.labels[place].id for place in places]
        true = np.array([[id_ in truth for id_ in ids] for truth in truths])
        told = true.any(axis=1)
        _table(kind, _margins(index, vectors[told], places), true[told], ids, ontology)
    if arguments.uses:
        _uses(library, index, ontology, arguments.uses, arguments.molecules)


def _unseen(library, ontology, wanted):
    index, seen = library._index, library._handle.seen
    keys = index.rows.tables[0].column("inchikey").to_pylist()
    pool = [row for row in np.flatnonzero(index.curated) if keys[row] not in seen]
    rows = np.sort(np.random.default_rng(0).permutation(pool)[:wanted])
    facts = load_facts()
    entries = [facts[int(row)] for row in rows]
    return rows, [held(ontology, entry.classes, entry.roles) for entry in entries]


def _margins(index, vectors, places):
    scores = vectors @ index.vectors[places].T
    return (scores - index.lines[places]) / index.spreads[places]


def _table(kind, margins, true, ids, ontology) -> None:
    place = {id_: n for n, id_ in enumerate(ids)}
    above = [[place[a] for a in ontology.ancestors(id_) if a in place] for id_ in ids]
    print(f"\n{kind}: {len(true):,} molecules, {len(ids):,} labels")
    print(
        "margin | passing: number, right | listed (narrowest): number, right | first right | none"
    )
    for margin in MARGINS:
        passing = margins >= margin
        listed, right, first, none = 0, 0, [], 0
        for row in range(len(passing)):
            found = np.flatnonzero(passing[row])
            broader = {a for n in found for a in above[n]}
            narrow = sorted((n for n in found if n not in broader), key=lambda n: -margins[row, n])
            none += not narrow
            narrow = narrow[:8]
            listed += len(narrow)
            right += int(true[row, narrow].sum())
            first += [true[row, narrow[0]]] if narrow else []
        size = len(passing)
        print(
            f"{margin:6.1f} | {passing.sum() / size:8.1f} {true[passing].mean():7.2f}"
            f" | {listed / size:8.1f} {right / max(listed, 1):7.2f}"
            f" | {np.mean(first):7.2f} | {none / size:6.3f}"
        )


def _uses(library, index, ontology, folder, wanted) -> None:
    from molclip.datasets.registry import load

    data = load("chemfunct", folder)
    names = {label.name: label.id for label in index.labels if label.kind == "use"}
    places = np.array([n for n, label in enumerate(index.labels) if label.kind == "use"])
    ids = [index.labels[place].id for place in places]
    chosen = np.random.default_rng(0).permutation(len(data))[: 3 * wanted].tolist()
    part = data.select(chosen)
    encoded = library.model.encode_molecules(part["smiles"][:])
    seen = library._handle.seen
    kept = [
        row
        for row, molecule in enumerate(encoded.molecules)
        if encoded.valid[row] and molecule.inchikey not in seen
    ]
    true = np.zeros((len(kept), len(ids)), dtype=bool)
    for number, row in enumerate(kept):
        for use in part["classes"][row]:
            id_ = names.get(use.lower()) or names.get(use)
            if id_ in ids:
                true[number, ids.index(id_)] = True
    _table("use", _margins(index, encoded.vectors[kept], places), true, ids, ontology)


if __name__ == "__main__":
    main()
