"""What the shipped model's explanations must satisfy."""

import json

import numpy as np
import pytest
import torch
from model_fakes import tiny_model
from rdkit import Chem

from molclip import MolCLIP, parse_molecule
from molclip.errors import InputError
from molclip.explain import explain
from molclip.explain.attribution import rank_correlation
from molclip.models.network import DualEncoder

PENICILLIN = "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O"
CEPHALEXIN = "CC1=C(N2[C@H](SC1)[C@H](NC(=O)[C@H](N)c1ccccc1)C2=O)C(O)=O"
CHOLESTERYL_PALMITATE = (
    "CCCCCCCCCCCCCCCC(=O)O[C@H]1CC[C@@]2(C)C(=CC[C@@H]3[C@@H]2CC[C@]2(C)[C@@H]([C@H](C)CCCC(C)C)"
    "CC[C@@H]32)C1"
)
NANDROLONE_DECANOATE = "CCCCCCCCCC(=O)O[C@H]1CC[C@H]2[C@@H]3CCC4=CC(=O)CC[C@@H]4[C@H]3CC[C@]12C"
LACTAM = "C1(=O)CCN1"
# Four rings, whatever their bonds.
STEROID = "[#6]1~[#6]~[#6]~[#6]2~[#6](~[#6]~1)~[#6]~[#6]~[#6]1~[#6]~[#6]~[#6]~[#6]12"

SEVERAL = [
    (PENICILLIN, "beta-lactam antibiotic"),
    (CHOLESTERYL_PALMITATE, "steroid"),
    ("CC(=O)Oc1ccccc1C(=O)O", "The molecule is a benzoic acid used as a painkiller."),
    ("Cn1cnc2c1c(=O)n(C)c(=O)n2C", "stimulant"),
    ("[Na+].[Cl-]", "a salt used in food"),
    ("C[N+](C)(C)CC(=O)[O-]", "zwitterion"),
    ("C", "the simplest alkane"),
    ("[He]", "noble gas"),
    ("[H][H]", "a fuel"),
    ("*CC(=O)O", "an acid"),
    ("N[Pt](N)(Cl)Cl", "anticancer drug"),
    ("C" * 200, "wax"),
    ("N[C@@H](C)C(=O)" * 60 + "O", "a peptide"),
]


@pytest.fixture(scope="module")
def model():
    return MolCLIP.from_pretrained()


@pytest.fixture(scope="module")
def penicillin(model):
    return explain(PENICILLIN, "beta-lactam antibiotic", model=model)


@pytest.mark.parametrize(("smiles", "text"), SEVERAL)
def test_gradients_sum_to_the_difference(model, smiles, text):
    found = explain(smiles, text, model=model)
    assert found.score == pytest.approx(float(model.similarity(text, smiles)[0, 0]), abs=1e-5)
    empty = model.encode_text(text)[0] @ _empty(model)
    assert found.atoms.baseline == pytest.approx(float(empty), abs=1e-5)
    for part, size in (
        (found.atoms, found.molecule.mol.GetNumAtoms()),
        (found.word_values, len(text.split())),
    ):
        assert part.gradient.shape == part.occlusion.shape == (size,)
        assert np.isfinite(part.gradient).all()
        assert np.isfinite(part.occlusion).all()
        difference = part.score - part.baseline
        assert part.gradient.sum() + sum(part.remainder.values()) == pytest.approx(
            difference, abs=max(0.01 * abs(difference), 1e-4)
        )
    # Numbers of the whole molecule are shown and not spread over atoms.
    assert {"shape", "ladder"} <= set(found.atoms.remainder) <= {"shape", "ladder", "maccs"}


def _empty(model):
    from molclip.chem.features import featurize

    return model.encode_features(featurize(Chem.Mol())[None])[0]


def _lift(explanation, pattern):
    """Mean over the atoms of a pattern, and over all atoms, by method."""
    mol = explanation.molecule.mol
    (inside, *_) = mol.GetSubstructMatches(Chem.MolFromSmarts(pattern))
    found = explanation.atoms
    return {
        name: (values[list(inside)].mean(), values.mean())
        for name, values in (("occlusion", found.occlusion), ("gradient", found.gradient))
    }


@pytest.mark.parametrize("smiles", [PENICILLIN, CEPHALEXIN])
def test_the_lactam_ring_carries_the_antibiotic(model, smiles):
    lift = _lift(explain(smiles, "beta-lactam antibiotic", model=model), LACTAM)
    for inside, mean in lift.values():
        assert inside > 2 * mean > 0


def test_the_ring_system_carries_the_steroid(model):
    for smiles in (CHOLESTERYL_PALMITATE, NANDROLONE_DECANOATE):
        inside, mean = _lift(explain(smiles, "steroid", model=model), STEROID)["gradient"]
        assert inside > 1.5 * mean > 0
    inside, mean = _lift(explain(NANDROLONE_DECANOATE, "steroid", model=model), STEROID)[
        "occlusion"
    ]
    assert inside > 1.5 * mean > 0


