"""Withheld labels: what counts as a mention, and that captions never make one."""

import random

import pytest

from molclip.datasets import Ontology
from molclip.errors import InputError, ModelError
from molclip.text.captions import CaptionMaker, CaptionMix
from molclip.text.facts import MoleculeFacts
from molclip.text.lexicon import load_lexicon
from molclip.text.withheld import (
    COLUMNS,
    FILE_NAME,
    Withheld,
    WithheldLabel,
    load_withheld,
    plain_words,
)

AMIDES = WithheldLabel("superclass", "Fatty amides", "Fatty amides", ("acyl amide",))
ROSE = WithheldLabel("odour", "rose", "rose")
LIST = Withheld((AMIDES, ROSE))


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Fatty amides", "fatty amide"),
        ("It is a fatty-amide.", "fatty amide"),
        ("N-acyl amides of plants", "acyl amide"),
        ("smells of ROSES", "rose"),
        ("rose, sweet", "rose"),
        ("amides of fatty acids", None),
        ("fatty acid amide", None),
        ("roseate", None),
        ("primrose", None),
        ("", None),
    ],
)
def test_whole_words_in_their_order_are_a_mention(text, phrase):
    assert LIST.mention(text) == phrase
    assert LIST.is_withheld(text) == (phrase is not None)


def test_the_empty_list_withholds_nothing():
    assert not Withheld()
    assert Withheld().mention("rose") is None
    facts = MoleculeFacts(names=("rose",))
    assert Withheld().without(facts) is facts


@pytest.mark.parametrize(
    ("word", "plain"), [("alkaloids", "alkaloid"), ("bases", "base"), ("virus", "virus"),
                        ("assays", "assay"), ("properties", "property"), ("gas", "gas"),
                        ("class", "class"), ("analysis", "analysis")],
)  # fmt: skip
def test_plurals_are_compared_as_singulars(word, plain):
    assert plain_words(word) == [plain]


def test_facts_lose_what_mentions_a_label_and_keep_the_rest():
    facts = MoleculeFacts(
        names=("rose oxide", "2-(2-methylprop-1-enyl)-4-methyloxane"),
        classes=("C:1",),
        relations=(("has_part", "rose bengal"), ("is_tautomer_of", "water")),
        labels=(("odour", "rose"), ("odour", "green"), ("superclass", "Fatty amides")),
        texts=("It is an oxane. It smells of roses; it is volatile.", "Rose."),
    )
    kept = LIST.without(facts)
    assert kept.names == ("2-(2-methylprop-1-enyl)-4-methyloxane",)
    assert kept.relations == (("is_tautomer_of", "water"),)
    assert kept.labels == (("odour", "green"),)
    assert kept.texts == ("It is an oxane. it is volatile.",)
    assert kept.classes == ("C:1",)
    assert facts.labels[0] == ("odour", "rose")


def test_files_keep_every_entry_and_an_empty_list_leaves_none(tmp_path):
    LIST.write(tmp_path)
    assert Withheld.beside(tmp_path) == LIST
    assert LIST.find("odour", "rose") is ROSE
    assert LIST.find("use", "rose") is None
    Withheld().write(tmp_path)
    assert not (tmp_path / FILE_NAME).exists()
    assert Withheld.beside(tmp_path) == Withheld.beside(None) == Withheld()


def test_entries_of_two_lists_must_agree_word_for_word():
    other = WithheldLabel("superclass", "Fatty amides", "Fatty amides")
    assert LIST.both(Withheld((other, ROSE))) == Withheld((ROSE,))


def test_bad_files_are_refused_with_their_row(tmp_path):
    file = tmp_path / FILE_NAME
    file.write_text("kind\tlabel\n", encoding="utf-8")
    with pytest.raises(InputError, match="columns kind, id, label, synonyms"):
        Withheld.read(file)
    file.write_text("\t".join(COLUMNS) + "\nodour\trose\trose\t\nsmell\tx\tx\t\n", encoding="utf-8")
    with pytest.raises(InputError, match="row 2: 'smell"):
        Withheld.read(file)
    with pytest.raises(ModelError, match="row 2"):
        Withheld.beside(tmp_path)
    with pytest.raises(InputError, match="Cannot read"):
        Withheld.read(tmp_path / "none.tsv")


