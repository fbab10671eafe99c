"""Augmentations by hand: what each takes away, what it leaves, and that both levels agree."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rdkit import Chem

from molclip.chem.augmentations import AUGMENTATIONS, augmented_inputs, checked, two_views
from molclip.chem.augmentations.structure import pairs_of_graph, pairs_of_mol
from molclip.chem.features import BLOCKS, WIDTH, featurize
from molclip.chem.graphs import ATOM_SIZES, BOND_FIELDS, graph_of, hybrid_of, masked_codes
from molclip.errors import ConfigError, InputError

STRUCTURAL = ("atom_masking", "bond_deletion", "subgraph_removal")
FIELDS = list(ATOM_SIZES)
ELEMENT, DEGREE, HYDROGENS = (FIELDS.index(name) for name in ("element", "degree", "hydrogens"))

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"
ODD = (
    "[Na+].[Cl-]",  # a salt of single atoms
    "[Na+].[Na+].[O-]S(=O)(=O)[O-]",
    "[He]",
    "[H][H]",
    "[2H]C",
    "[125Te]",
    "*",
    "*c1ccccc1",
    "[1*]CC[2*]",
    "N[Pt](N)(Cl)Cl",
    "[NH3]->[Pt](Cl)(Cl)<-[NH3]",
    "[Fe+2].c1cc[cH-]c1.c1cc[cH-]c1",
    "C[N+](C)(C)CC(=O)[O-]",
    "[O-][N+](=O)c1ccccc1",
    "C[CH2]",  # a radical
    "c1ccc2[nH]ccc2c1",
    "C1=CC=C[CH+]C=C1",
    r"OC(=O)/C=C\C(O)=O",
    "C[C@H](N)C(=O)O",
    "[C-]#[O+]",
    "FS(F)(F)(F)(F)F",
    "B1C2CCCC1CCC2",
    "C1CC2CC1C2",
    "O=[U+2]=O",
)
smiles = st.sampled_from(ODD)
strengths = st.floats(0, 1)
seeds = st.integers(0, 2**32 - 1)


def mol(text):
    return Chem.MolFromSmiles(text)


def rng(seed=0):
    return np.random.default_rng(seed)


def elements(molecule):
    return Counter(atom.GetSymbol() for atom in molecule.GetAtoms())


def same(one, other):
    """Whether two graphs are equal, field by field."""
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        for name in ("atoms", "bonds", "bond_fields")
    )


def joined(pairs):
    """Which atoms are joined, whatever the order of bonds and ends."""
    return sorted(tuple(sorted(pair)) for pair in pairs.T.tolist())


def masked(graph):
    return int((graph.atoms == masked_codes(ATOM_SIZES)).all(axis=1).sum())


# What each does, worked out by hand.


def test_masking_everything_leaves_the_skeleton():
    view = AUGMENTATIONS["atom_masking"].mol(mol("CC(=O)[O-]"), 1, rng())
    assert Chem.MolToSmiles(view) == "**(*)=*"


def test_a_masked_atom_has_no_element_charge_isotope_or_hydrogens():
    view = AUGMENTATIONS["atom_masking"].mol(mol("[15NH3+]C"), 1, rng())
    for atom in view.GetAtoms():
        assert atom.GetAtomicNum() == 0
        assert atom.GetFormalCharge() == 0
        assert atom.GetIsotope() == 0
        assert atom.GetTotalNumHs() == 0


def test_masking_one_ring_atom_keeps_the_ring_aromatic():
    # A tenth of ten atoms is one atom, whatever is rolled.
    view = AUGMENTATIONS["atom_masking"].mol(mol("c1ccc2ccccc2c1"), 0.1, rng(3))
    assert elements(view) == {"C": 9, "*": 1}
    assert all(atom.GetIsAromatic() for atom in view.GetAtoms())


def test_deleting_every_bond_leaves_hydrides():
    view = AUGMENTATIONS["bond_deletion"].mol(mol("CC(=O)N"), 1, rng())
    assert sorted(Chem.MolToSmiles(view).split(".")) == ["C", "C", "N", "O"]


def test_a_cut_is_filled_with_hydrogen_also_where_hydrogens_were_written():
    view = AUGMENTATIONS["bond_deletion"].mol(mol("C[N+](C)(C)C"), 1, rng())
    assert sorted(Chem.MolToSmiles(view).split(".")) == ["C", "C", "C", "C", "[NH4+]"]
    view = AUGMENTATIONS["bond_deletion"].mol(mol("C[C@H](N)O"), 1, rng())
    assert sorted(Chem.MolToSmiles(view).split(".")) == ["C", "C", "N", "O"]


def test_a_double_bond_cut_gives_two_hydrogens_to_each_end():
    view = AUGMENTATIONS["bond_deletion"].mol(mol("C=[N+](C)C"), 1, rng())
    assert sorted(Chem.MolToSmiles(view).split(".")) == ["C", "C", "C", "[NH4+]"]


def test_deleting_one_bond_of_benzene_opens_the_ring():
    view = AUGMENTATIONS["bond_deletion"].mol(mol("c1ccccc1"), 1 / 6, rng())
    assert view.GetNumBonds() == 5
    assert Chem.MolToSmiles(view) in ("C=CC=CC=C", "CC=CC=CC")
    assert not any(atom.GetIsAromatic() for atom in view.GetAtoms())


def test_metals_get_no_hydrogen():
    view = AUGMENTATIONS["bond_deletion"].mol(mol("[NH3]->[Pt](Cl)(Cl)<-[NH3]"), 1, rng())
    assert sorted(Chem.MolToSmiles(view).split(".")) == ["Cl", "Cl", "N", "N", "[Pt]"]


def test_a_removed_piece_is_connected():
    # Of a chain, a connected piece leaves at most two runs, and carbons become methyls at the cut.
    for seed in range(20):
        view = AUGMENTATIONS["subgraph_removal"].mol(mol("C" * 20), 0.5, rng(seed))
        assert view.GetNumAtoms() == 10
        assert len(Chem.GetMolFrags(view)) <= 2


def test_removal_goes_on_in_another_fragment_and_leaves_one_atom():
    view = AUGMENTATIONS["subgraph_removal"].mol(mol("CC.CC.CC"), 1, rng())
    assert Chem.MolToSmiles(view) == "C"


def test_stereo_at_a_cut_is_lost_and_elsewhere_kept():
    two_centres = mol("C[C@H](N)CCCCCC[C@H](C)O")
    kept = set()
    for seed in range(40):
        view = AUGMENTATIONS["subgraph_removal"].mol(two_centres, 1 / 12, rng(seed))
        labels = Chem.FindMolChiralCenters(view)
        assert len(labels) <= 2
        kept.add(len(labels))
    assert {1, 2} <= kept


def test_bit_dropout_sets_entries_to_zero_and_changes_nothing_else():
    counts = np.stack([featurize(mol(ASPIRIN)), featurize(mol("CCO"))])
    before = counts.copy()
    view = AUGMENTATIONS["bit_dropout"].counts(counts, 0.5, rng())
    assert np.array_equal(counts, before)
    lost = view != counts
    assert (view[lost] == 0).all()
    filled = int((counts > 0).sum())
    # Binomial(n, 1/2): five standard deviations.
    assert abs(lost.sum() - filled / 2) < 5 * np.sqrt(filled / 4)


def test_random_smiles_writes_the_same_molecule_in_other_ways():
    molecule = mol("C[C@H](N)C(=O)Nc1ccc2[nH]ccc2c1")
    canonical = Chem.MolToSmiles(molecule)
    source = rng()
    written = {AUGMENTATIONS["random_smiles"].smiles(molecule, 1, source) for _ in range(20)}
    assert len(written) > 10
    assert {Chem.MolToSmiles(mol(text)) for text in written} == {canonical}
    assert AUGMENTATIONS["random_smiles"].smiles(molecule, 0, source) == canonical


def test_random_smiles_strength_is_the_chance_of_a_new_order():
    molecule, source = mol(ASPIRIN), rng()
    views = [AUGMENTATIONS["random_smiles"].mol(molecule, 0.3, source) for _ in range(400)]
    renewed = sum(view is not molecule for view in views)
    assert abs(renewed - 120) < 5 * np.sqrt(400 * 0.3 * 0.7)


def test_a_new_order_changes_no_count_and_permutes_the_graph():
    molecule = mol(ASPIRIN)
    view = AUGMENTATIONS["random_smiles"].mol(molecule, 1, rng(5))
    assert np.array_equal(featurize(view), featurize(molecule))
    graph = graph_of(molecule)
    permuted = AUGMENTATIONS["random_smiles"].graph(graph, 1, rng(5))
    assert not np.array_equal(permuted.atoms, graph.atoms)
    # The atoms of both, each with the sorted codes of its neighbours, are the same set.
    assert neighbourhoods(permuted) == neighbourhoods(graph)
    # And the graph of the reordered molecule is the reordered graph.
    assert np.array_equal(permuted.atoms, graph_of(view).atoms)
    assert joined(pairs_of_graph(permuted)) == joined(pairs_of_mol(view))


def neighbourhoods(graph):
    lists = {index: [] for index in range(len(graph.atoms))}
    for (first, second), fields in zip(graph.bonds.T.tolist(), graph.bond_fields, strict=True):
        lists[first].append((*fields.tolist(), *graph.atoms[second].tolist()))
    return Counter(
        (tuple(graph.atoms[index].tolist()), tuple(sorted(lists[index]))) for index in lists
    )


def test_atoms_at_a_cut_of_a_graph_do_not_tell_of_the_lost_neighbour():
    view = AUGMENTATIONS["bond_deletion"].graph(graph_of(mol("CC")), 1, rng())
    assert view.atoms[:, DEGREE].tolist() == [0, 0]
    assert view.atoms[:, HYDROGENS].tolist() == [ATOM_SIZES["hydrogens"] - 1] * 2
    assert view.atoms[:, ELEMENT].tolist() == [6, 6]
    assert view.bonds.shape == (2, 0)
    assert view.bond_fields.shape == (0, BOND_FIELDS)


def test_atoms_away_from_a_cut_keep_their_codes():
    graph = graph_of(mol("CCCCO"))
    for seed in range(5):
        view = AUGMENTATIONS["bond_deletion"].graph(graph, 0.25, rng(seed))
        lost = set(joined(pairs_of_graph(graph))) - set(joined(pairs_of_graph(view)))
        assert len(lost) == 1
        ends = lost.pop()
        for atom in range(5):
            assert np.array_equal(view.atoms[atom], graph.atoms[atom]) == (atom not in ends)


def test_a_masked_atom_of_a_graph_stays_masked_when_a_bond_goes():
    graph = AUGMENTATIONS["atom_masking"].graph(graph_of(mol("CCO")), 1, rng())
    assert masked(AUGMENTATIONS["bond_deletion"].graph(graph, 1, rng())) == 3


# Both levels.


@settings(max_examples=300, deadline=None)
@given(text=st.one_of(smiles, st.just(ASPIRIN)), strength=strengths, seed=seeds)
@pytest.mark.parametrize("name", STRUCTURAL)
def test_molecule_and_graph_lose_the_same(name, text, strength, seed):
    molecule, augmentation = mol(text), AUGMENTATIONS[name]
    view = augmentation.mol(molecule, strength, rng(seed))
    graph = augmentation.graph(graph_of(molecule), strength, rng(seed))
    assert view.GetNumAtoms() == len(graph.atoms) >= 1
    assert joined(pairs_of_mol(view)) == joined(pairs_of_graph(graph))
    if name == "atom_masking":
        dummies = elements(view)["*"] - elements(molecule)["*"]
        # A dummy atom of the molecule itself may be masked too: no new dummy, one masked atom.
        assert dummies <= masked(graph) <= dummies + elements(molecule)["*"]
    else:
        numbers = [atom.GetAtomicNum() for atom in view.GetAtoms()]
        assert graph.atoms[:, ELEMENT].tolist() == numbers
    if name == "bond_deletion":
        assert elements(view) == elements(molecule)
    if name != "subgraph_removal":
        assert view.GetNumAtoms() == molecule.GetNumAtoms()
    if name == "atom_masking":
        assert view.GetNumBonds() == molecule.GetNumBonds()


@settings(max_examples=200, deadline=None)
@given(text=smiles, strength=strengths, seed=seeds)
@pytest.mark.parametrize("name", [*STRUCTURAL, "random_smiles"])
def test_a_view_of_an_odd_molecule_can_be_described(name, text, strength, seed):
    view = AUGMENTATIONS[name].mol(mol(text), strength, rng(seed))
    assert view.GetNumAtoms() >= 1
    assert featurize(view).shape == (WIDTH,)
    graph_of(view)
    assert not Chem.DetectChemistryProblems(view)
    radicals = sum(atom.GetNumRadicalElectrons() for atom in view.GetAtoms())
    assert radicals <= sum(atom.GetNumRadicalElectrons() for atom in mol(text).GetAtoms())


@settings(max_examples=60, deadline=None)
@given(text=smiles, strength=strengths, seed=seeds)
@pytest.mark.parametrize("name", [*STRUCTURAL, "random_smiles"])
def test_the_source_is_not_changed(name, text, strength, seed):
    molecule = mol(text)
    graph = graph_of(molecule)
    arrays = [array.copy() for array in (graph.atoms, graph.bonds, graph.bond_fields)]
    AUGMENTATIONS[name].mol(molecule, strength, rng(seed))
    AUGMENTATIONS[name].graph(graph, strength, rng(seed))
    assert Chem.MolToSmiles(molecule) == Chem.MolToSmiles(mol(text))
    after = (graph.atoms, graph.bonds, graph.bond_fields)
    assert all(np.array_equal(one, other) for one, other in zip(arrays, after, strict=True))


@settings(max_examples=100, deadline=None)
@given(text=smiles, seed=seeds, weak=strengths, strong=strengths)
@pytest.mark.parametrize("name", STRUCTURAL)
def test_a_stronger_view_contains_what_a_weaker_one_takes(name, text, seed, weak, strong):
    weak, strong = sorted((weak, strong))
    pairs = pairs_of_mol(mol(text))
    atoms = mol(text).GetNumAtoms()
    less = AUGMENTATIONS[name].choose(atoms, pairs, weak, rng(seed))
    more = AUGMENTATIONS[name].choose(atoms, pairs, strong, rng(seed))
    assert np.array_equal(more[: len(less)], less)


@given(seed=seeds, weak=strengths, strong=strengths)
@settings(deadline=None)
def test_stronger_bit_dropout_loses_what_weaker_loses(seed, weak, strong):
    weak, strong = sorted((weak, strong))
    counts = featurize(mol(ASPIRIN))[None]
    less = AUGMENTATIONS["bit_dropout"].counts(counts, weak, rng(seed))
    more = AUGMENTATIONS["bit_dropout"].counts(counts, strong, rng(seed))
    assert (more <= less).all()


@pytest.mark.parametrize("name", STRUCTURAL)
def test_the_share_is_exact_on_average(name):
    molecule = mol("C" * 11)  # 11 atoms, 10 bonds: 0.33 of either is no whole number
    total = 10 if name == "bond_deletion" else 11
    pairs, source = pairs_of_mol(molecule), rng()
    sizes = [len(AUGMENTATIONS[name].choose(11, pairs, 0.33, source)) for _ in range(3000)]
    assert set(sizes) == {int(0.33 * total), int(0.33 * total) + 1}
    assert np.mean(sizes) == pytest.approx(0.33 * total, abs=5 * 0.5 / np.sqrt(3000))


@pytest.mark.parametrize("name", [*STRUCTURAL, "random_smiles"])
def test_strength_zero_is_identity(name):
    molecule = mol(ASPIRIN)
    graph = graph_of(molecule)
    for seed in range(10):
        assert AUGMENTATIONS[name].mol(molecule, 0, rng(seed)) is molecule
        assert AUGMENTATIONS[name].graph(graph, 0, rng(seed)) is graph


@pytest.mark.parametrize("name", [*STRUCTURAL, "random_smiles"])
def test_the_same_generator_gives_the_same_view(name):
    def view(seed):
        return Chem.MolToSmiles(
            AUGMENTATIONS[name].mol(mol(ASPIRIN), 0.6, rng(seed)), canonical=False
        )

    assert view(1) == view(1)
    assert len({view(seed) for seed in range(10)}) > 1


def test_an_edit_that_rdkit_refuses_is_made_in_part():
    class Refusing(type(AUGMENTATIONS["bond_deletion"])):
        def edit_mol(self, molecule, pairs, chosen):
            if len(chosen) > 3:
                raise ValueError("too much")
            return super().edit_mol(molecule, pairs, chosen)

    decane = mol("C" * 10)
    view, graph = Refusing().both(decane, graph_of(decane), 1, rng())
    assert view.GetNumBonds() == 7  # 9 bonds, 9 → 4 → 2 deleted
    assert joined(pairs_of_mol(view)) == joined(pairs_of_graph(graph))


# Views as inputs of an encoder.


def test_fingerprints_with_bit_dropout_need_no_smiles():
    counts = np.stack([featurize(mol(ASPIRIN))] * 3)
    view = augmented_inputs(counts, None, "fingerprint", {"bit_dropout": 0.2}, rng(1))
    assert np.array_equal(view, AUGMENTATIONS["bit_dropout"].counts(counts, 0.2, rng(1)))


def test_fingerprints_of_edited_molecules_are_computed_anew():
    counts = np.stack([featurize(mol("CC"))])
    view = augmented_inputs(counts, ["CC"], "fingerprint", {"bond_deletion": 1}, rng())
    assert np.array_equal(view[0], featurize(mol("C.C")))
    assert np.array_equal(counts[0], featurize(mol("CC")))


def test_augmentations_are_made_one_after_the_other():
    counts = np.stack([featurize(mol("CC"))])
    both = {"bond_deletion": 1, "atom_masking": 1}
    view = augmented_inputs(counts, ["CC"], "fingerprint", both, rng())
    assert np.array_equal(view[0], featurize(mol("*.*")))


def test_hybrid_parts_show_the_same_edit():
    inputs = [hybrid_of(mol(ASPIRIN)), hybrid_of(mol("CCO"))]
    edits = {"subgraph_removal": 0.3, "atom_masking": 0.3, "random_smiles": 1}
    start = sum(width for name, width in BLOCKS.items() if name in ("morgan", "torsion"))
    start += BLOCKS["atompair"] + BLOCKS["maccs"]
    for seed in range(20):
        views = augmented_inputs(inputs, [ASPIRIN, "CCO"], "hybrid", edits, rng(seed))
        for view in views:
            numbers = Counter(view.graph.atoms[:, ELEMENT].tolist())
            # In the fingerprint a masked atom is a dummy, in the graph it has its own code.
            numbers[0] += numbers.pop(ATOM_SIZES["element"] - 1, 0)
            counted = view.counts[start : start + BLOCKS["elements"]]
            assert {z: counted[z] for z in np.flatnonzero(counted)} == +numbers


def test_hybrid_bit_dropout_leaves_the_graph():
    inputs = [hybrid_of(mol(ASPIRIN))]
    view = augmented_inputs(inputs, None, "hybrid", {"bit_dropout": 0.5}, rng())[0]
    assert same(view.graph, inputs[0].graph)
    assert 0 < (view.counts > 0).sum() < (inputs[0].counts > 0).sum()


def test_graphs_need_no_smiles():
    graph = graph_of(mol(ASPIRIN))
    view = augmented_inputs([graph], None, "graph", {"atom_masking": 1}, rng())[0]
    assert masked(view) == 13


@pytest.mark.parametrize("kind", ["fingerprint", "graph", "hybrid"])
def test_nothing_asked_nothing_changed(kind):
    start = two_views([mol(ASPIRIN)], kind, {}, rng())
    asked = two_views([mol(ASPIRIN)], kind, dict.fromkeys(STRUCTURAL, 0.0), rng())
    for one, other in zip(start, asked, strict=True):
        if kind == "fingerprint":
            assert np.array_equal(one, other)
            assert np.array_equal(one[0], featurize(mol(ASPIRIN)))
        else:
            pair = (one[0], other[0]) if kind == "graph" else (one[0].graph, other[0].graph)
            assert same(*pair)


def test_two_views_differ_and_come_back_with_the_same_seed():
    molecules = [mol(ASPIRIN)] * 4
    first, second = two_views(molecules, "fingerprint", {"atom_masking": 0.3}, rng(2))
    again, _ = two_views(molecules, "fingerprint", {"atom_masking": 0.3}, rng(2))
    assert first.shape == second.shape == (4, WIDTH)
    assert not np.array_equal(first, second)
    assert np.array_equal(first, again)


def test_an_unreadable_smiles_keeps_its_input():
    counts = np.zeros((2, WIDTH), dtype=np.uint8)
    view = augmented_inputs(counts, ["c1cc", "CC"], "fingerprint", {"bond_deletion": 1}, rng())
    assert not view[0].any()
    assert np.array_equal(view[1], featurize(mol("C.C")))


def test_smiles_that_are_missing_are_asked_for():
    counts = np.zeros((2, WIDTH), dtype=np.uint8)
    for given_smiles, said in ((None, "no SMILES"), (["C"], "1 SMILES")):
        with pytest.raises(InputError, match=f"2 inputs came with {said}"):
            augmented_inputs(counts, given_smiles, "fingerprint", {"atom_masking": 0.1}, rng())


def test_no_rows_give_no_rows():
    none = np.zeros((0, WIDTH), dtype=np.uint8)
    edits = {"atom_masking": 0.5, "bit_dropout": 0.5}
    assert augmented_inputs(none, [], "fingerprint", edits, rng()).shape == (0, WIDTH)
    assert augmented_inputs([], [], "hybrid", edits, rng()) == []


# What a configuration may ask for.


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(ConfigError, match=r"'atom_maskin'.*Did you mean 'atom_masking'"):
        checked({"atom_maskin": 0.1}, "graph")
    with pytest.raises(ConfigError, match=r"Known: atom_masking, bond_deletion"):
        checked({"zzz": 0.1}, "graph")


@pytest.mark.parametrize("strength", [-0.1, 1.1, float("nan")])
def test_a_strength_is_a_share(strength):
    with pytest.raises(ConfigError, match="'bond_deletion' is"):
        checked({"bond_deletion": strength}, "fingerprint")


def test_bit_dropout_needs_a_fingerprint():
    with pytest.raises(ConfigError, match="needs a fingerprint"):
        checked({"bit_dropout": 0.1}, "graph")
    assert [step.name for step, _ in checked({"bit_dropout": 0.1}, "hybrid")] == ["bit_dropout"]


def test_another_kind_of_input_is_refused():
    with pytest.raises(ConfigError, match="encoder input 'image'"):
        checked({"atom_masking": 0.1}, "image")
