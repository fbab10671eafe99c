"""Each rule against hand-made batches, and the fast ways against the plain definitions."""

import numpy as np
import pytest
from negatives_fakes import Tree, made_pairs, told

from molclip.text.captions import Caption
from molclip.text.facts import MoleculeFacts
from molclip.training.false_negatives import FalseNegatives, plain

RULES = ("facts", "description", "molecule", "skeleton", "tanimoto")
TREE = Tree({"indole alkaloid": ["alkaloid"], "quinoline alkaloid": ["alkaloid"]})


def named(*classes, roles=()):
    return MoleculeFacts(classes=classes, roles=roles)


@pytest.fixture
def silanes(tmp_path):
    """Five rows with facts: an amine, its cation, both hands of an alcohol, the first again."""
    return made_pairs(
        tmp_path,
        [
            ("amine", "[SiH3]CCCN", named("indole alkaloid", roles=("poison",))),
            ("cation", "[SiH3]CCC[NH3+]", named("quinoline alkaloid")),
            ("R", "[SiH3]C[C@H](O)C", named("alkaloid")),
            ("S", "[SiH3]C[C@@H](O)C", named("indole alkaloid", roles=("poison",))),
            ("again", "NCCC[SiH3]", named("indole alkaloid")),
        ],
        terms=TREE,
    )


def unlike(count):
    return [Caption(f"text {number}", None) for number in range(count)]


def positions(mask):
    """Where a mask is true off the diagonal."""
    return {(int(i), int(j)) for i, j in np.argwhere(mask) if i != j}


def test_a_text_is_masked_for_every_molecule_that_has_its_facts(silanes):
    captions = [
        Caption("poisonous alkaloid", frozenset({"alkaloid", "poison"})),
        Caption("quinoline alkaloid", frozenset({"quinoline alkaloid"})),
        Caption("alkaloid", frozenset({"alkaloid"})),
        Caption("(S)-something", None),
        Caption("a molecule", frozenset()),
    ]
    found = FalseNegatives(silanes, ["facts"]).mask(np.arange(5), captions)
    assert positions(found.mask) == {(0, 3), (2, 0), (2, 1), (2, 3), (2, 4)}
    assert found.mask.diagonal().all()
    assert found.shares == {"facts": 5 / 20, "any": 5 / 20}


def test_equal_inchikeys_are_one_molecule(silanes):
    found = FalseNegatives(silanes, ["molecule"]).mask(np.arange(5), unlike(5))
    assert positions(found.mask) == {(0, 4), (4, 0)}
    assert found.shares["molecule"] == 2 / 20


def test_a_skeleton_joins_stereoisomers_and_proton_forms(silanes):
    found = FalseNegatives(silanes, ["skeleton"]).mask(np.arange(5), unlike(5))
    trio = {(a, b) for a in (0, 1, 4) for b in (0, 1, 4) if a != b}
    assert positions(found.mask) == trio | {(2, 3), (3, 2)}


def test_similar_counts_are_false_from_the_threshold_on(tmp_path):
    # Eleven and twelve carbons: every environment of the shorter chain is in the longer one.
    pairs = made_pairs(
        tmp_path,
        [
            ("short", "[SiH3]" + "C" * 11 + "O", told("a")),
            ("long", "[SiH3]" + "C" * 12 + "O", told("b")),
            ("other", "[SiH3]c1ccccc1", told("c")),
        ],
    )
    totals = [int(pairs.store.dense(pairs.feature_rows[[row]])[0, :4096].sum()) for row in (0, 1)]
    exact = totals[0] / totals[1]
    assert 0.8 < exact < 1
    for threshold, expected in ((exact, {(0, 1), (1, 0)}), (exact + 1e-6, set())):
        found = FalseNegatives(pairs, ["tanimoto"], threshold).mask(np.arange(3), unlike(3))
        assert positions(found.mask) == expected
        assert found.shares["tanimoto"] == len(expected) / 6


