"""Several models as one: cosines are the mean of the members', whatever form they are stored in."""

import math

import numpy as np
import pytest
import torch
from model_fakes import TEXTS, tiny_model
from safetensors.torch import load_file

from molclip import MolCLIP
from molclip.chem.inputs import gathered
from molclip.chem.parallel import featurize_stream
from molclip.errors import InputError, ModelError
from molclip.models.joining import join_models
from molclip.models.weight_storage import restored, stored

SMILES = [
    *("CCO", "c1ccccc1O", "CC(=O)[O-]", "C[C@H](N)C(=O)O", "CCCCCCCC", "c1ccncc1", "OCC(O)CO"),
    *("CC(=O)Oc1ccccc1C(=O)O", "CN1C=NC2=C1C(=O)N(C)C(=O)N2C", "NCC(=O)O", "ClC(Cl)Cl", "C1CCCCC1"),
]
QUESTIONS = ["a bitter alkaloid", "sweet", "the molecule is an antimalarial"]


@pytest.fixture(scope="module")
def members():
    made = [tiny_model(seed) for seed in range(3)]
    with torch.no_grad():
        for model, scale in zip(made, (10.0, 20.0, 30.0), strict=True):
            model.network.log_scale.fill_(math.log(scale))
    return made


@pytest.fixture(scope="module")
def rows():
    return gathered(list(featurize_stream(SMILES, workers=1)))


def test_cosines_are_the_weighted_mean_of_the_members(members, rows):
    # All twelve dimensions that twelve molecules can fill: nothing is lost.
    joined = join_models(members, rows, 12)
    mean = sum(
        weight * model.similarity(QUESTIONS, SMILES)
        for weight, model in zip((1 / 6, 2 / 6, 3 / 6), members, strict=True)
    )
    found = joined.similarity(QUESTIONS, SMILES)
    # Texts lie partly outside the molecules' space, and unit length takes that part out.
    ratio = found / mean
    np.testing.assert_allclose(ratio, ratio[:, :1].repeat(len(SMILES), 1), rtol=1e-4)
    assert (ratio >= 1 - 1e-5).all()
    assert joined.dimension == 12
    assert joined.network.scale.item() == pytest.approx(20.0)


def test_all_dimensions_keep_the_mean_itself(members, rows):
    rotated = join_models(members, np.concatenate([rows] * 4), 48)
    mean = sum(
        weight * model.similarity(QUESTIONS, SMILES)
        for weight, model in zip((1 / 6, 2 / 6, 3 / 6), members, strict=True)
    )
    np.testing.assert_allclose(rotated.similarity(QUESTIONS, SMILES), mean, atol=1e-5)


def test_given_weights_are_those_of_the_cosines(members, rows):
    weights = (2, 2, 1)
    joined = join_models(members, np.concatenate([rows] * 4), 48, weights)
    mean = sum(
        weight / 5 * model.similarity(QUESTIONS, SMILES)
        for weight, model in zip(weights, members, strict=True)
    )
    np.testing.assert_allclose(joined.similarity(QUESTIONS, SMILES), mean, atol=1e-5)


@pytest.mark.parametrize("weights", [(1, 2), (1, 2, 0), (1, 2, -1), (1, 2, math.nan)])
def test_weights_that_are_none_are_refused(members, rows, weights):
    with pytest.raises(InputError, match="no weights of 3 models"):
        join_models(members, rows, 8, weights)


def test_few_dimensions_keep_the_molecules_apart_best(members, rows):
    """The share of the squares that is kept is what singular values say (Eckart and Young)."""
    joined = join_models(members, rows, 5)
    wide = np.concatenate(
        [
            math.sqrt(weight) * model.encode_features(rows)
            for weight, model in zip((1 / 6, 2 / 6, 3 / 6), members, strict=True)
        ],
        axis=1,
    )
    projected = joined.network.molecule.project(torch.from_numpy(rows)).detach().numpy()
    values = np.linalg.svd(wide, compute_uv=False)
    assert (projected**2).sum() == pytest.approx((values[:5] ** 2).sum(), rel=1e-4)


def test_an_ensemble_is_saved_and_loaded(members, rows, tmp_path):
    joined = join_models(members, rows, 8)
    joined.save_pretrained(tmp_path)
    loaded = MolCLIP.from_pretrained(tmp_path)
    for found, wanted in (
        (loaded.encode_text(QUESTIONS), joined.encode_text(QUESTIONS)),
        (loaded.encode_molecules(SMILES).vectors, joined.encode_molecules(SMILES).vectors),
    ):
        np.testing.assert_allclose(found, wanted, atol=1e-5)
    assert loaded.encode_molecules(SMILES, features=True).vectors.shape == (12, 96)
    assert loaded.encode_text(QUESTIONS, features=True).shape == (3, 96)


