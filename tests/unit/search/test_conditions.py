"""Bounds on properties in a question, and what is left of it."""

from __future__ import annotations

import time

import pytest

from molclip.search.conditions import LONGEST_TEXT, read_conditions


@pytest.mark.parametrize(
    ("text", "where", "rest"),
    [
        ("kinase inhibitor with MW below 300", ["mol_weight < 300"], "kinase inhibitor"),
        ("kinase inhibitor (MW < 300)", ["mol_weight < 300"], "kinase inhibitor"),
        ("MW<300 and logP>2", ["mol_weight < 300", "logp > 2"], "MW<300 and logP>2"),
        ("vitamin, MW<300, logP>2", ["mol_weight < 300", "logp > 2"], "vitamin"),
        ("drug of molecular weight under 1,500.5 g/mol", ["mol_weight < 1500.5"], "drug"),
        ("drug with weight below 300 g/mol", ["mol_weight < 300"], "drug"),
        ("peptide heavier than 1.2 kDa", ["mol_weight > 1200"], "peptide"),
        (
            "peptide between 3 kDa and 5 kDa",
            ["mol_weight >= 3000 AND mol_weight <= 5000"],
            "peptide",
        ),
        ("opioid lighter than 300 Da", ["mol_weight < 300"], "opioid"),
        ("opioid with MW of 300 or less", ["mol_weight <= 300"], "opioid"),
        ("opioid, MW=285.34", ["mol_weight >= 285.335 AND mol_weight <= 285.345"], "opioid"),
        ("amine with logP between 1 and -3", ["logp >= -3 AND logp <= 1"], "amine"),
        ("amine with 2 < logP <= 4", ["logp > 2 AND logp <= 4"], "amine"),
        ("amine with logP above 2 and below 4", ["logp > 2 AND logp < 4"], "amine"),
        ("molar mass 200-300 sweetener", ["mol_weight >= 200 AND mol_weight <= 300"], "sweetener"),
        ("dye with no more than two rings", ["rings <= 2"], "dye"),
        ("dye with 1-2 rings", ["rings >= 1 AND rings <= 2"], "dye"),
        ("dye with at least 2 and at most 4 rings", ["rings >= 2 AND rings <= 4"], "dye"),
        ("MW below 300 and at most two rings dye", ["mol_weight < 300"], "at most two rings dye"),
        ("dye with MW below 300 and at most two rings", ["rings <= 2", "mol_weight < 300"], "dye"),
        ("dye with 3 or more rings", ["rings >= 3"], "dye"),
        ("dye with at most two rings under 300 Da", ["rings <= 2", "mol_weight < 300"], "dye"),
        ("dye with 2 rings below 300 Da", ["mol_weight < 300"], "dye with 2 rings"),
        ("dye with 3 or fewer rotatable bonds", ["rotatable_bonds <= 3"], "dye"),
        ("drug with at most 5 HBD and at most 10 HBA", ["hbd <= 5", "hba <= 10"], "drug"),
        ("drug having exactly 2 hydrogen-bond donors", ["hbd = 2"], "drug"),
        ("drug with 2 to 4 H-bond acceptors", ["hba >= 2 AND hba <= 4"], "drug"),
        ("drug whose polar surface area is at most 90 \u00c52", ["tpsa <= 90"], "drug"),
        ("amine with a formal charge > 0", ["formal_charge > 0"], "amine"),
        ("amine with net charge below \u22121", ["formal_charge < -1"], "amine"),
        ("painkiller or dye with MW below 300", ["mol_weight < 300"], "painkiller or dye"),
        ("non-steroidal drug with MW below 300", ["mol_weight < 300"], "non-steroidal drug"),
        ("alkaloid, MW < 300, from bark", ["mol_weight < 300"], "alkaloid from bark"),
        (
            "dye that is not a salt, with MW below 300",
            ["mol_weight < 300"],
            "dye that is not a salt",
        ),
        (
            "hormone with more than 20 heavy atoms that is not a steroid",
            ["heavy_atoms > 20"],
            "hormone that is not a steroid",
        ),
    ],
)
def test_bounds_are_read(text: str, where: list[str], rest: str) -> None:
    read = read_conditions(text)
    assert [condition.where for condition in read.found] == where
    assert all(condition.phrase in text.replace("\u2212", "-") for condition in read.found)
    assert read.rest == rest


@pytest.mark.parametrize(
    ("text", "unread"),
    [
        # Denied: the hits would be the opposite of the question.
        ("not MW below 300", ["MW below 300"]),
        ("dye that does not have more than 3 rings", ["more than 3 rings"]),
        ("dye that doesn't contain more than 3 rings", ["more than 3 rings"]),
        ("drugs excluding those with MW below 300", ["MW below 300"]),
        ("neither MW below 300 nor logP above 3", ["MW below 300", "logP above 3"]),
        # Alternatives: all conditions hold together.
        ("dye with MW below 300 or logP below 2", ["MW below 300", "logP below 2"]),
        ("alkaloid or MW below 300", ["MW below 300"]),
        ("2 to 4 rings or 5 to 6 rings", ["2 to 4 rings", "5 to 6 rings"]),
        # No bound.
        ("small lipophilic amine", []),
        ("alkaloid with two rings", []),
        ("MW 300 and 2 rings", []),
        ("logP 3 and 2 hydrogen bond donors", []),
        # Of something else.
        ("dye with more than 3 aromatic rings", []),
        ("dye with more than six ring atoms", []),
        ("lactone with at least one ring-opened form", []),
        ("bicyclic with 5 and 6 rings", []),
        ("body weight below 50 kg", []),
        ("drug for obesity with weight over 100", []),
        ("prostate cancer with PSA over 4 ng/mL", []),
        ("above 10 DA receptors", []),
        ("EC 2.7.1.1 inhibitor", []),
        ("vitamin B12", []),
        # No number that could be theirs.
        ("MW below five hundred", []),
        ("MW below 2 000", []),
        ("MW below 300.5.1", []),
        ("logP below 10%", []),
        ("dye with at most 2.5 rings", []),
        (f"MW below {'9' * 400}", []),
        (" ".join(["long description"] * 13) + " with MW below 300", []),
        ("", []),
    ],
)
def test_what_is_no_bound_for_certain_stays(text: str, unread: list[str]) -> None:
    read = read_conditions(text)
    assert read.found == ()
    assert read.rest == text
    assert list(read.unread) == unread


@pytest.mark.parametrize(
    "text",
    [
        "dye with MW below 300" + " " * 10_000 + "x abc",
        "a," * (LONGEST_TEXT // 2 - 4) + " MW<3",
        "MW below 300 not" + " " * 5000 + "MW below 300",
        "1-" * (LONGEST_TEXT // 2),
        "between 1 " * 12,
    ],
)
def test_no_question_takes_long(text: str) -> None:
    """Patterns may go back and forth over what almost fits; minutes would be a way to stop a server."""
    started = time.process_time()
    read_conditions(text)
    assert time.process_time() - started < 2
