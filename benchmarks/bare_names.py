"""How often does the longest bare name of an unseen molecule find it?

    python benchmarks/bare_names.py [MODEL ...] --data FOLDER --cache FOLDER

ChEBI-20 validation molecules that the embedded library names, among the whole pool, pessimistic
ties, float32. The question is the longest name or synonym of under 200 characters and nothing else;
the name was in no training text. FOLDER of `--data` holds ChEBI-20, that of `--cache` keeps features.
"""

import argparse
from pathlib import Path

import numpy as np
from ensemble import line, molecule_vectors

from molclip.datasets.facts import load_facts
from molclip.evaluation.pairs import load_chebi20
from molclip.models.molclip import MolCLIP
from molclip.training.features import FeatureStore


def longest_names():
    """Longest name of each InChIKey of the embedded library."""
    table = load_facts().table
    columns = [table.column(name).to_pylist() for name in ("inchikey", "name", "synonyms")]
    return {
        key: max((n for n in (name, *(synonyms or ())) if n and len(n) < 200), key=len, default="")
        for key, name, synonyms in zip(*columns, strict=True)
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="*", default=["built-in"])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    options = parser.parse_args()
    data = load_chebi20(options.data, "validation")
    store = FeatureStore(options.cache)
    rows = store.rows(list(data.pool_smiles))
    keys = store.keys(list(data.pool_smiles))
    place = {identifier: row for row, identifier in enumerate(data.pool_ids)}
    names = longest_names()
    right = [place[i] for i in data.text_ids if names.get(keys[place[i]])]
    questions = [names[keys[row]] for row in right]
    print(f"{len(questions):,} names, {len(rows):,} molecules")
    print(f"{'':44} Hits@1 (95 % interval)  Hits@10  MRR")
    for name in options.models:
        model = MolCLIP.from_pretrained(name)
        texts = model.encode_text(questions)
        task = (np.array(right), np.arange(len(rows)))
        line(name, texts, molecule_vectors(model, store, rows), task)


if __name__ == "__main__":
    main()