def test_joining_draws_no_random_numbers_and_asks_no_hub(members, rows, tmp_path):
    started = [
        MolCLIP(
            model.config.model_copy(
                update={"text": model.config.text.model_copy(update={"pretrained": "not/here"})}
            ),
            model.network,
            model.tokenizer,
        )
        for model in members
    ]
    before = torch.random.get_rng_state()
    joined = join_models(started, rows, 8)
    assert torch.equal(torch.random.get_rng_state(), before)
    joined.save_pretrained(tmp_path)
    loaded = MolCLIP.from_pretrained(tmp_path)
    np.testing.assert_allclose(
        loaded.encode_text(QUESTIONS),
        join_models(members, rows, 8).encode_text(QUESTIONS),
        atol=1e-5,
    )


def test_features_before_the_head_lead_to_the_vectors(members, rows):
    joined = join_models(members, rows, 8)
    features = torch.from_numpy(joined.encode_features(rows, features=True))
    with torch.no_grad():
        vectors = torch.nn.functional.normalize(
            joined.network.molecule.projection(features), dim=-1
        )
    np.testing.assert_allclose(vectors.numpy(), joined.encode_features(rows), atol=1e-5)


def test_members_come_out_as_they_went_in(members, rows, tmp_path):
    join_models(members, rows, 8).save_pretrained(tmp_path)
    loaded = MolCLIP.from_pretrained(tmp_path)
    for number, model in enumerate(members):
        alone = loaded.member(number)
        np.testing.assert_allclose(
            alone.similarity(QUESTIONS, SMILES), model.similarity(QUESTIONS, SMILES), atol=1e-5
        )
    assert len({loaded.member(number).model_hash for number in range(3)}) == 3
    with pytest.raises(InputError, match="no member 3"):
        loaded.member(3)
    assert members[0].member() is members[0]


def test_what_does_not_belong_together_is_refused(members, rows):
    with pytest.raises(InputError, match="nothing to join"):
        join_models(members[:1], rows)
    with pytest.raises(InputError, match="space of 13 dimensions"):
        join_models(members, rows, 13)
    other = tiny_model(5)
    other.tokenizer.tokenizer.add_tokens(["zorgblat"])
    with pytest.raises(ModelError, match=r"Model 2 .* another tokenizer"):
        join_models([members[0], other], rows)
    joined = join_models(members, rows, 8)
    with pytest.raises(ModelError, match=r"Model 1 .* is an ensemble itself"):
        join_models([joined, members[0]], rows)


def test_a_quarter_of_the_bytes(members, rows, tmp_path):
    joined = join_models(members, rows, 8)
    joined.save_pretrained(tmp_path / "whole")
    joined.save_pretrained(tmp_path / "quarter", storage="int8")
    sizes = [(tmp_path / f / "model.safetensors").stat().st_size for f in ("quarter", "whole")]
    assert sizes[0] < 0.27 * sizes[1]
    loaded = MolCLIP.from_pretrained(tmp_path / "quarter")
    np.testing.assert_allclose(
        loaded.similarity(TEXTS[:3], SMILES), joined.similarity(TEXTS[:3], SMILES), atol=2e-2
    )
    assert loaded.network.scale.item() == pytest.approx(20.0)


def test_int8_errs_by_half_a_step_at_most(tmp_path):
    weights = torch.tensor([[1.0, -0.5, 0.004], [0.0, 0.0, 0.0], [-254.0, 1.0, 127.0]])
    packed = stored({"w": weights, "b": torch.tensor([0.1, 0.2])}, "int8")
    assert packed["w"].dtype == torch.int8
    assert packed["w"].tolist() == [[127, -64, 1], [0, 0, 0], [-127, 0, 64]]
    found = restored(packed)
    assert set(found) == {"w", "b"}
    steps = torch.tensor([[1 / 127], [0.0], [2.0]])
    assert ((found["w"] - weights).abs() <= steps / 2 + 1e-6).all()
    assert torch.equal(found["b"], torch.tensor([0.1, 0.2]))


def test_single_models_can_be_stored_as_int8_too(members, tmp_path):
    members[0].save_pretrained(tmp_path, storage="int8")
    kinds = {tensor.dtype for tensor in load_file(tmp_path / "model.safetensors").values()}
    assert kinds == {torch.int8, torch.float32}
    loaded = MolCLIP.from_pretrained(tmp_path)
    assert np.allclose(loaded.encode_text(QUESTIONS), members[0].encode_text(QUESTIONS), atol=2e-2)
