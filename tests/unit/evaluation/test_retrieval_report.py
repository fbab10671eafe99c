"""What the retrieval report makes of results: the draws are those of the evaluation's own seed."""

import numpy as np
import pytest

from molclip.evaluation.metrics import paired_bootstrap
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.ranks import Ranks
from molclip.evaluation.retrieval import RetrievalResult
from molclip.evaluation.retrieval_report import retrieval_report
from molclip.evaluation.settings import Setting
from molclip.evaluation.systems import System

QUERIES = 60
IDS = [str(row) for row in range(QUERIES)]
DATA = RetrievalData(
    name="made up",
    split="validation",
    text_variant="made up",
    text_ids=IDS,
    texts=["a text"] * QUERIES,
    pool_ids=IDS,
    pool_smiles=["C"] * QUERIES,
    in_split=[True] * QUERIES,
)


def _ranks(seed):
    higher = np.random.default_rng(seed).integers(0, 8, QUERIES)
    return Ranks(higher, np.zeros(QUERIES, np.int64), np.zeros(QUERIES, bool), QUERIES)


def _setting(ranks):
    return Setting.measure("text_to_molecule", "texts", IDS, ranks, samples=10, seed=0)


@pytest.mark.parametrize("seed", [0, 7])
def test_paired_differences_are_drawn_with_the_seed_of_the_evaluation(seed):
    mine, theirs = _ranks(1), _ranks(2)
    result = RetrievalResult(DATA, [_setting(mine)], [], seed)
    report = retrieval_report(
        result,
        encoder="molclip",
        model="x",
        model_hash="y",
        command="molclip",
        others=[System("other", "", [_setting(theirs)])],
    )
    (system,) = report.results["systems"]
    expected = paired_bootstrap(theirs, mine, samples=1000, seed=seed)
    found = system["this_model_minus_it"]["text_to_molecule"]
    assert found == {name: each.to_dict() for name, each in expected.items()}
