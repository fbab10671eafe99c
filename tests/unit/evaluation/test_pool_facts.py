"""Identity, charge and scaffold of a pool's molecules, on molecules whose answer is known."""

import numpy as np
import pytest

from molclip.evaluation.pool_facts import pool_facts

SMILES = [
    "C[C@H](N)C(=O)O",  # L-alanine
    "C[C@@H](N)C(=O)O",  # D-alanine
    "C[C@H]([NH3+])C(=O)[O-]",  # L-alanine zwitterion: the same key as L-alanine
    "C[C@H](N)C(=O)[O-]",  # L-alaninate
    "CC(=O)O",  # acetic acid
    "CC(=O)[O-]",  # acetate
    "C1CC",  # not a molecule
    "Cc1ccccc1[N+](=O)[O-]",  # 2-nitrotoluene: charges that belong together
    "Oc1ccccc1",  # phenol: the scaffold of nitrotoluene, benzene
    "C[N+](C)(C)CC(=O)[O-]",  # betaine
]


@pytest.fixture(scope="module")
def facts(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOLCLIP_CACHE", str(tmp_path_factory.mktemp("cache")))
        made = pool_facts(SMILES, workers=1)
        stored = pool_facts(SMILES, workers=1, progress=_fail)
    for name in ("inchikeys", "charges", "zwitterions", "scaffolds"):
        np.testing.assert_array_equal(getattr(made, name), getattr(stored, name))
    return made


def _fail(*_):
    raise AssertionError("the second call must read the cache")


def test_keys_are_those_of_pubchem(facts):
    assert facts.inchikeys[0] == "QNAYBMKLOCPYGJ-REOHCLBHSA-N"
    assert facts.inchikeys[4] == "QTBSBXVTEAMEQO-UHFFFAOYSA-N"
    assert facts.inchikeys[5] == "QTBSBXVTEAMEQO-UHFFFAOYSA-M"
    assert facts.inchikeys[6] == ""


def test_stereo_twins_are_the_two_alanines_in_every_protonation(facts):
    assert np.flatnonzero(facts.stereo_twins()).tolist() == [0, 1, 2, 3]


def test_conjugates_differ_by_protons_alone(facts):
    # D-alanine's anion is not in the pool; unreadable rows are nobody's partner.
    assert np.flatnonzero(facts.conjugates()).tolist() == [0, 2, 3, 4, 5]


def test_zwitterions_have_lone_charges_that_cancel(facts):
    assert np.flatnonzero(facts.zwitterions).tolist() == [2, 9]
    assert facts.charges.tolist() == [0, 0, 0, -1, 0, -1, 0, 0, 0, 0]


def test_scaffold_is_what_the_rings_are(facts):
    assert facts.scaffolds[7] == facts.scaffolds[8] != 0
    assert not facts.scaffolds[[0, 4, 6, 9]].any()
