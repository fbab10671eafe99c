"""Bounds on properties in a question, and what is left of it."""

from __future__ import annotations

import pytest

from molclip.search.conditions import read_conditions


@pytest.mark.parametrize(
    ("text", "where", "rest"),
    [
        ("kinase inhibitor with MW below 300", ["mol_weight < 300"], "kinase inhibitor"),
        ("MW<300 and logP>2", ["mol_weight < 300", "logp > 2"], "MW<300 and logP>2"),
        ("vitamin, MW<300, logP>2", ["mol_weight < 300", "logp > 2"], "vitamin"),
        ("drug of molecular weight under 1,500.5 g/mol", ["mol_weight < 1500.5"], "drug"),
        ("peptide heavier than 1.2 kDa", ["mol_weight > 1200"], "peptide"),
        ("opioid lighter than 300 Da", ["mol_weight < 300"], "opioid"),
        ("amine with logP between 1 and -3", ["logp >= -3 AND logp <= 1"], "amine"),
        ("molar mass 200-300 sweetener", ["mol_weight >= 200 AND mol_weight <= 300"], "sweetener"),
        ("dye with no more than two rings", ["rings <= 2"], "dye"),
        ("dye with 1-2 rings", ["rings >= 1 AND rings <= 2"], "dye"),
        ("dye with 3 or more rings", ["rings >= 3"], "dye"),
        ("dye with 3 or fewer rotatable bonds", ["rotatable_bonds <= 3"], "dye"),
        ("drug having exactly 2 hydrogen-bond donors", ["hbd = 2"], "drug"),
        ("drug with 2 to 4 H-bond acceptors", ["hba >= 2 AND hba <= 4"], "drug"),
        ("drug whose polar surface area is at most 90 \u00c52", ["tpsa <= 90"], "drug"),
        ("amine with a formal charge > 0", ["formal_charge > 0"], "amine"),
        (
            "hormone with more than 20 heavy atoms that is not a steroid",
            ["heavy_atoms > 20"],
            "hormone that is not a steroid",
        ),
        ("amine with charge below \u22121", ["formal_charge < -1"], "amine"),
    ],
)
def test_bounds_are_read(text: str, where: list[str], rest: str) -> None:
    read = read_conditions(text)
    assert [condition.where for condition in read.found] == where
    assert all(condition.phrase in text.replace("\u2212", "-") for condition in read.found)
    assert read.rest == rest


@pytest.mark.parametrize(
    "text",
    [
        "small lipophilic amine",
        "alkaloid with two rings",
        "dye with more than 3 aromatic rings",  # rings of that kind are not counted
        "not MW below 300",
        "EC 2.7.1.1 inhibitor",
        "MW below 300.5.1",
        "a drug against high blood pressure of more than 140",
        "vitamin B12",
        "4 or 5 ring system",
        " ".join(["long description"] * 13) + " with MW below 300",
        "",
    ],
)
def test_what_bounds_nothing_stays(text: str) -> None:
    read = read_conditions(text)
    assert read.found == ()
    assert read.rest == text