def test_the_same_description_is_no_negative(tmp_path):
    pairs = made_pairs(
        tmp_path,
        [
            ("a", "[SiH3]CO", MoleculeFacts(texts=("smells of pears", "a solvent"))),
            ("b", "[SiH3]CCO", MoleculeFacts(texts=("Smells  of pears.",))),
            ("c", "[SiH3]CCCO", MoleculeFacts(texts=("a fuel",))),
        ],
    )
    false = FalseNegatives(pairs, ["description"])
    said = [Caption(text, None) for text in ("a solvent", "smells of pears", "A FUEL")]
    # Molecule a could have been shown with b's text; b never has a's present one.
    assert positions(false.mask(np.arange(3), said).mask) == {(1, 0)}
    said[2] = Caption("a solvent ", None)
    assert positions(false.mask(np.arange(3), said).mask) == {(1, 0), (0, 2), (2, 0)}


def test_plain_texts_differ_by_words_only():
    assert plain("An  Alkaloid.\n") == plain("an alkaloid") != plain("an alkaloid of")
    assert plain("CO²") == plain("co2")


def test_rules_add_up_and_each_reports_its_share(silanes):
    captions = [Caption("alkaloid", frozenset({"alkaloid"}))] * 2 + unlike(3)
    found = FalseNegatives(silanes, ["facts", "molecule"]).mask(np.arange(5), captions)
    assert positions(found.mask) == {
        *((0, other) for other in (1, 2, 3, 4)),
        *((1, other) for other in (0, 2, 3, 4)),
        (4, 0),
    }
    assert found.shares == {"facts": 8 / 20, "molecule": 2 / 20, "any": 9 / 20}


def test_without_rules_only_the_own_molecule_is_true(silanes):
    found = FalseNegatives(silanes, []).mask(np.arange(5), unlike(5))
    assert found.mask.tolist() == np.eye(5, dtype=bool).tolist()
    assert found.shares == {"any": 0.0}


def test_a_queue_is_masked_by_the_same_rules(silanes):
    false = FalseNegatives(silanes, RULES, 0.9)
    captions = [
        Caption("alkaloid", frozenset({"alkaloid"})),
        Caption("poison", frozenset({"poison"})),
        Caption("Same words", None),
        Caption("same words.", None),
        Caption("last", None),
    ]
    whole = false.mask(np.arange(5), captions)
    rows, queue = np.array([4, 1, 2]), np.array([0, 3, 3, 2])
    said = [captions[row] for row in rows]
    found = false.mask_queue(rows, said, queue, [captions[row] for row in queue])
    assert found.mask.tolist() == whole.mask[np.ix_(rows, queue)].tolist()
    assert found.shares["any"] == found.mask.sum() / 12
    texts = FalseNegatives(silanes, ["description"])
    same = texts.mask_queue(rows, said, queue, [captions[row] for row in queue]).mask
    assert same.tolist() == [[False] * 4, [False] * 4, [False, True, True, True]]
    assert not texts.mask_queue(rows, said, queue).mask.any()


def test_rules_about_molecules_hold_both_ways(silanes):
    rows = np.array([3, 0, 4, 1, 2, 0])
    for rule in ("molecule", "skeleton", "tanimoto"):
        mask = FalseNegatives(silanes, [rule], 0.3).mask(rows, []).mask
        assert (mask == mask.T).all()
        assert positions(mask)


def test_one_molecule_against_others(silanes):
    false = FalseNegatives(silanes, ["facts", "skeleton"])
    assert false.same_molecules(1, np.array([0, 2, 4])).tolist() == [True, False, True]


def test_facts_agree_with_the_definition_on_a_large_batch(tmp_path):
    rng = np.random.default_rng(5)
    terms = [f"t{number}" for number in range(30)]
    held = [tuple(rng.choice(terms, rng.integers(0, 9), replace=False)) for _ in range(40)]
    pairs = made_pairs(
        tmp_path,
        [(str(n), "[SiH3]" + "C" * (n + 1), named(*own)) for n, own in enumerate(held)],
        terms=Tree(),
    )
    rows = rng.integers(0, 40, 300)
    stated = [
        None if rng.random() < 0.2 else frozenset(held[row][: rng.integers(0, 4)]) for row in rows
    ]
    captions = [Caption("x", facts) for facts in stated]
    mask = FalseNegatives(pairs, ["facts"]).mask(rows, captions).mask
    for i, facts in enumerate(stated):
        for j, row in enumerate(rows):
            assert mask[i, j] == (i == j or (bool(facts) and facts <= set(held[row]))), (i, j)


def test_an_unknown_rule_is_named(silanes):
    with pytest.raises(ValueError, match="'shape'"):
        FalseNegatives(silanes, ["shape"])
