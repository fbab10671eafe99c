"""Graphs by hand: codes, invariance to the order of atoms, and structures that must differ."""

import numpy as np
import pytest
from rdkit import Chem

from molclip.chem import features
from molclip.chem.graphs import (
    ATOM_FIELDS,
    ATOM_SIZES,
    BOND_FIELDS,
    BOND_SIZES,
    golden_hash,
    graph_of,
    masked_codes,
)
from molclip.chem.inputs import KINDS, gathered, input_of, input_version
from molclip.chem.inputs import golden_hash as golden_input_hash
from molclip.errors import InputError

ATOM = {name: place for place, name in enumerate(ATOM_SIZES)}
BOND = {name: place for place, name in enumerate(BOND_SIZES)}

VARIED = [
    "CCO",
    "[Na+].[Cl-]",
    "[125Te]",
    "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1",
    "C[C@H]1CC[C@@H](C)CC1",
    "C[C@H](O)[C@H](O)[C@@H](C)O",
    r"C/C=C/C=C\C",
    "N[Pt@SP1](N)(Cl)Cl",
    "C[S@](=O)CC",
    "[2H]C([2H])([2H])O",
    "C[CH2]",
    "N->[Cu+2]<-N",
    "C12C3C4C1C5C2C3C45",
    "OC[C@H]1O[C@@](CO)(O[C@H]2O[C@H](CO)[C@@H](O)[C@H](O)[C@H]2O)[C@@H](O)[C@@H]1O",
    "CC(C)C[C@H](NC(=O)[C@H](C)N)C(=O)N[C@@H](Cc1ccccc1)C(=O)O",
    "*CC* |$R1;;;R2$|",
]


def graph(smiles):
    return graph_of(Chem.MolFromSmiles(smiles))


def rows(array):
    """Multiset of the rows of an array."""
    return sorted(map(tuple, array.tolist()))


def edges(one):
    """Multiset of edges with the codes of both ends, whatever the numbers of the atoms."""
    source, target = one.bonds
    return rows(np.hstack([one.atoms[source], one.atoms[target], one.bond_fields]))


def test_ethanol_by_hand():
    one = graph("CCO")
    assert (one.atoms.dtype, one.bonds.dtype, one.bond_fields.dtype) == (
        np.uint8,
        np.int32,
        np.uint8,
    )
    # element, charge 0, degree, hydrogens, sp3, not aromatic, no ring, no stereo, natural, no radical
    assert one.atoms.tolist() == [
        [6, 5, 1, 3, 4, 0, 0, 0, 0, 0],
        [6, 5, 2, 2, 4, 0, 0, 0, 0, 0],
        [8, 5, 1, 1, 4, 0, 0, 0, 0, 0],
    ]
    assert one.bonds.tolist() == [[0, 1, 1, 2], [1, 0, 2, 1]]
    assert one.bond_fields.tolist() == [[1, 0, 0, 0]] * 4


def test_rings_aromatic_charge_and_radical():
    pyridinium = graph("C[n+]1ccccc1")
    assert pyridinium.atoms[1, [ATOM["charge"], ATOM["aromatic"], ATOM["ring"]]].tolist() == [
        6,
        1,
        4,
    ]
    assert pyridinium.bond_fields[2].tolist() == [4, 1, 4, 0]
    assert graph("C1CC1").atoms[0, ATOM["ring"]] == 1
    assert graph("C1CCCCCCCCCCCCC1").atoms[0, ATOM["ring"]] == 11
    assert graph("C[CH2]").atoms[1, ATOM["radical"]] == 1


def test_a_lone_atom_has_no_edges():
    one = graph("[Na+]")
    assert one.atoms.shape == (1, ATOM_FIELDS)
    assert one.bonds.shape == (2, 0)
    assert one.bond_fields.shape == (0, BOND_FIELDS)


@pytest.mark.parametrize(
    ("smiles", "codes"),
    [
        ("C[C@H](O)F", [1]),  # F > O > C turn clockwise, seen from opposite the H
        ("C[C@@H](O)F", [2]),
        ("C[C@H](O)[C@@H](O)[C@@H](C)O", [1, 2, 3]),  # meso: R, S and a pseudoasymmetric r
        ("C[C@H]1CC[C@H](C)CC1", [3, 3]),  # cis-1,4: pseudoasymmetric
        ("C[C@H]1CC[C@@H](C)CC1", [4, 4]),
        ("N[Pt@SP1](N)(Cl)Cl", [5]),
        ("CC(O)F", []),
    ],
)
def test_cip_labels(smiles, codes):
    stereo = graph(smiles).atoms[:, ATOM["stereo"]]
    assert sorted(stereo[stereo > 0].tolist()) == codes


@pytest.mark.parametrize(
    ("smiles", "code"), [("F/C=C/F", 1), (r"F/C=C\F", 2), ("FC=CF", 0), ("CC(C)=C", 0)]
)
def test_double_bond_geometry(smiles, code):
    one = graph(smiles)
    double = one.bond_fields[one.bond_fields[:, BOND["order"]] == 2]
    assert double[:, BOND["stereo"]].tolist() == [code, code]


