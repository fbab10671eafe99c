"""Which atoms the inputs of a feature row come from."""

import numpy as np
import pytest
from rdkit import Chem

from molclip.chem.feature_atoms import STARTS, feature_atoms
from molclip.chem.features import BLOCKS, WIDTH, featurize

MOLECULES = [
    "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O",
    "CCCCCCCCCCCCCCCC(=O)O",
    "[Na+].[Cl-]",
    "[2H]C([2H])[2H]",
    "C1CC1",
    "N[Pt](N)(Cl)Cl",
    "c1ccc2ccccc2c1.OC(=O)/C=C\\C(O)=O",
    "OCC(O)C(O)C(O)C(O)CO",
    "*C",
    "C",
]
KEYS = slice(STARTS["maccs"], STARTS["maccs"] + BLOCKS["maccs"])
# Keys of RDKit that describe a molecule as a whole: fragments, and a number that is never set.
WHOLE = [STARTS["maccs"] + key for key in (1, 166)]


def block(row, name):
    return row[..., STARTS[name] : STARTS[name] + BLOCKS[name]]


@pytest.mark.parametrize("smiles", MOLECULES)
def test_occurrences_are_what_rdkit_counts(smiles):
    mol = Chem.MolFromSmiles(smiles)
    row, owners = featurize(mol), feature_atoms(mol)
    times = np.bincount(owners.column, minlength=WIDTH)
    for name in ("morgan", "torsion", "atompair", "elements"):
        assert np.array_equal(np.minimum(block(times, name), 255), block(row, name)), name
    # A key that is set has a match, unless it describes the molecule as a whole.
    explained = np.setdiff1d(np.flatnonzero(row[KEYS]) + STARTS["maccs"], WHOLE)
    assert (times[explained] > 0).all()
    assert not block(times, "shape").any()
    assert not block(times, "ladder").any()


@pytest.mark.parametrize("smiles", MOLECULES)
def test_nothing_is_lost_when_values_are_shared(smiles):
    mol = Chem.MolFromSmiles(smiles)
    row = featurize(mol)
    values = np.random.default_rng(0).normal(size=WIDTH) * (row > 0)
    mine, rest = feature_atoms(mol).share(values)
    assert mine.shape == (mol.GetNumAtoms(),)
    assert np.isclose(mine.sum() + rest.sum(), values.sum())


def test_shares_of_ethanol_by_hand():
    owners = feature_atoms(Chem.MolFromSmiles("CCO"))
    values = np.zeros(WIDTH)
    values[STARTS["elements"] + 6] = 1.0  # two carbons
    values[STARTS["elements"] + 8] = 0.3
    values[STARTS["shape"]] = 0.7
    mine, rest = owners.share(values)
    assert np.allclose(mine, [0.5, 0.5, 0.3])
    assert np.isclose(rest.sum(), 0.7)
    # All pairs of three atoms are different, so each has its column, shared by two.
    values = np.zeros(WIDTH)
    block(values, "atompair")[:] = 1.0
    assert np.allclose(owners.share(values)[0], [1.0, 1.0, 1.0])


def test_an_environment_covers_its_radius():
    """Butanol's C2 within one bond is C1, C2 and C3."""
    mol = Chem.MolFromSmiles("CCCCO")
    owners = feature_atoms(mol)
    morgan = np.flatnonzero(owners.column < BLOCKS["morgan"])
    covered = [tuple(sorted(owners.atom[owners.occurrence == number])) for number in morgan]
    assert (0, 1, 2) in covered
    assert sum(len(atoms) == 1 for atoms in covered) == 5  # radius 0, each atom once
    assert all(max(atoms) - min(atoms) + 1 == len(atoms) for atoms in covered)


def test_without_each_takes_out_and_never_puts_in():
    for smiles in MOLECULES:
        mol = Chem.MolFromSmiles(smiles)
        row = featurize(mol)
        rows = feature_atoms(mol).without_each(row, range(mol.GetNumAtoms()))
        assert rows.dtype == np.uint8
        assert (rows <= row).all()
        assert (block(row, "elements").sum() - block(rows, "elements").sum(1) == 1).all()
        assert np.array_equal(block(rows, "ladder"), np.broadcast_to(block(row, "ladder"), (len(rows), BLOCKS["ladder"])))  # fmt: skip


def test_methanol_without_its_oxygen_by_hand():
    mol = Chem.MolFromSmiles("CO")
    (row,) = feature_atoms(mol).without_each(featurize(mol), [1])
    assert block(row, "morgan").sum() == 1  # the carbon at radius 0
    assert not block(row, "torsion").any()
    assert not block(row, "atompair").any()
    assert np.flatnonzero(block(row, "elements")).tolist() == [6]
    assert not row[STARTS["maccs"] + 164]  # oxygen
    assert row[STARTS["maccs"] + 160]  # methyl


def test_keys_that_count_go_off_when_too_few_are_left():
    """Key 149 is more than one methyl group, key 160 is any."""
    mol = Chem.MolFromSmiles("CCC")
    row = featurize(mol)
    assert row[STARTS["maccs"] + 149]
    (without,) = feature_atoms(mol).without_each(row, [0])
    assert not without[STARTS["maccs"] + 149]
    assert without[STARTS["maccs"] + 160]
    # Key 125 is more than one aromatic ring.
    biphenyl = Chem.MolFromSmiles("c1ccccc1-c1ccccc1")
    row = featurize(biphenyl)
    assert row[STARTS["maccs"] + 125]
    assert not feature_atoms(biphenyl).without_each(row, [0])[0, STARTS["maccs"] + 125]
