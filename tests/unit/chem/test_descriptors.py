"""Values from PubChem's compound pages and from counting by hand."""

import pytest
from rdkit import Chem

from molclip.chem.descriptors import PROPERTY_COLUMNS, properties


def test_aspirin():
    found = properties(Chem.MolFromSmiles("CC(=O)Oc1ccccc1C(=O)O"))
    assert tuple(found) == PROPERTY_COLUMNS
    assert found["formula"] == "C9H8O4"
    assert found["mol_weight"] == pytest.approx(180.16, abs=0.01)
    assert found["tpsa"] == pytest.approx(63.6, abs=0.05)
    assert found["logp"] == pytest.approx(1.2, abs=0.5)  # measured 1.18
    assert [found[name] for name in PROPERTY_COLUMNS[4:]] == [1, 3, 1, 2, 0, 13]


def test_salt_isotope_and_attachment_point():
    salt = properties(Chem.MolFromSmiles("[Na+].[Na+].[O-]C(=O)C([O-])=O"))
    assert (salt["formal_charge"], salt["heavy_atoms"]) == (0, 8)
    methane, heavy = (properties(Chem.MolFromSmiles(s))["mol_weight"] for s in ("C", "[13CH4]"))
    assert heavy - methane == pytest.approx(13.00335 - 12.011, abs=1e-3)
    assert properties(Chem.MolFromSmiles("*C(=O)O"))["heavy_atoms"] == 3


def test_value_that_cannot_be_calculated_is_none():
    unsanitised = Chem.MolFromSmiles("CCO", sanitize=False)
    found = properties(unsanitised)
    assert found["hbd"] is None or found["rings"] is None
    assert found["formal_charge"] == 0