def test_random_weights_give_other_maps(model, penicillin):
    correlations = []
    for seed in range(4):
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            network = DualEncoder(
                model.config, model.tokenizer.size, model.tokenizer.pad_id, inference=True
            )
        other = MolCLIP(model.config, network, model.tokenizer)
        found = explain(PENICILLIN, "beta-lactam antibiotic", model=other)
        for name in ("occlusion", "gradient"):
            correlations.append(
                rank_correlation(getattr(found.atoms, name), getattr(penicillin.atoms, name))
            )
    assert penicillin.agreement > 0.8
    assert max(np.abs(correlations)) < 0.7
    assert abs(np.mean(correlations)) < 0.4


def test_another_text_gives_another_map(model, penicillin):
    other = explain(PENICILLIN, "a benzene derivative", model=model)
    assert rank_correlation(other.atoms.gradient, penicillin.atoms.gradient) < 0.8


def test_atoms_follow_the_input(model):
    """The same molecule, written from its other end: the values move with the atoms."""
    forth = explain("CC(C)CO", "solvent", model=model)
    back = explain("OCC(C)C", "solvent", model=model)
    order = [4, 3, 1, 0, 2]
    assert np.allclose(forth.atoms.gradient[order], back.atoms.gradient, atol=1e-4)
    assert np.allclose(forth.atoms.occlusion[order], back.atoms.occlusion, atol=1e-5)
    assert [row["symbol"] for row in back.to_dict()["atoms"]] == ["O", "C", "C", "C", "C"]


def test_a_word_left_out_is_a_text_without_it(model):
    found = explain("CCO", "a clear solvent", model=model)
    scores = model.similarity(["a clear solvent", "clear solvent", "a solvent", "a clear"], "CCO")
    assert np.allclose(found.word_values.occlusion, scores[0, 0] - scores[1:, 0], atol=1e-5)


def test_words_past_the_end_are_told(model):
    # A model that reads 32 pieces.
    found = explain("CCO", "sugar " + "sweet " * 40 + "end", model=tiny_model())
    assert len(found.words) == 42
    assert found.word_values.gradient[-1] == 0
    assert found.word_values.occlusion[-1] == 0
    assert "not read" in " ".join(found.remarks)
    strange = explain("CCO", "blorpt solvent", model=model)
    assert any("never met: blorpt" in remark for remark in strange.remarks)


def test_one_method_alone(model, penicillin):
    text = "beta-lactam antibiotic"
    only = explain(PENICILLIN, text, model=model, method="occlusion")
    assert only.atoms.gradient is None
    assert np.allclose(only.atoms.occlusion, penicillin.atoms.occlusion)
    assert only.agreement is None
    only = explain(PENICILLIN, text, model=model, method="gradient")
    assert only.atoms.occlusion is None
    assert np.allclose(only.atoms.gradient, penicillin.atoms.gradient)


def test_the_model_is_left_as_it_was(model, penicillin):
    before = model.encode_text("antibiotic")
    explain(parse_molecule(PENICILLIN), "antibiotic", model=model)
    assert np.array_equal(model.encode_text("antibiotic"), before)
    assert not any(module._forward_hooks for module in model.network.modules())
    assert all(parameter.grad is None for parameter in model.network.parameters())


def test_threads_do_not_disturb_each_other(model, penicillin):
    from concurrent.futures import ThreadPoolExecutor

    text = "beta-lactam antibiotic"
    vector = model.encode_text(text)
    with ThreadPoolExecutor(4) as pool:
        encoded = [pool.submit(model.encode_text, text) for _ in range(20)]
        explained = [pool.submit(explain, PENICILLIN, text, model=model) for _ in range(4)]
        encoded += [pool.submit(model.encode_text, text) for _ in range(20)]
    assert all(np.allclose(job.result(), vector, atol=1e-6) for job in encoded)
    for job in explained:
        assert np.allclose(job.result().atoms.gradient, penicillin.atoms.gradient, atol=1e-6)


def test_everything_fits_into_json(penicillin):
    told = json.loads(penicillin.to_json())
    assert told["smiles"] == Chem.CanonSmiles(PENICILLIN)
    assert [row["word"] for row in told["words"]] == ["beta-lactam", "antibiotic"]
    sums = told["atom_sums"]
    total = sum(row["gradient"] for row in told["atoms"]) + sum(sums["remainder"].values())
    assert total == pytest.approx(told["score"] - sums["baseline"], rel=0.01)


@pytest.mark.parametrize(
    ("smiles", "text", "method", "said"),
    [
        ("c1cc1", "x", "both", "'c1cc1' cannot be explained: the aromatic ring"),
        ("", "x", "both", "empty"),
        ("CCO", "  ", "both", "text '  ' is empty"),
        ("CCO", "x", "lime", "'lime'"),
    ],
)
def test_errors_name_the_input_and_the_remedy(model, smiles, text, method, said):
    with pytest.raises(InputError) as caught:
        explain(smiles, text, model=model, method=method)
    assert said in caught.value.message
    assert caught.value.hint