# -- captions ---------------------------------------------------------------------------------

NAMES = {
    "R:1": "rose fragrance",
    "R:0": "fragrance",
    "C:1": "fatty amide",
    "C:2": "N-acylethanolamine",
    "C:0": "amide",
}
PARENTS = {"R:1": ["R:0"], "C:2": ["C:1", "C:0"], "C:1": ["C:0"]}
LEXICON = {"R:0": ("scent of roses", "scent"), "C:1": ("amide of a fat",), "C:0": ("amido thing",)}
DEFINITIONS = {"C:0": "What a fatty amide is too.", "C:2": "An ethanolamine with an acyl group."}


class Terms:
    def name(self, term):
        return NAMES.get(term, term)

    def ancestors(self, term):
        above = set(PARENTS.get(term, ()))
        return above.union(*(self.ancestors(parent) for parent in above)) if above else above


FACTS = MoleculeFacts(
    names=("anandamide", "rose extract 3"),
    classes=("C:2", "C:1"),
    roles=("R:1", "R:0"),
    relations=(("has_part", "rose"), ("has_functional_parent", "ethanolamine")),
    labels=(("odour", "rose"), ("odour", "waxy"), ("superclass", "Fatty amides")),
    texts=("It is a fatty amide. It is an endocannabinoid.",),
    properties={"mol_weight": 347.5, "logp": 5.1, "formal_charge": 0.0, "rings": 0.0},
)


def _captions(withheld, facts=FACTS, count=1500):
    maker = CaptionMaker(Terms(), LEXICON, DEFINITIONS, CaptionMix(real=0.2), withheld)
    return [maker.caption(facts, random.Random(seed)).text for seed in range(count)]


def test_no_caption_says_a_withheld_label_even_from_facts_as_they_were():
    plain = _captions(None)
    assert sum(LIST.is_withheld(text) for text in plain) > 300
    for facts in (FACTS, LIST.without(FACTS)):
        texts = _captions(LIST, facts)
        assert not [text for text in texts if LIST.is_withheld(text)]
    # What is not withheld is still said: ancestors, everyday words, the other odour.
    said = " | ".join(texts)
    for word in ("N-acylethanolamine", "amido thing", "scent", "waxy", "anandamide"):
        assert word in said


def test_a_list_that_meets_nothing_changes_no_caption():
    other = Withheld((WithheldLabel("odour", "leathery", "leathery"),))
    assert _captions(other, count=300) == _captions(None, count=300)


def test_held_facts_are_those_that_can_be_said():
    maker = CaptionMaker(Terms(), LEXICON, DEFINITIONS, withheld=LIST)
    held = maker.held(LIST.without(FACTS))
    assert {"C:2", "C:0", "R:0", "odour:waxy"} <= held
    assert not {"C:1", "R:1", "odour:rose"} & held


# -- the shipped list -------------------------------------------------------------------------


def test_every_name_of_a_withheld_term_is_withheld_with_it():
    withheld = load_withheld()
    ontology, lexicon = Ontology.load(), load_lexicon()
    kinds = {entry.kind for entry in withheld.labels}
    assert {"chebi class", "chebi role", "superclass", "class", "use", "odour"} <= kinds
    for entry in withheld.labels:
        if entry.kind.startswith("chebi"):
            term = ontology.terms[entry.id]
            assert entry.kind == f"chebi {term.kind}"
            assert entry.label == term.name
            for other in (*term.synonyms, *lexicon.get(entry.id, ())):
                assert withheld.is_withheld(other), f"{entry.label}: {other}"


def test_no_label_is_listed_twice():
    entries = [(entry.kind, entry.id) for entry in load_withheld().labels]
    assert len(entries) == len(set(entries))


def test_what_texts_say_in_one_pass_is_what_each_label_finds_alone():
    shipped = load_withheld()
    texts = [
        f"It is one of the {shipped.labels[3].label.upper()}s.",
        f"({shipped.labels[7].label})",
        *shipped.labels[9].synonyms[:1],
        "nothing",
    ]
    alone = {e for e in shipped.labels if any(Withheld((e,)).is_withheld(t) for t in texts)}
    assert shipped.said(texts) == alone
    assert {shipped.labels[3], shipped.labels[7]} <= alone
    assert shipped.said(["nothing"]) == set()
