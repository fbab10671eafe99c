"""The card tells the figures of the weights that were saved."""

import pytest
from training_fakes import tiny_config

from molclip.training.model_card import _saved_epoch

RECORDS = [
    {"epoch": 1, "validation mrr": 0.2},
    {"epoch": 2, "validation mrr": 0.4},
    {"epoch": 3, "loss": 1.0},
    {"epoch": 4, "validation mrr": 0.3},
]


@pytest.mark.parametrize(("patience", "epoch"), [(None, 4), (2, 2)])
def test_the_epoch_of_the_saved_weights(tmp_path, patience, epoch):
    config = tiny_config(tmp_path, run={"patience": patience})
    assert _saved_epoch(RECORDS, config)["epoch"] == epoch
    assert _saved_epoch(RECORDS[2:3], config) == {}
