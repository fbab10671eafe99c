"""Questions for one fact and for two that hold together."""

import random

import pytest

from molclip.text.captions import ROLE, CaptionMaker
from molclip.text.questions import partners, question, question_of_two
from molclip.text.withheld import Withheld, WithheldLabel

NAMES = {
    "CHEBI:1": "alditols",
    "CHEBI:2": "polyol",
    "CHEBI:7": "sweetening agent",
    "CHEBI:8": "food additive",
}
PARENTS = {"CHEBI:1": {"CHEBI:2"}, "CHEBI:7": {"CHEBI:8", ROLE}, "CHEBI:8": {ROLE}}


class _Terms:
    def name(self, term):
        return NAMES[term]

    def ancestors(self, term):
        return PARENTS.get(term, set())


MAKER = CaptionMaker(_Terms(), {"CHEBI:1": ("sugar alcohol",)}, {"CHEBI:7": "Makes food sweet."})


def said(first, second=None):
    made = []
    for seed in range(200):
        rng = random.Random(seed)
        made.append(
            question_of_two(MAKER, first, second, rng) if second else question(MAKER, first, rng)
        )
    return set(made)


def test_one_fact_is_asked_by_name_phrase_and_definition():
    assert {"alditols", "sugar alcohol"} <= said("CHEBI:1")
    assert {"sweetening agent", "used as a sweetening agent", "Makes food sweet."} <= said(
        "CHEBI:7"
    )
    assert "fruity" in said("odour:fruity")


@pytest.mark.parametrize(("first", "second"), [("CHEBI:1", "CHEBI:7"), ("CHEBI:7", "CHEBI:1")])
def test_a_class_comes_before_what_it_is_used_as(first, second):
    texts = said(first, second)
    assert "sugar alcohol used as a sweetening agent" in texts
    assert "alditol, sweetening agent" in texts
    assert not any("used as a sugar alcohol" in text or "as alditol" in text for text in texts)


def test_other_pairs():
    assert {"sugar alcohol with six carbons", "alditol with 6 carbon atoms"} <= said(
        "CHEBI:1", "property:6 carbon atoms"
    )
    assert said("CHEBI:1", "property:small") == {"small sugar alcohol", "small alditol"}
    assert "sugar alcohol, smells fruity" in said("CHEBI:1", "odour:fruity")
    assert "polyol that is a sugar alcohol" in said("CHEBI:2", "CHEBI:1")


def test_nothing_withheld_is_asked():
    withheld = Withheld((WithheldLabel("role", "CHEBI:7", "sweetening agent"),))
    maker = CaptionMaker(_Terms(), {}, withheld=withheld)
    rng = random.Random(0)
    assert question(maker, "CHEBI:7", rng) is None
    assert question_of_two(maker, "CHEBI:1", "CHEBI:7", rng) is None
    assert question(maker, "CHEBI:1", rng) is not None


def test_a_partner_says_more_than_the_term_does():
    held = {"CHEBI:1", "CHEBI:2", "CHEBI:7", "CHEBI:8", "property:small", "CHEBI:24431"}
    # The class above says less, and "chemical entity" nothing.
    assert partners(MAKER, "CHEBI:1", held) == ["CHEBI:7", "CHEBI:8", "property:small"]
    # What is below the term is a name for the same thing.
    assert partners(MAKER, "CHEBI:2", held) == ["CHEBI:7", "CHEBI:8", "property:small"]
