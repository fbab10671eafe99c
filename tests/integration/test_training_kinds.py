"""Training of graph and hybrid encoders: the loss falls, the model stands alone, graphs are kept."""

import numpy as np
import pytest

from molclip import MolCLIP
from molclip.chem.inputs import golden_hash, input_version
from molclip.training.config import TrainingConfig
from molclip.training.run import run_training


def configured(tmp_path, kind, layer):
    # Silanes, because plain alcohols and amines are in the held-out splits.
    rows = [
        f"[SiH3]{'C' * n}{end},{word} with a chain of {n} carbons"
        for n in range(1, 17)
        for end, word in (("O", "alcohol"), ("N", "amine"))
    ]
    table = tmp_path / "pairs.csv"
    table.write_text("smiles,text\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return TrainingConfig.model_validate(
        {
            "output": tmp_path / "out",
            "data": {"pairs": table},
            "model": {
                "dimension": 16,
                "vocabulary": 150,
                "text_size": "tiny",
                "text": {"max_tokens": 32, "encoder": {"num_hidden_layers": 1}},
                "molecule": {
                    "encoder": kind,
                    "layer": layer,
                    "layers": 2,
                    "graph_width": 32,
                    "hidden": 32,
                },
            },
            "optimizer": {"learning_rate": 0.004},
            "run": {"epochs": 24, "batch_size": 8, "precision": "float32", "threads": 1},
        }
    )


@pytest.mark.parametrize(
    ("kind", "layer"), [("graph", "gine"), ("graph", "attention"), ("hybrid", "gine")]
)
def test_the_loss_falls_and_the_model_stands_alone(tmp_path, monkeypatch, kind, layer):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    steps = []
    folder = run_training(configured(tmp_path, kind, layer), steps.append)
    losses = [numbers["loss"] for numbers in steps if "pairs_per_second" in numbers]
    assert np.mean(losses[-5:]) < np.mean(losses[:5]) / 1.5
    assert len(list((tmp_path / "cache").glob("graphs-*/*.shard"))) == 1
    model = MolCLIP.from_pretrained(folder)
    assert model.kind == kind
    assert model.config.feature_version == input_version(kind)
    assert model.config.golden_features == golden_hash(kind)
    scores = model.similarity(
        ["alcohol with a chain of 3 carbons"], ["[SiH3]CCCO", "[SiH3]CCCN", "[SiH3]CCCCCCCCCCCN"]
    )
    assert scores[0].argmax() == 0
