"""What does joining models bring, and what do fewer dimensions and int8 weights cost?

    python benchmarks/ensemble.py MODEL MODEL [MODEL ...] --data FOLDER --cache FOLDER

ChEBI-20 validation text to molecule over the whole pool, pessimistic ties, float32: every member
alone with texts read in several ways (as wholes, with the mean of their sentences, with the first
sentence besides), every set of members with its cosines averaged, then, where they share a
tokenizer, all of them joined (`models.joining`, the basis from 10,000 training molecules of the
pool) at several widths and with int8 weights. FOLDER of `--data` holds ChEBI-20, that of `--cache`
keeps features between runs.
"""

import argparse
from itertools import combinations
from pathlib import Path

import numpy as np

from molclip.evaluation.metrics import bootstrap, figures
from molclip.evaluation.pairs import load_chebi20
from molclip.evaluation.ranks import rank_vectors
from molclip.models.joining import join_models
from molclip.models.molclip import MolCLIP
from molclip.models.weight_storage import restored, stored
from molclip.training.features import FeatureStore

WIDTHS = (64, 128, 192, 256)
READINGS = {
    "texts as wholes": (0, 0),
    "and their sentences": (1, 0),
    "and the first one": (0.7, 0.5),
}
"""Weights of the mean of the sentences and of the first; the last is used where models are joined."""
AT_ONCE = 4096


def molecule_vectors(model, store, rows):
    """Unit vectors of stored rows, ``(N, D)``."""
    parts = range(0, len(rows), AT_ONCE)
    return np.concatenate(
        [model.encode_features(store.dense(rows[at : at + AT_ONCE])) for at in parts]
    )


def reading(model, mean, first):
    """The model with other weights of the mean of the sentences and of the first one."""
    weights = {"sentence_weight": mean, "first_sentence_weight": first}
    text = model.config.text.model_copy(update=weights)
    config = model.config.model_copy(update={"text": text})
    return MolCLIP(config, model.network, model.tokenizer, model.folder)


def line(name, texts, molecules, task):
    """Print one row of the table."""
    ranks = rank_vectors(texts, molecules, *task)
    found = figures(ranks)
    low, high = bootstrap(ranks, seed=0)["hits@1"]
    print(
        f"{name:44} {found['hits@1']:.3f} ({low:.3f}-{high:.3f})  {found['hits@10']:.3f}  "
        f"{found['mrr']:.3f}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("models", nargs="+")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--cache", type=Path, required=True)
    parser.add_argument("--weights", type=float, nargs="+", help="of the members' cosines")
    parser.add_argument("--limit", type=int, help="texts; all by default")
    options = parser.parse_args()
    data = load_chebi20(options.data, "validation").sample(options.limit, 0)
    store = FeatureStore(options.cache)
    rows = store.rows(list(data.pool_smiles))
    place = {identifier: row for row, identifier in enumerate(data.pool_ids)}
    task = (np.array([place[i] for i in data.text_ids]), np.arange(len(rows)))
    models = [MolCLIP.from_pretrained(name) for name in options.models]
    molecules = [molecule_vectors(model, store, rows) for model in models]
    weights = options.weights or [float(model.network.scale.detach()) for model in models]
    print(f"{len(data.texts):,} validation texts, {len(rows):,} molecules")
    print(f"{'':44} Hits@1 (95 % interval)  Hits@10  MRR")
    everyone = range(len(models))
    for number in everyone:
        for said, parts in READINGS.items():
            read = reading(models[number], *parts)
            line(f"{number + 1}, {said}", read.encode_text(data.texts), molecules[number], task)
    sets = [c for size in range(2, len(models) + 1) for c in combinations(everyone, size)]
    for said, parts in READINGS.items():
        models = [reading(model, *parts) for model in models]
        texts = [model.encode_text(data.texts) for model in models]
        for chosen in sets:
            share = np.array([weights[member] for member in chosen])
            share = np.sqrt(share / share.sum())
            joined = [
                np.concatenate([s * side[m] for s, m in zip(share, chosen, strict=True)], axis=1)
                for side in (texts, molecules)
            ]
            line(f"{' + '.join(str(m + 1) for m in chosen)}, {said}", *joined, task)
    if len({model.tokenizer.tokenizer.to_str() for model in models}) > 1:
        return
    known = np.flatnonzero(np.array(data.trained))
    basis = store.dense(rows[np.random.default_rng(0).permutation(known)[:10_000]])
    for width in WIDTHS:
        model = join_models(models, basis, width, weights)
        line(
            f"all, {width} dimensions",
            model.encode_text(data.texts),
            molecule_vectors(model, store, rows),
            task,
        )
        if width == WIDTHS[-1]:
            model.network.load_state_dict(restored(stored(model.network.state_dict(), "int8")))
            line(
                f"all, {width} dimensions, int8 weights",
                model.encode_text(data.texts),
                molecule_vectors(model, store, rows),
                task,
            )


if __name__ == "__main__":
    main()
