"""Names unfolded into a curator's words."""

import random

import pytest

from molclip.text.name_prose import acid_of, peptide_residues, substituents, unfold


def every_form(name, tries=60):
    return {unfold(name, random.Random(seed)) for seed in range(tries)}


@pytest.mark.parametrize(
    ("name", "groups", "parent"),
    [
        ("3-hydroxybutanoate", [(["3"], "hydroxy")], "butanoate"),
        ("5,7-dihydroxyflavone", [(["5", "7"], "hydroxy")], "flavone"),
        ("2-amino-3-methylbutanoic acid", [(["2"], "amino"), (["3"], "methyl")], "butanoic acid"),
        ("7alpha-hydroxycholesterol", [(["7alpha"], "hydroxy")], "cholesterol"),
        ("caffeine", [], "caffeine"),
        ("methanol", [], "methanol"),
    ],
)
def test_leading_substituents(name, groups, parent):
    assert substituents(name) == (groups, parent)


@pytest.mark.parametrize(
    ("name", "residues"),
    [
        ("Ala-Leu", ["L-alanine", "L-leucine"]),
        ("Gly-Ser", ["glycine", "L-serine"]),
        ("L-phenylalanyl-L-serine", ["L-phenylalanine", "L-serine"]),
        ("glycylglycine", ["glycine", "glycine"]),
        ("aspirin", []),
    ],
)
def test_peptides(name, residues):
    assert peptide_residues(name) == residues


def test_an_acyl_coa_is_a_condensation():
    assert any("carboxy group of decanoic acid" in form for form in every_form("decanoyl-CoA"))


def test_positions_and_groups_survive():
    for form in every_form("3,5-dichloroaniline"):
        assert "chloro" in form
        assert "3" in form
        assert "5" in form
        assert "aniline" in form


def test_a_name_without_rule_stays():
    assert every_form("caffeine") == {"caffeine"}


@pytest.mark.parametrize(
    ("anion", "acid"),
    [
        ("butanoate", "butanoic acid"),
        ("acetate", "acetic acid"),
        ("phosphate", None),
        ("quinine", None),
    ],
)
def test_acid_of_an_anion(anion, acid):
    assert acid_of(anion) == acid
