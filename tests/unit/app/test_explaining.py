"""What the page explains, what it refuses, and how it says so."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest
from molclip.app import counter_examples, explanations
from molclip.app.explaining import Match, above, counter, explained, read_match
from molclip.app.limits import EXPLAINED_ATOMS, EXPLAINED_PIECES
from molclip.app.service import Service

from molclip.errors import InputError
from molclip.explain import Attribution, Explanation

PENICILLIN = "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O"


@pytest.fixture(scope="module")
def service() -> Service:
    return Service.open()


@pytest.fixture(scope="module")
def match(service: Service) -> Match:
    return read_match(service, PENICILLIN, "beta-lactam\n antibiotic")


@pytest.mark.parametrize(
    ("structure", "words", "sentence"),
    [
        ("", "solvent", "There is no molecule yet."),
        ("CCO", " \n", "There are no words yet."),
        ("C" * (EXPLAINED_ATOMS + 1), "wax", f"this page explains up to {EXPLAINED_ATOMS}"),
        ("CCO", "alkaloid " * 80, f"this page explains up to {EXPLAINED_PIECES}"),
        ("CCO", "x" * 1001, "1,001 characters"),
        ("C1CC(", "ring", "cannot be read"),
    ],
)
def test_what_is_refused(service: Service, structure: str, words: str, sentence: str) -> None:
    with pytest.raises(InputError) as raised:
        read_match(service, structure, words)
    assert sentence in raised.value.message
    assert raised.value.hint


def test_the_largest_that_is_taken(service: Service) -> None:
    assert read_match(service, "C" * EXPLAINED_ATOMS, "wax").text == "wax"


def test_the_page_says_what_the_library_computes(service: Service, match: Match) -> None:
    assert match.text == "beta-lactam antibiotic"
    found = explained(service, match)
    share = above(service, match, found.score)
    # Counted by hand.
    scores = service.background @ service.library.model.encode_text(["beta-lactam antibiotic"])[0]
    assert share == sum(score < found.score for score in scores.tolist()) / len(scores)
    shown = explanations.explanation(found)
    assert shown.count("<svg") == 2
    assert shown.count("<circle") >= found.molecule.mol.GetNumAtoms()
    values = [float(v.replace("\u2212", "-")) for v in re.findall(r"<small>([^<]*)</small>", shown)]
    assert values == pytest.approx(
        [*found.word_values.occlusion, *found.word_values.gradient], abs=6e-4
    )
    assert "The two methods agree about the atoms" in shown
    assert f"to {found.score:.3f}" in shown


def _found(occlusion: list[float], gradient: list[float]) -> Explanation:
    from molclip import parse_molecule

    atoms = Attribution(np.array(occlusion), np.array(gradient), 0.5, 0.1, {"shape": 0.02})
    words = Attribution(np.array([0.2, -0.1]), np.array([0.1, -0.2]), 0.5, 0.3)
    mol = parse_molecule("CCCO")
    return Explanation(
        mol, "<b>clear</b> solvent", 0.5, atoms, ["<b>clear</b>", "solvent"], words, "h"
    )


def test_agreement_is_stated_or_the_difference_drawn() -> None:
    agreed = explanations.explanation(_found([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]))
    assert "agree about the atoms (rank correlation 1.00)" in agreed
    assert agreed.count("<svg") == 2
    # Ranks 1 3 2 4 against 1 2 3 4: 1 - 6 * 2 / (4 * 15) = 0.8; 1 4 3 2: 0.2; 1 3 4 2: 0.4.
    in_part = explanations.explanation(_found([1, 3, 4, 2], [1, 2, 3, 4]))
    assert "only in part (rank correlation 0.40)" in in_part
    apart = explanations.explanation(_found([1, 4, 3, 2], [1, 2, 3, 4]))
    assert "disagree about the atoms</strong> (rank correlation 0.20)" in apart
    for shown in (in_part, apart):
        assert shown.count("<svg") == 3
        assert "Where they differ" in shown
    # Each over its largest: 4/4 - 2/4 of the last atom, 2/4 - 4/4 of the second.
    assert "atom 3 (O): +0.5000" in apart
    assert "atom 1 (C): -0.5000" in apart
    assert "Too few words to compare" in apart


def test_the_sums_are_said() -> None:
    shown = explanations.explanation(_found([1, 2, 3, 4], [0.1, 0.1, 0.1, 0.08]))
    said = " ".join(shown.split())
    assert (
        "The gradients of the atoms add up to 0.380 with 0.020 of counts and charge, which belong "
        "to no atom: from 0.100 for no molecule to 0.500." in said
    )
    assert "The gradients of the words add up to −0.100: from 0.300 for no words to 0.500." in said


def test_words_are_text() -> None:
    shown = explanations.explanation(_found([1, 2, 3, 4], [1, 2, 3, 4]))
    assert "<b>clear" not in shown
    assert "&lt;b&gt;clear&lt;/b&gt;" in shown


def test_the_counter_example(service: Service, match: Match) -> None:
    found = counter(service, match)
    assert found is not None
    whole = explained(service, match)
    shown = counter_examples.counter(match, found, whole)
    assert shown.count("<svg") == 2
    assert f"match {found.score:.3f} instead of" in " ".join(shown.split())
    assert "tab=why&amp;smiles=" in shown
    # What the gradients give to the atoms that the neighbour lacks is said, where it lacks some.
    marked = list(found.difference.first_only)
    assert ("that the gradients give to its atoms" in " ".join(shown.split())) == bool(marked)
    if marked:
        assert f"{whole.atoms.gradient[marked].sum():.3f}".replace("-", "\u2212") in shown


def test_names_of_the_library_are_text(service: Service, match: Match) -> None:
    found = counter(service, match)
    assert found is not None
    attack = "<img src=x onerror=1>"
    record = {**found.record, "name": attack, "id": "CHEBI:<b>"}
    spoiled = SimpleNamespace(**{**vars(found), "record": record})
    shown = counter_examples.counter(match, spoiled, explained(service, match))  # type: ignore[arg-type]
    assert "<img" not in shown
    assert "&lt;img src=x onerror=1&gt;" in shown
    assert "<b>" not in shown


def test_none_is_said(match: Match) -> None:
    assert "There is none." in counter_examples.nothing(match)
