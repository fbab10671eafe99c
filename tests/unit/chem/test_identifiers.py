"""Formulas, keys and numbers by their form."""

import pytest
from rdkit import Chem
from rdkit.Chem.rdMolDescriptors import CalcMolFormula

from molclip.chem.identifiers import (
    cas_number,
    formulas,
    inchikey,
    inchikey_block,
    unmistakable_formula,
)


@pytest.mark.parametrize(
    ("text", "smiles"),
    [
        ("C8H10N4O2", "Cn1cnc2c1c(=O)n(C)c(=O)n2C"),
        ("H10C8N4O2", "Cn1cnc2c1c(=O)n(C)c(=O)n2C"),
        ("H2SO4", "OS(=O)(=O)O"),
        (" H₂SO₄ ", "OS(=O)(=O)O"),
        ("CH3COOH", "CC(=O)O"),
        ("(CH3)2CO", "CC(C)=O"),
        ("Ca(OH)2", "[Ca+2].[OH-].[OH-]"),
        ("Fe4[Fe(CN)6]3", ".".join(["[Fe]"] * 7 + ["[C]#N"] * 18)),
        ("NaCl", "[Na+].[Cl-]"),
        ("NH4+", "[NH4+]"),
        ("CaCO3", "[Ca+2].[O-]C([O-])=O"),
        ("SO4-2", "[O-]S(=O)(=O)[O-]"),
        ("SO4^2-", "[O-]S(=O)(=O)[O-]"),
        ("SO₄²⁻", "[O-]S(=O)(=O)[O-]"),
        ("SO4--", "[O-]S(=O)(=O)[O-]"),
        ("Fe+3", "[Fe+3]"),
        ("Fe+++", "[Fe+3]"),
        ("OH\u2212", "[OH-]"),
    ],
)
def test_a_formula_becomes_the_one_that_rdkit_writes(text, smiles):
    assert CalcMolFormula(Chem.MolFromSmiles(smiles)) in formulas(text)


def test_two_readings_of_a_number_before_a_charge():
    assert formulas("SO42-") == ["O42S-", "O4S-2"]
    assert formulas("C10H15O3-") == ["C10H15O3-", "C10H15O-3"]
    assert formulas("C6H7O24P6-11") == ["C6H7O24P6-11"]


@pytest.mark.parametrize(
    "text",
    ["", "aspirin", "Aspirin", "H1N1", "C01H", "CD4", "COX2", "C(H", "CH)", "()2", "C8H10 N4", "C-H",
     "C+-", "Fe^2", "C" * 90, "C12345H", "50-78-2", "CYP3A4", "2H", "é"],
)  # fmt: skip
def test_what_is_no_formula(text):
    assert formulas(text) == []
    assert not unmistakable_formula(text)


@pytest.mark.parametrize(
    ("text", "clear"),
    [
        ("C8H10N4O2", True), ("H2SO4", True), ("C2H6", True), ("NaCl", False), ("CO2", False),
        ("CB2", False), ("HIV", False), ("P2Y12", False), ("C60", False), ("He", False),
        ("CH3COOH", True),
    ],
)  # fmt: skip
def test_what_can_be_nothing_else(text, clear):
    assert formulas(text)
    assert unmistakable_formula(text) is clear


def test_keys():
    key = "RYYVLZVUVIJVGH-UHFFFAOYSA-N"
    assert inchikey(f" {key} ") == inchikey(f"InChIKey={key}") == key
    assert inchikey(key[:-2]) is inchikey(key.lower()) is inchikey("caffeine") is None
    assert inchikey_block(key[:14]) == key[:14]
    assert inchikey_block(key) is inchikey_block("ANTIBIOTIC") is None


@pytest.mark.parametrize("number", ["50-78-2", "58-08-2", "7732-18-5", "64-17-5"])
def test_cas_numbers(number):
    assert cas_number(f" {number} ") == number
    wrong = f"{number[:-1]}{(int(number[-1]) + 1) % 10}"
    assert cas_number(wrong) is None
    assert cas_number(f"{number} aspirin") is None
