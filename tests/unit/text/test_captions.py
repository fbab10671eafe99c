"""Captions say only what is known, in many forms, and say which facts they rest on."""

import random

import pytest

from molclip.text.captions import (
    LABEL_FORMS,
    UNINFORMATIVE,
    CaptionMaker,
    CaptionMix,
)
from molclip.text.facts import MoleculeFacts
from molclip.text.grammar import as_kind, joined, with_article
from molclip.text.lexicon import load_lexicon
from molclip.text.sentences import split_sentences

NAMES = {
    "R:1": "antimalarial",
    "R:0": "antiprotozoal drug",
    "C:1": "cinchona alkaloid",
    "C:0": "alkaloid",
}
PARENTS = {"R:1": ["R:0"], "C:1": ["C:0"]}


class Terms:
    def name(self, term):
        return NAMES.get(term, term)

    def ancestors(self, term):
        return set(PARENTS.get(term, ()))


QUININE = MoleculeFacts(
    names=("quinine", "(R)-(6-methoxyquinolin-4-yl)[(2S,4S,8R)-8-vinylquinuclidin-2-yl]methanol"),
    classes=("C:1",),
    roles=("R:1",),
    relations=(("is_conjugate_base_of", "quinine(1+)"),),
)


def captions(facts, mix=None, count=300):
    maker = CaptionMaker(Terms(), {"R:1": ("malaria medicine",)}, {}, mix)
    return [maker.caption(facts, random.Random(seed)) for seed in range(count)]


def test_the_same_seed_gives_the_same_caption():
    assert captions(QUININE, count=50) == captions(QUININE, count=50)


def test_short_captions_rest_on_facts_that_hold():
    maker = CaptionMaker(Terms(), {})
    held = maker.held(QUININE)
    assert {"R:1", "R:0", "C:1", "C:0"} <= held
    for caption in captions(QUININE):
        if caption.facts is not None:
            assert caption.facts
            assert caption.facts <= held


def test_there_are_many_forms_ancestors_and_plain_words():
    texts = [caption.text for caption in captions(QUININE)]
    assert len(set(texts)) > 100
    assert any("malaria medicine" in text for text in texts)
    assert any("antiprotozoal drug" in text for text in texts)
    assert any(text == "alkaloid" for text in texts)
    assert any("conjugate base of a quinine(1+)" in text for text in texts)
    assert any("6-methoxyquinolin" in text for text in texts)


def test_a_full_description_reads_as_the_benchmark_does():
    mix = CaptionMix(real=0, short=0, label=0, name=0, properties=0)
    texts = [caption.text for caption in captions(QUININE, mix)]
    assert all(text.startswith("The molecule ") for text in texts)
    assert any("It has a role as an antimalarial." in text for text in texts)
    assert any("It is a cinchona alkaloid." in text for text in texts)


def test_a_real_description_keeps_its_sentences():
    facts = MoleculeFacts(names=("x",), texts=("It is white. It is used as a dye. It is old.",))
    sentences = {"It is white.", "It is used as a dye.", "It is old."}
    for caption in captions(facts, CaptionMix(real=1.0), 50):
        assert caption.facts is None
        assert set(split_sentences(caption.text)) <= sentences


def test_a_molecule_known_by_labels_alone_gets_a_label():
    facts = MoleculeFacts(labels=(("odour", "rose"), ("use", "fragrances")))
    texts = {caption.text for caption in captions(facts, count=100)}
    assert "rose" in texts
    assert all("rose" in text or "fragrances" in text for text in texts)


@pytest.mark.parametrize("kind", LABEL_FORMS)
def test_every_label_form_has_a_place_for_the_label(kind):
    assert all(form.count("{}") == 1 for form in LABEL_FORMS[kind])


def test_locants_do_not_end_a_sentence():
    text = "It is 1.5 g of 2-(4-fluorophenyl)ethanol. It has a role as a dye. (R)-form is active."
    assert len(split_sentences(text)) == 3


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("alkaloid", "an alkaloid"),
        ("8-hydroxy steroid", "an 8-hydroxy steroid"),
        ("14beta-hydroxy steroid", "a 14beta-hydroxy steroid"),
        ("union", "a union"),
        ("urea", "a urea"),
    ],
)
def test_articles(name, expected):
    assert with_article(name) == expected


def test_plural_classes_have_members():
    assert as_kind("pterocarpans") == "a member of pterocarpans"
    assert as_kind("gas") == "a gas"
    assert as_kind("virus") == "a virus"


def test_lists():
    assert joined(["a"]) == "a"
    assert joined(["a", "b", "c"]) == "a, b and c"


def test_the_lexicon_is_large_enough_and_says_nothing_of_upper_terms():
    from importlib.resources import files

    lexicon = load_lexicon()
    for name in ("lexicon_roles.tsv", "lexicon_classes.tsv"):
        lines = (files("molclip.data") / name).read_text(encoding="utf-8").splitlines()
        assert lines[0] == "chebi_id\tname\tplain"
        assert len(lines) - 1 >= 300
    assert "CHEBI:36342" not in lexicon
    assert len(UNINFORMATIVE) > 10
    assert any("malaria" in phrase for phrase in lexicon["CHEBI:38068"])
