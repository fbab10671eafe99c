"""Charged partners, against structures drawn by hand."""

import pytest
from rdkit import Chem

from molclip.chem.protonation import partner


def _same(one: str, other: str) -> bool:
    return Chem.CanonSmiles(one) == Chem.CanonSmiles(other)


@pytest.mark.parametrize(
    ("smiles", "name", "charged", "called", "relation"),
    [
        ("CCCCCC(=O)O", "hexanoic acid", "CCCCCC(=O)[O-]", "hexanoate", "is_conjugate_base_of"),
        (
            "OC(=O)CCC(=O)O",
            "butanedioic acid",
            "[O-]C(=O)CCC(=O)[O-]",
            "butanedioic acid(2-)",
            "is_conjugate_base_of",
        ),
        (
            "N[C@@H](C)C(=O)O",
            "L-alanine",
            "[NH3+][C@@H](C)C(=O)[O-]",
            "L-alanine zwitterion",
            "is_tautomer_of",
        ),
        ("C1CCNCC1", "piperidine", "C1CC[NH2+]CC1", "piperidine(1+)", "is_conjugate_acid_of"),
        (
            "COP(=O)(O)O",
            "methyl phosphate",
            "COP(=O)([O-])[O-]",
            "methyl phosphate(2-)",
            "is_conjugate_base_of",
        ),
    ],
)
def test_acids_amines_and_amino_acids(smiles, name, charged, called, relation):
    found = partner(smiles, name)
    assert found is not None
    assert _same(found.smiles, charged)
    assert (found.name, found.relation) == (called, relation)


@pytest.mark.parametrize(
    "smiles", ["c1ccccc1", "Nc1ccccc1", "CC(=O)NC", "CC(=O)[O-]", "CCO", "not a structure"]
)
def test_what_stays_neutral_or_is_charged_already_has_none(smiles):
    assert partner(smiles, "it") is None
