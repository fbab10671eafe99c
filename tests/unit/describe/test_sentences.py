"""Captions for reading: every fact once, in good English."""

from __future__ import annotations

import pytest

from molclip.describe.sentences import formal, of_properties, plain


def test_formal() -> None:
    relations = [
        ("is_conjugate_base_of", "caffeinium"),
        ("has_part", "water"),
        ("has_part", "ethanol"),
        ("of_unknown_kind", "nothing"),
    ]
    assert formal("caffeine", ["purine alkaloid", "xanthines"], ["stimulant"], relations) == (
        "Caffeine is a purine alkaloid and a member of xanthines. It has a role as a stimulant. "
        "It is a conjugate base of caffeinium. It contains water and ethanol."
    )
    assert formal(None, [], ["antibiotic", "dye"]) == (
        "The molecule has a role as an antibiotic and a dye."
    )
    assert formal("caffeine", [], []) == ""
    assert formal("(R)-warfarin", ["coumarin"], []) == "(R)-warfarin is a coumarin."
    assert formal("L-alanine", ["acid"], []) == "L-alanine is an acid."


def test_plain() -> None:
    assert plain(["organic acids"], ["painkiller", "antibiotics", "dye"]) == (
        "An organic acid that is a painkiller and an antibiotic."
    )
    assert plain([], ["painkiller"]) == "A molecule that is a painkiller."
    assert plain([], []) == ""


@pytest.mark.parametrize(
    ("properties", "sentence"),
    [
        (
            {"formula": "C2H6O", "mol_weight": 46.07, "logp": 0.0, "formal_charge": 0, "rings": 0},
            "A small, acyclic molecule with formula C2H6O and molecular weight 46.",
        ),
        (
            {"formula": "CHO2-", "mol_weight": 45.0, "logp": 0.1, "formal_charge": -1, "rings": 0},
            "A small, anionic, acyclic molecule with formula CHO2- and molecular weight 45.",
        ),
        (
            {"formula": "C20H12", "mol_weight": 252.3, "logp": 5.7, "formal_charge": 0, "rings": 5},
            "A lipophilic molecule with formula C20H12, molecular weight 252 and five rings.",
        ),
        ({"formula": None, "mol_weight": None}, ""),
    ],
)
def test_of_properties(properties: dict[str, object], sentence: str) -> None:
    assert of_properties(properties) == sentence
