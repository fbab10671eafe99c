"""Figures of what a model was trained on, and what they say; every number by hand."""

import json
import math
from dataclasses import asdict

import numpy as np
import pytest

from molclip.errors import ModelError
from molclip.search.domain import DOMAIN_FILE, Domain, Finding, candidates_of, verdict
from molclip.search.quantiles import STEPS

LINE = (STEPS / 100).tolist()
"""Quantiles of what is spread evenly from 0 to 1: 1 % lie below 0.01."""


def domain(**changed):
    values = {
        "model_hash": "h",
        "training": 4000,
        "molecules": 500,
        "texts": 500,
        "pool": 1000,
        "neighbours": 4,
        "scale": 20.0,
        "similarity": LINE,
        "cosine": LINE,
        "candidates": [1000 * x for x in LINE],
        "unknown": [0.5 * x for x in LINE],
        "heavy_atoms": [2, 50],
        "elements": {"C": 4000, "O": 3000, "Na": 2, "Pt": 1},
    }
    return Domain(**{**values, **changed})


def test_an_element_of_fewer_than_one_in_2000_is_rare():
    assert domain().rare("CCO") == ()
    assert domain().rare("[Na+].CC[O-]") == ()  # 2 of 4,000 is one in 2,000
    assert domain().rare("[U].N[Pt]") == ("N", "Pt", "U")
    reasons = [finding.reason for finding in domain().composition("C[Pt].[U]")]
    assert reasons == [
        "of 4,000 training molecules only 1 holds Pt",
        "no training molecule holds U",
    ]
    assert domain().composition("CC[H]") == []


@pytest.mark.parametrize(("atoms", "outside"), [(1, True), (2, False), (50, False), (51, True)])
def test_size_is_held_against_the_middle_of_the_training_molecules(atoms, outside):
    found = domain().composition("C" * atoms)
    assert [finding.status for finding in found] == ["outside"] * outside
    if outside:
        assert f"{atoms} heavy atom" in found[0].reason
        assert "2 to 50" in found[0].reason


@pytest.mark.parametrize(
    ("similarity", "cosine", "expected"),
    [
        (0.5, 0.5, []),
        (0.05, 0.05, []),
        (0.049, 0.5, ["edge"]),
        (0.009, 0.5, ["outside"]),
        (0.5, 0.009, ["outside"]),
        (0.009, 0.03, ["outside", "edge"]),
    ],
)
def test_far_is_what_few_held_out_molecules_are(similarity, cosine, expected):
    found = domain().nearness(similarity, cosine)
    assert [finding.status for finding in found] == expected


def test_a_reason_says_the_number_and_what_is_usual():
    (finding,) = domain().nearness(0.009, 0.5)
    assert "is 0.01," in finding.reason
    assert "99 % of the molecules held out from training it is 0.01 or more" in finding.reason


def test_unknown_words_are_named_where_their_share_is_unusual():
    assert domain().wording(10, []) == []
    assert domain().wording(10, ["a"]) == []  # 10 %; 95 % of the held-out texts have up to 47.5 %
    (edge,) = domain().wording(25, [f"w{n}" for n in range(12)])
    assert edge.status == "edge"
    assert "12 of 25 words: w0, w1, w2, w3, …" in edge.reason
    (alone,) = domain().wording(1, ["kerof"])
    assert (alone.status, alone.reason) == ("outside", "the model has not met the word kerof")
    assert domain(unknown=[]).wording(1, ["kerof"]) == []


def test_a_flat_profile_is_told_from_a_usual_one():
    assert domain().profile(949.0) == []
    assert [finding.status for finding in domain().profile(960.0)] == ["edge"]
    (flat,) = domain().profile(995.0)
    assert flat.status == "edge"  # a very wide class is flat by right
    assert "about 1,000 of 1,000 molecules alike" in flat.reason  # two figures of 995
    assert "95 % of ordinary questions fit fewer than 950" in flat.reason


def test_candidates_are_the_exponential_of_the_entropy():
    assert candidates_of(np.full(50, 0.3), 20.0) == pytest.approx(50)
    assert candidates_of(np.array([1.0, 0.0, 0.0]), 1000.0) == pytest.approx(1)
    assert candidates_of(np.array([0.7, 0.7, 0.0]), 1000.0) == pytest.approx(2)
    # Weights 2 and 1: H = ln 3 - (2/3) ln 2, so exp(H) = 3 / 2^(2/3).
    scores = np.array([math.log(2) / 10, 0.0], dtype=np.float32)
    assert candidates_of(scores, 10.0) == pytest.approx(3 / 2 ** (2 / 3), rel=1e-6)


def test_the_worst_finding_decides():
    edge, outside = Finding("edge", ""), Finding("outside", "")
    assert verdict([]) == "inside"
    assert verdict([edge]) == "edge"
    assert verdict([edge, outside]) == "outside"


def test_saved_and_loaded_only_for_its_weights(tmp_path):
    domain().save(tmp_path / DOMAIN_FILE)
    assert Domain.beside(tmp_path, "h") == domain()
    assert Domain.beside(tmp_path, "other") is None
    assert Domain.beside(None, "h") is None
    assert Domain.beside(tmp_path / "nowhere", "h") is None


@pytest.mark.parametrize("damage", [{"cosine": [0.1]}, {"scale": None, "more": 1}])
def test_a_damaged_file_is_said(tmp_path, damage):
    (tmp_path / DOMAIN_FILE).write_text(json.dumps({**asdict(domain()), **damage}))
    with pytest.raises(ModelError, match="applicability domain"):
        Domain.beside(tmp_path, "h")
