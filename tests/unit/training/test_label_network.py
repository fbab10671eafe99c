"""Loss and answers of the label head against scikit-learn and numpy; batches that learn."""

import numpy as np
import pytest
import torch
from sklearn.metrics import log_loss

from molclip.datasets.labels import Task
from molclip.errors import ConfigError
from molclip.models.molecule_encoder import MoleculeEncoder
from molclip.training.label_network import LabelNetwork, scales
from molclip.training.label_training import FineTuneSettings, LabelTraining

TASKS = (
    Task("active", "binary", ("0", "1")),
    Task("kind", "multiclass", ("a", "b", "c")),
    Task("dose", "regression"),
)
NAN = float("nan")


class Numbers(MoleculeEncoder):
    """An encoder of short rows of numbers."""

    kind = "fingerprint"

    def __init__(self, width):
        torch.nn.Module.__init__(self)
        self.width = width
        self.layer = torch.nn.Linear(width, width)
        self.projection = torch.nn.Linear(width, 2)

    @staticmethod
    def collate(inputs):
        return torch.tensor(np.array(inputs), dtype=torch.float32)

    def features(self, batch):
        return self.layer(batch)


@pytest.fixture
def network():
    torch.manual_seed(0)
    means, deviations = np.array([0, 0, 10.0]), np.array([1, 1, 4.0])
    return LabelNetwork(Numbers(4), TASKS, means, deviations)


LABELS = np.array([[1, 2, 14.0], [0, NAN, NAN], [NAN, 0, 6.0], [1, NAN, NAN]])


def test_the_loss_is_the_mean_over_the_labels_that_are_there(network):
    outputs = torch.randn(4, 5, generator=torch.Generator().manual_seed(1))
    active, kind, dose = network.predictions(outputs)
    expected = 3 * log_loss([1, 0, 1], active[[0, 1, 3]], labels=[0, 1])
    expected += 2 * log_loss([2, 0], kind[[0, 2]], labels=[0, 1, 2])
    # In standard deviations: (14 - 10) / 4 = 1 and (6 - 10) / 4 = -1.
    expected += (outputs[0, 4].item() - 1) ** 2 + (outputs[2, 4].item() + 1) ** 2
    found = network.loss(outputs, torch.tensor(LABELS, dtype=torch.float32))
    assert found.item() == pytest.approx(expected / 7, rel=1e-5)
    np.testing.assert_allclose(dose, outputs[:, 4].numpy() * 4 + 10, rtol=1e-6)
    np.testing.assert_allclose(active.sum(axis=1), 1)
    np.testing.assert_allclose(kind.sum(axis=1), 1)


def test_a_missing_label_gives_no_gradient(network):
    labels = torch.tensor(LABELS, dtype=torch.float32)
    outputs = torch.zeros(4, 5, requires_grad=True)
    network.loss(outputs, labels).backward()
    touched = (outputs.grad != 0).numpy()
    expected = np.array([[1, 1, 1, 1, 1], [1, 0, 0, 0, 0], [0, 1, 1, 1, 1], [1, 0, 0, 0, 0]])
    np.testing.assert_array_equal(touched, expected.astype(bool))


def test_a_batch_without_labels_has_no_loss_but_a_gradient(network):
    outputs = network(torch.ones(2, 4))
    loss = network.loss(outputs, torch.full((2, 3), NAN))
    assert loss.item() == 0
    loss.backward()
    assert not network.head.weight.grad.any()


def test_scales_are_of_the_labelled_rows_and_never_zero():
    means, deviations = scales(TASKS, LABELS)
    np.testing.assert_allclose(means, [0, 0, 10])
    np.testing.assert_allclose(deviations, [1, 1, 4])
    _, alike = scales(TASKS[2:], np.array([[3.0], [3.0]]))
    assert alike[0] == 1


@pytest.fixture
def sample():
    rng = np.random.default_rng(0)
    inputs = rng.normal(size=(120, 4)).astype(np.float32)
    labels = np.stack(
        [inputs[:, 0] > 0, np.digitize(inputs[:, 1], [-0.5, 0.5]), 3 * inputs[:, 2] + 10], axis=1
    ).astype(float)
    labels[rng.random(labels.shape) < 0.3] = NAN
    return list(inputs), labels, np.arange(80), np.arange(80, 120)


def training(sample, **settings):
    inputs, labels, train, validation = sample
    torch.manual_seed(0)
    network = LabelNetwork(Numbers(4), TASKS, *scales(TASKS, labels[train]))
    options = {"epochs": 30, "batch_size": 16, "learning_rate": 0.003, **settings}
    return LabelTraining(network, inputs, labels, train, validation, FineTuneSettings(**options))


def test_it_learns_and_keeps_the_weights_of_the_best_epoch(sample):
    trained = training(sample)
    history, best = trained.run()
    scores = [entry["validation score"] for entry in history]
    assert best == 1 + int(np.argmax(scores))
    assert scores[best - 1] > scores[0] + 0.2
    assert trained._validate()["validation score"] == pytest.approx(max(scores), abs=1e-6)


def test_the_same_seed_gives_the_same_run(sample):
    first, again = (training(sample, epochs=3).run()[0] for _ in range(2))
    assert first == again
    assert training(sample, epochs=3, seed=1).run()[0] != first


def test_training_stops_when_patience_runs_out(sample):
    history, best = training(sample, epochs=200, patience=3, learning_rate=0.05).run()
    assert len(history) == best + 3


@pytest.mark.parametrize("freeze", [True, False])
def test_freeze_leaves_the_encoder_alone(sample, freeze):
    trained = training(sample, freeze=freeze, epochs=3)
    before = trained.network.encoder.layer.weight.clone()
    head = trained.network.head.weight.clone()
    trained.run()
    assert torch.equal(trained.network.encoder.layer.weight, before) == freeze
    assert not torch.equal(trained.network.head.weight, head)


def test_the_encoders_own_head_is_not_touched(sample):
    trained = training(sample, epochs=2)
    before = trained.network.encoder.projection.weight.clone()
    trained.run()
    assert torch.equal(trained.network.encoder.projection.weight, before)


def test_a_loss_that_is_no_number_stops_the_training(sample):
    inputs, *rest = sample
    inputs[3] = np.full(4, np.inf, dtype=np.float32)
    with pytest.raises(ConfigError, match="epoch 1"):
        training((inputs, *rest)).run()


def test_an_epoch_is_a_line_of_the_log(sample, tmp_path):
    import json

    log = tmp_path / "history.jsonl"
    seen = []
    history, _ = training(sample, epochs=3).run(seen.append, log)
    assert [json.loads(line) for line in log.read_text().splitlines()] == history == seen
