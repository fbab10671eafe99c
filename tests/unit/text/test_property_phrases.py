"""Counts of atoms: one form for what is held, many for what is said."""

import random

import pytest

from molclip.text.captions import CaptionMaker, CaptionMix
from molclip.text.facts import MoleculeFacts
from molclip.text.property_phrases import composition_phrases, worded


def test_atoms_are_counted_by_element():
    counts = {"carbon": 18, "oxygen": 2.0, "chlorine": 1, "nitrogen": 0, "rings": 3}
    assert composition_phrases(counts) == ["18 carbon atoms", "2 oxygen atoms", "1 chlorine atom"]
    assert composition_phrases({}) == []


@pytest.mark.parametrize(
    ("phrase", "said"),
    [
        ("18 carbon atoms",
         {"18 carbon atoms", "18 carbons", "eighteen carbon atoms", "eighteen carbons"}),
        ("1 chlorine atom",
         {"1 chlorine atom", "1 chlorine", "one chlorine atom", "one chlorine"}),
        ("2 phosphorus atoms", {"2 phosphorus atoms", "two phosphorus atoms"}),
        ("40 carbon atoms", {"40 carbon atoms", "40 carbons"}),
        ("three rings", {"three rings"}),
        ("formula C2H6O", {"formula C2H6O"}),
    ],
)  # fmt: skip
def test_what_may_be_said_for_a_count(phrase, said):
    assert {worded(phrase, random.Random(seed)) for seed in range(60)} == said


class _Terms:
    def name(self, term):
        return {"CHEBI:1": "fatty acids"}[term]

    def ancestors(self, term):
        return set()


def test_captions_rest_on_the_one_form():
    facts = MoleculeFacts(
        names=("stearic acid",),
        classes=("CHEBI:1",),
        properties={"carbon": 18.0, "oxygen": 2.0, "rings": 0.0},
    )
    mix = CaptionMix(real=0, short=0, label=0, name=0, properties=1)
    maker = CaptionMaker(_Terms(), {}, mix=mix)
    made = [maker.caption(facts, random.Random(seed)) for seed in range(200)]
    assert any("fatty acid with eighteen carbons" in caption.text for caption in made)
    stated = {fact for caption in made for fact in caption.facts}
    assert "property:18 carbon atoms" in stated
    assert stated <= maker.held(facts)
