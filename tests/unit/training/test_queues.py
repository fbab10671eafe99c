"""The queue of keys and the slow encoder, by hand."""

import numpy as np
import torch

from molclip.text.captions import Caption
from molclip.training.queues import KeyQueue, follow, frozen_copy


def keys(*values):
    return torch.tensor([[float(value)] for value in values])


def test_the_queue_grows_wraps_around_and_forgets_the_oldest():
    queue = KeyQueue(5, 1)
    assert queue.keys.shape == (0, 1)
    queue.push(keys(1, 2, 3), np.array([10, 20, 30]))
    assert queue.keys[:, 0].tolist() == [1, 2, 3]
    queue.push(keys(4, 5, 6), np.array([40, 50, 60]))
    assert sorted(queue.keys[:, 0].tolist()) == [2, 3, 4, 5, 6]
    by_row = dict(zip(queue.rows.tolist(), queue.keys[:, 0].tolist(), strict=True))
    assert by_row == {20: 2, 30: 3, 40: 4, 50: 5, 60: 6}
    queue.push(keys(7), np.array([70]))
    assert sorted(queue.rows.tolist()) == [30, 40, 50, 60, 70]


def test_more_keys_than_places_keep_the_last():
    queue = KeyQueue(2, 1)
    queue.push(keys(1, 2, 3), np.array([1, 2, 3]), [Caption(str(n), None) for n in (1, 2, 3)])
    assert sorted(queue.keys[:, 0].tolist()) == [2, 3]
    assert sorted(caption.text for caption in queue.captions) == ["2", "3"]


def test_a_saved_queue_goes_on_where_it_was(tmp_path):
    queue = KeyQueue(3, 1)
    queue.push(
        keys(1, 2), np.array([1, 2]), [Caption("a", frozenset({"x", "y"})), Caption("b", None)]
    )
    torch.save(queue.state_dict(), tmp_path / "queue.pt")
    other = KeyQueue(3, 1)
    other.load_state_dict(torch.load(tmp_path / "queue.pt", weights_only=True))
    assert other.captions == queue.captions
    for each in (queue, other):
        each.push(keys(3, 4), np.array([3, 4]), [Caption("c", None), Caption("d", None)])
    assert torch.equal(queue.keys, other.keys)
    assert queue.rows.tolist() == other.rows.tolist()
    assert queue.captions == other.captions


def test_keys_have_no_gradient():
    queue = KeyQueue(4, 2)
    rows = torch.randn(2, 2, requires_grad=True)
    queue.push(rows, np.array([0, 1]))
    assert not queue.keys.requires_grad


def test_the_slow_encoder_follows_by_its_momentum():
    fast = torch.nn.Linear(1, 1, bias=False)
    fast.weight.data.fill_(1.0)
    slow = frozen_copy(fast)
    assert not slow.weight.requires_grad
    fast.weight.data.fill_(0.0)
    follow(slow, fast, 0.9)
    follow(slow, fast, 0.9)
    assert abs(slow.weight.item() - 0.81) < 1e-6
    assert fast.weight.item() == 0.0
