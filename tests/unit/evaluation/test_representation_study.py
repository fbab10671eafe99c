"""The study and its report, with a model whose vectors are known."""

import json
import math
from dataclasses import dataclass

import numpy as np
import pytest
import torch

from molclip.errors import InputError
from molclip.evaluation.negatives import hardness
from molclip.evaluation.representation import alignment, hubness, uniformity
from molclip.evaluation.representation_pairs import NamedPairs
from molclip.evaluation.representation_report import representation_report
from molclip.evaluation.representation_study import cross_entropy, study_representation
from molclip.losses import LOSSES, Terms

ROWS, WIDTH = 60, 12


def pairs(rows=ROWS):
    return NamedPairs(
        name="made up",
        text_variant="numbers",
        ids=[str(row) for row in range(rows)],
        names=[f"molecule {row}" for row in range(rows)],
        texts=[f"text {row}" for row in range(rows)],
        smiles=[f"S{row}" for row in range(rows)],
        classes=[frozenset({f"class {row % 7}"}) for row in range(rows)],
        files=("pairs.csv 0123",),
    )


@dataclass
class _Encoded:
    vectors: np.ndarray


class _Model:
    """Texts near their molecules; molecule 5 cannot be read."""

    model_hash = "feedface"

    def __init__(self):
        rng = np.random.default_rng(0)
        molecules = rng.normal(size=(ROWS, WIDTH))
        self.texts = _unit(molecules + 0.5 * rng.normal(size=(ROWS, WIDTH)) + 0.2)
        self.molecules = _unit(molecules)

    def encode_text(self, texts):
        return self.texts[[int(text.split()[1]) for text in texts]].astype(np.float32)

    def encode_molecules(self, molecules):
        found = self.molecules[[int(smiles[1:]) for smiles in molecules]].astype(np.float32)
        found[[smiles == "S5" for smiles in molecules]] = np.nan
        return _Encoded(found)


def _unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.fixture(scope="module")
def study():
    return study_representation(_Model(), pairs(), 0.1, seed=3)


def test_the_figures_are_those_of_the_pairs_that_can_be_embedded(study):
    model = _Model()
    rows = [row for row in range(ROWS) if row != 5]
    text, molecule = (x[rows].astype(np.float32) for x in (model.texts, model.molecules))
    assert study.left_out == 1
    assert study.figures.pairs == 59
    assert study.figures.alignment == pytest.approx(alignment(text, molecule))
    assert study.figures.uniformity_molecule == pytest.approx(uniformity(molecule))
    assert study.hubs["molecule → text"] == hubness(molecule, text, 10)
    assert study.hubs["text → text"] == hubness(text, text, 10, without_self=True)
    scores = text @ molecule.T
    assert study.hard.hardest == pytest.approx(
        (hardness(scores, 10.0).hardest + hardness(scores.T, 10.0).hardest) / 2
    )
    assert study.partners == pytest.approx(np.diagonal(scores))
    assert study.strangers[0] == pytest.approx(scores[0, 1])
    assert study.bound == pytest.approx(math.log(59) - study.loss)
    # Uniform random vectors beside it.
    assert study.reference.alignment == pytest.approx(2, abs=0.2)


def test_the_cross_entropy_is_that_of_the_clip_loss(study):
    model = _Model()
    text, molecule = (torch.from_numpy(x) for x in (model.texts, model.molecules))
    expected = LOSSES["clip"](text, molecule, Terms(scale=torch.tensor(14.0))).loss
    assert cross_entropy(model.texts @ model.molecules.T, 14.0) == pytest.approx(expected.item())
    assert math.isfinite(cross_entropy(np.array([[-1.0, 1.0], [1.0, -1.0]]), 1e4))


def test_examples_name_the_nearest_molecules_and_the_pessimistic_rank(study):
    model = _Model()
    keep = [row for row in range(ROWS) if row != 5]
    text = next(example for example in study.examples if example.rank is not None)
    row = int(text.query.split()[1])
    scores = model.molecules @ model.texts[row]
    order = sorted(keep, key=lambda other: -scores[other])
    assert [name for name, _ in text.nearest] == [f"molecule {other}" for other in order[:3]]
    assert text.nearest[0][1] == pytest.approx(scores[order[0]], abs=1e-5)
    assert text.rank == order.index(row) + 1
    molecule = next(example for example in study.examples if example.rank is None)
    assert molecule.query not in [name for name, _ in molecule.nearest]


def test_the_map_is_row_aligned(study):
    assert study.map.molecules.shape == (59, 2)
    assert study.map.both.shape == (118, 2)
    assert study.map.names[5] == "molecule 6"
    assert study.map.groups[5] == "class 6"


def test_the_report_has_every_number_and_stands_alone(study, tmp_path):
    report = representation_report(study, model="m", model_hash="feedface", command="molclip x")
    paths = {path.suffix: path for path in report.write(tmp_path, "representation")}
    stored = json.loads(paths[".json"].read_text(encoding="utf-8"))["results"]
    assert stored["figures"]["alignment"] == study.figures.alignment
    assert (
        stored["hubness"]["text → molecule"]["skewness"] == study.hubs["text → molecule"].skewness
    )
    assert [s["expected"] for s in stored["temperature_study"]["spreads"]] == pytest.approx(
        [32**-0.5, 128**-0.5, 512**-0.5]
    )
    assert len(stored["singular_values"]["text"]) == WIDTH
    text = paths[".md"].read_text(encoding="utf-8")
    assert "59, numbers; 1 left out, not embedded" in text
    assert f"| Alignment | {study.figures.alignment:.3f} |" in text
    assert "own rank" in text
    page = paths[".html"].read_text(encoding="utf-8")
    assert "<script src=" not in page
    assert "Molecules, t-SNE, by class" in page
    assert "class 6" in page
    assert "Texts and molecules, first principal components" in page


def test_without_the_map_scikit_learn_is_not_needed(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "sklearn.manifold", None)
    found = study_representation(_Model(), pairs(), 0.1, with_map=False)
    assert found.map is None
    titles = [
        plot.title
        for plot in representation_report(found, model="m", model_hash="f", command="c").plots
    ]
    assert not any("t-SNE" in title for title in titles)
    with pytest.raises(InputError, match=r"pip install scikit-learn"):
        study_representation(_Model(), pairs(), 0.1)


def test_too_few_pairs_are_refused():
    with pytest.raises(InputError, match="31 of 32 pairs can be embedded, 32 are needed"):
        study_representation(_Model(), pairs(32), 0.1)
