"""Building a network without first weights: quick, complete, and no random number is drawn."""

import torch
from model_fakes import tiny_model
from torch import nn

from molclip import MolCLIP
from molclip.models.fingerprint_encoder import LogCounts
from molclip.models.unfilled import Unfilled


def test_nothing_is_drawn():
    torch.manual_seed(3)
    before = torch.random.get_rng_state()
    with Unfilled():
        nn.Sequential(nn.Linear(5, 7), nn.LayerNorm(7), nn.Embedding(3, 4, padding_idx=0))
    assert torch.equal(torch.random.get_rng_state(), before)
    torch.manual_seed(3)
    drawn = nn.Linear(5, 7).weight
    torch.manual_seed(3)
    assert torch.equal(nn.Linear(5, 7).weight, drawn)


def test_what_is_computed_and_not_loaded_is_there():
    with Unfilled():
        table = LogCounts().table
    assert torch.equal(table, torch.log1p(torch.arange(256.0)))


def test_every_weight_of_a_loaded_model_is_from_the_file(tmp_path):
    model = tiny_model()
    model.save_pretrained(tmp_path)
    loaded = MolCLIP.from_pretrained(tmp_path).network
    wanted = model.network.state_dict()
    assert set(loaded.state_dict()) == set(wanted)
    for name, tensor in loaded.state_dict().items():
        assert torch.equal(tensor, wanted[name]), name
    # Everything there is stands in the state, so nothing can be left unfilled.
    named = {name for name, _ in loaded.named_parameters()}
    assert named <= set(wanted)
