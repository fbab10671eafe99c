"""The cached gradient is that of the plain batch, dropout included."""

import numpy as np
import pytest
import torch
from training_fakes import tiny_config, tiny_network, tiny_pairs, tiny_tokenizer

from molclip.losses import Terms, clip_loss
from molclip.training.gradient_cache import RandomState, View, chunks_of
from molclip.training.trainer import Trainer


def gradients(network):
    return {n: p.grad.clone() for n, p in network.named_parameters() if p.grad is not None}


def test_chunks_cover_every_place_once():
    order = [4, 2, 0, 3, 1]
    assert chunks_of(order, 2) == [[4, 2], [0, 3], [1]]
    assert chunks_of(order, None) == [order]


def test_a_cached_batch_equals_a_plain_one_with_the_same_random_state_per_chunk():
    torch.manual_seed(0)
    towers = [
        torch.nn.Sequential(torch.nn.Linear(6, 32), torch.nn.Dropout(0.3), torch.nn.Linear(32, 4))
        for _ in range(2)
    ]
    inputs = [torch.randn(20, 6) for _ in range(2)]
    chunks = [[7, 3, 11, 0, 19, 5, 8], [1, 2, 4, 6, 9, 10, 12], [13, 14, 15, 16, 17, 18]]

    def loss_of(first, second):
        unit = [torch.nn.functional.normalize(rows, dim=1) for rows in (first, second)]
        return clip_loss(*unit, Terms(torch.tensor(10.0))).loss

    # The plain batch: one graph over all chunks, each drawn under the same state as when cached.
    torch.manual_seed(5)
    whole = []
    for tower, rows in zip(towers, inputs, strict=True):
        joined = torch.empty(20, 4)
        for chunk in chunks:
            joined[chunk] = tower(rows[chunk])
        whole.append(joined)
    plain = loss_of(*whole)
    plain.backward()
    expected = [p.grad.clone() for tower in towers for p in tower.parameters()]
    for tower in towers:
        tower.zero_grad()

    torch.manual_seed(5)
    views = [
        View(lambda places, t=tower, r=rows: t(r[places]), chunks)
        for tower, rows in zip(towers, inputs, strict=True)
    ]
    vectors = [view.forward().requires_grad_() for view in views]
    cached = loss_of(*vectors)
    cached.backward()
    for view, rows in zip(views, vectors, strict=True):
        view.backward(rows.grad)
    assert cached.item() == pytest.approx(plain.item(), abs=1e-6)
    found = [p.grad for tower in towers for p in tower.parameters()]
    for mine, theirs in zip(found, expected, strict=True):
        torch.testing.assert_close(mine, theirs, atol=1e-5, rtol=1e-5)


def test_replaying_leaves_the_random_state_where_it_was():
    torch.manual_seed(1)
    view = View(lambda places: torch.rand(len(places), 2, requires_grad=True) * 1, [[0], [1]])
    view.forward()
    after = RandomState().cpu
    view.backward(torch.ones(2, 2))
    assert torch.equal(RandomState().cpu, after)


@pytest.mark.parametrize("objective", ["clip", "siglip", "nt_xent", "moco", "vicreg", "wmse"])
@pytest.mark.parametrize("chunk", [3, 7])
def test_the_trainer_gives_the_same_gradients_in_chunks(tmp_path, objective, chunk):
    pairs = tiny_pairs(tmp_path)
    tokenizer = tiny_tokenizer(pairs)
    found = []
    for size in (None, chunk):
        config = tiny_config(
            tmp_path / "run", objective={"name": objective}, run={"chunk_size": size}
        )
        network = tiny_network(config, tokenizer, bias=-5.0 if objective == "siglip" else None)
        trainer = Trainer(config, network, tokenizer, pairs, tmp_path)
        # Two steps, so that the queue of moco is not empty.
        for start in (0, 16):
            network.zero_grad()
            numbers = trainer.backward(np.arange(start, start + 16))
            trainer.step += 1
        found.append((numbers["loss"], gradients(network)))
    (plain_loss, plain), (cached_loss, cached) = found
    assert cached_loss == pytest.approx(plain_loss, abs=1e-5)
    assert plain.keys() == cached.keys()
    assert any(float(gradient.abs().max()) > 0 for gradient in plain.values())
    for name, gradient in plain.items():
        torch.testing.assert_close(cached[name], gradient, atol=1e-5, rtol=1e-4)