def test_isotopes_are_told_from_the_common_one():
    codes = [graph(s).atoms[0, ATOM["isotope"]] for s in ("[12CH4]", "[13CH4]", "[14CH4]", "C")]
    assert codes == [16, 17, 18, 0]
    assert graph("[2H]O").atoms[0].tolist()[0] == 1


def test_a_dative_bond_has_a_direction():
    one = graph("N->[Cu+2]")
    assert one.bonds.T.tolist() == [[0, 1], [1, 0]]
    assert one.bond_fields[:, BOND["order"]].tolist() == [5, 6]


@pytest.mark.parametrize("smiles", VARIED)
def test_the_order_of_atoms_does_not_matter(smiles):
    mol = Chem.MolFromSmiles(smiles)
    one = graph_of(mol)
    random = np.random.default_rng(0)
    for _ in range(5):
        other = graph_of(Chem.RenumberAtoms(mol, random.permutation(mol.GetNumAtoms()).tolist()))
        assert rows(one.atoms) == rows(other.atoms)
        assert edges(one) == edges(other)


def test_the_molecule_is_not_changed():
    mol = Chem.MolFromSmiles(r"C/C=C\[C@H](C)O")
    before = features.featurize(mol), [str(bond.GetStereo()) for bond in mol.GetBonds()]
    graph_of(mol)
    np.testing.assert_array_equal(features.featurize(mol), before[0])
    assert [str(bond.GetStereo()) for bond in mol.GetBonds()] == before[1]


def test_labels_are_found_in_a_molecule_that_lost_them():
    mol = Chem.MolFromSmiles("C[C@H](N)C(=O)O")
    bare = Chem.Mol(mol.ToBinary(0))
    assert not bare.GetAtomWithIdx(1).HasProp("_CIPCode")
    assert rows(graph_of(bare).atoms) == rows(graph_of(mol).atoms)


def test_a_molecule_too_symmetric_for_the_labels_still_has_a_graph(monkeypatch):
    from molclip.chem import graphs

    monkeypatch.setattr(graphs, "_CIP_ITERATIONS", 1)
    stereo = graph("C[C@H](N)C(=O)O").atoms[:, ATOM["stereo"]]
    assert stereo.tolist() == [0, 2, 0, 0, 0, 0]  # L-alanine is S


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("[125Te]", "[Te]"),
        ("CC(=O)O", "CC(=O)[O-]"),
        ("CC(=O)[C@H](C)O", "CC(=O)[C@@H](C)O"),
        ("CC(=O)[C@H](C)O", "CC(=O)C(C)O"),
        ("OC(=O)/C=C/C(O)=O", r"OC(=O)/C=C\C(O)=O"),
        ("C[C@H]1CC[C@@H](C)CC1", "C[C@H]1CC[C@H](C)CC1"),
        ("C[S@](=O)CC", "C[S@@](=O)CC"),
        ("C1=CC=CN1", "C1=CCC=N1"),
        ("CCCC", "CCCCC"),
    ],
)
def test_structures_that_must_differ(one, other):
    first, second = graph(one), graph(other)
    assert (rows(first.atoms), edges(first)) != (rows(second.atoms), edges(second))


def test_every_code_fits_its_field_and_the_mask_is_free():
    for smiles in VARIED:
        one = graph(smiles)
        assert (one.atoms < masked_codes(ATOM_SIZES)).all()
        assert (one.bond_fields < masked_codes(BOND_SIZES)).all()


def test_the_golden_hash_notices_a_changed_code(monkeypatch):
    from molclip.chem import graphs

    before = golden_hash()
    assert before == golden_hash()
    monkeypatch.setitem(graphs._HYBRIDS, Chem.HybridizationType.SP3, 5)
    assert golden_hash() != before


def test_inputs_by_kind():
    mol = Chem.MolFromSmiles("CCO")
    np.testing.assert_array_equal(input_of(mol, "fingerprint"), features.featurize(mol))
    assert rows(input_of(mol, "graph").atoms) == rows(graph_of(mol).atoms)
    both = input_of(mol, "hybrid")
    np.testing.assert_array_equal(both.counts, features.featurize(mol))
    assert rows(both.graph.atoms) == rows(graph_of(mol).atoms)
    with pytest.raises(InputError, match="picture"):
        input_of(mol, "picture")


def test_versions_and_hashes_differ_by_kind():
    assert len({input_version(kind) for kind in KINDS}) == 3
    assert len({golden_input_hash(kind) for kind in KINDS}) == 3
    assert golden_input_hash("fingerprint") == features.golden_hash()


def test_gathered_rows_are_a_matrix():
    mol = Chem.MolFromSmiles("CCO")
    assert gathered([input_of(mol)] * 3).shape == (3, features.WIDTH)
    assert gathered([]).shape == (0, features.WIDTH)
    assert len(gathered([input_of(mol, "graph")] * 3, "graph")) == 3
