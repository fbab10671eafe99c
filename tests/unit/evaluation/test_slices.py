"""Queries sorted by what makes them hard, with facts made up for a handful of molecules."""

import numpy as np
import pyarrow as pa
import pytest

from molclip.datasets.facts import Facts
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.pool_facts import PoolFacts
from molclip.evaluation.ranks import Ranks
from molclip.evaluation.slices import Labels, label_queries, measure_slices

KEYS = ["AAAAAAAAAAAAAA-AAAAAAAASA-N", "AAAAAAAAAAAAAA-BBBBBBBBSA-N", "CCCCCCCCCCCCCC-CCCCCCCCSA-M"]
TRAINED = [
    "CCCCCCCCCCCCCC-DDDDDDDDSA-N",
    "EEEEEEEEEEEEEE-EEEEEEEESA-N",
    "FFFFFFFFFFFFFF-FFFFFFFFSA-N",
]


def _library(rows):
    """Facts of (inchikey, name, synonyms, classes)."""
    columns = {
        "chebi_id": [f"CHEBI:{number}" for number in range(len(rows))],
        "name": [row[1] for row in rows],
        "smiles": ["C"] * len(rows),
        "inchikey": [row[0] for row in rows],
        "curated": [True] * len(rows),
        "classes": [row[3] for row in rows],
        "roles": [[]] * len(rows),
        "relations": [[]] * len(rows),
        "synonyms": [row[2] for row in rows],
        "merged_ids": [[]] * len(rows),
        "structure_source": ["inchi"] * len(rows),
    }
    return Facts(pa.table(columns))


LIBRARY = _library(
    [
        (KEYS[0], "alanine", ["Ala", "L-alanine"], ["acid", "rare"]),
        (KEYS[1], "tin", [], ["rare"]),
        (TRAINED[0], "x", [], ["acid"]),
        (TRAINED[1], "y", [], ["acid", "ester"]),
    ]
)


def _labels(texts, keys=(*KEYS, *TRAINED), pool="all"):
    data = RetrievalData(
        name="made up",
        split="validation",
        text_variant="made up",
        text_ids=["0", "1", "2"],
        texts=texts,
        pool_ids=[str(row) for row in range(6)],
        pool_smiles=["C"] * 6,
        in_split=[True] * 3 + [False] * 3,
        trained=[False] * 3 + [True] * 3,
    )
    facts = PoolFacts(
        inchikeys=np.array(keys),
        charges=np.array([0, 1, -1, 0, 0, 0]),
        zwitterions=np.array([True, False, False, False, False, False]),
        scaffolds=np.array([7, 0, 9, 7, 8, 0], dtype=np.uint64),
    )
    found = label_queries(data, facts, LIBRARY, pool=pool)
    return {label.name: list(label.values) for label in found}


TEXTS = ["It is alanine.", " ".join(["word"] * 40), " ".join(["word"] * 56)]


def test_labels_of_structure():
    labels = _labels(TEXTS)
    assert labels["charge"] == ["zwitterion", "cation", "anion"]
    assert labels["stereo twin"] == ["in the pool", "in the pool", "in the pool"]
    assert labels["conjugate"] == ["none", "none", "none"]
    assert labels["words"] == ["0–30", "31–40", "56 or more"]
    # The anion's skeleton is in training with other stereo; the scaffold 9 is not.
    assert labels["skeleton"] == ["new", "new", "in training"]
    assert labels["scaffold"] == ["in training", "no ring", "new"]


def test_partners_are_those_among_the_rows_that_are_ranked():
    # The third text's anion has its acid, and its other enantiomer, among the training molecules.
    keys = [*KEYS, "CCCCCCCCCCCCCC-CCCCCCCCSA-N", *TRAINED[:2]]
    whole, small = (_labels(TEXTS, keys, pool) for pool in ("all", "split"))
    assert whole["conjugate"] == ["none", "none", "in the pool"]
    assert whole["stereo twin"] == ["in the pool", "in the pool", "in the pool"]
    assert small["conjugate"] == ["none", "none", "none"]
    assert small["stereo twin"] == ["in the pool", "in the pool", "none"]
    # What was trained on is looked up in the whole pool all the same.
    assert small["skeleton"] == whole["skeleton"] == ["new", "new", "in training"]


def test_class_counts_training_molecules_of_the_commonest_class():
    # Class "acid" has two training molecules, "rare" none; nothing is known of the third.
    assert _labels(TEXTS)["class"] == ["1–9", "0", ""]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is alanine.", "in the text"),
        ("The ALANINE, drawn anew", "in the text"),
        ("An N-acetyl-L-alanine", "absent"),  # part of another name
        ("An L-alanine amide", "in the text"),
        ("It has the code Ala.", "absent"),  # too short to mean anything
        ("phenylalanine", "absent"),
    ],
)
def test_own_name_counts_only_as_words_of_its_own(text, expected):
    assert _labels([text, *TEXTS[1:]])["own name"] == [expected, "", ""]


def test_slices_hold_the_figures_of_their_queries():
    ranks = Ranks(np.array([0, 1, 3, 0]), np.zeros(4, np.int64), np.array([False] * 3 + [True]), 10)
    label = Labels("size", ("small", "large", "huge"), ["small", "small", "large", "large"])
    small, large = measure_slices(ranks, [label], samples=50)
    assert (small.kind, small.queries) == ("small", 2)
    assert small.figures == {"hits@1": 0.5, "mrr": (1 + 1 / 2) / 2}
    # The missed query counts as no hit with reciprocal rank 0.
    assert large.figures == {"hits@1": 0.0, "mrr": (1 / 4 + 0) / 2}
    low, high = small.intervals["mrr"]
    assert 0.5 <= low <= 0.75 <= high <= 1


def test_labels_must_be_one_for_each_query():
    ranks = Ranks(np.array([0]), np.array([0]), np.array([False]), 10)
    with pytest.raises(ValueError, match="2 labels for 1 queries"):
        measure_slices(ranks, [Labels("size", ("small",), ["small", "small"])])
