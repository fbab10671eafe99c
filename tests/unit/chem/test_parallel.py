"""Worker processes: order, failures in place, crashes and time limits."""

import os
import time

import numpy as np
import pandas as pd
import pytest
from rdkit import Chem

from molclip.chem.features import WIDTH, featurize
from molclip.chem.molecule import Molecule, ParseFailure
from molclip.chem.parallel import featurize_stream, guarded_stream, read_and_featurize
from molclip.chem.parse import parse_molecule
from molclip.chem.readers import Record


def carbons(molecule):
    """Work that waits, dies or raises where the molecule's name says so."""
    if molecule.name == "slow":
        time.sleep(30)
    if molecule.name == "crash":
        os._exit(3)
    if molecule.name == "raise":
        raise RuntimeError("Digraph generation failed")
    return molecule.smiles.count("C")


def molecules(count, **odd):
    names = {number: name for name, number in odd.items()}
    return [
        Molecule(n + 1, f"id{n}", names.get(n), "C" * (n % 7 + 1), "C" * (n % 7 + 1))
        for n in range(count)
    ]


def test_order_is_kept_over_processes():
    results = list(guarded_stream(carbons, molecules(500), workers=2))
    assert results == [n % 7 + 1 for n in range(500)]


def test_a_slow_a_crashing_and_a_raising_molecule_cost_themselves_only():
    items = molecules(200, slow=20, crash=90, **{"raise": 150})
    results = list(guarded_stream(carbons, items, workers=2, time_limit=2.0))
    assert len(results) == 200
    failures = {n: r for n, r in enumerate(results) if isinstance(r, ParseFailure)}
    assert sorted(failures) == [20, 90, 150]
    assert "too long" in failures[20].reason
    assert "crashes" in failures[90].reason
    assert "Digraph" in failures[150].reason
    assert failures[20].row == 21
    assert failures[20].id == "id20"


def test_the_time_for_all_leaves_every_row_in_its_place():
    """Slow items first, so that the rest would be lost if rows followed the answers."""
    items = molecules(300)
    for item in items[:40]:
        item.name = "slow"
    begun = time.monotonic()
    results = list(guarded_stream(carbons, items, workers=2, time_limit=20.0, total_limit=3.0))
    assert time.monotonic() - begun < 8
    assert len(results) == 300
    late = [r for r in results if isinstance(r, ParseFailure)]
    assert [r.row for r in late[:40]] == list(range(1, 41))
    assert {r.reason for r in late} == {
        "no time left: 3 s for all structures were over before this one."
    }
    # What was done meanwhile is kept.
    done = [(n, r) for n, r in enumerate(results) if not isinstance(r, ParseFailure)]
    assert done
    assert all(r == n % 7 + 1 for n, r in done)


def test_the_time_for_all_holds_without_processes():
    bad = ParseFailure(None, 3, None, "x", "bad: as it came.")
    results = list(guarded_stream(carbons, [*molecules(2), bad], total_limit=-1.0))
    assert [r.row for r in results] == [1, 2, 3]
    assert [r.kind for r in results] == ["no time left", "no time left", "bad"]


def test_several_slow_items_are_waited_for_side_by_side():
    items = molecules(100)
    for item in items[:4]:
        item.name = "slow"
    begun = time.monotonic()
    results = list(guarded_stream(carbons, items, workers=4, time_limit=2.0))
    assert time.monotonic() - begun < 7  # one by one: 2 s for the chunk and 8 for its items
    assert [n for n, r in enumerate(results) if isinstance(r, ParseFailure)] == [0, 1, 2, 3]


def lattice(side):
    """A sheet of squares, whose search for odd rings takes seconds."""
    mol = Chem.RWMol()
    for _ in range(side * side):
        mol.AddAtom(Chem.Atom("C"))
    for n in range(side * side):
        if n % side:
            mol.AddBond(n - 1, n, Chem.BondType.SINGLE)
        if n >= side:
            mol.AddBond(n - side, n, Chem.BondType.SINGLE)
    return mol


@pytest.mark.parametrize(
    "write",
    [Chem.MolToSmiles, lambda mol: Chem.MolToMolBlock(mol, kekulize=False)],
)
def test_short_text_with_many_rings_gets_a_process(write):
    """In this process nothing could stop it."""
    mol = lattice(9)
    mol.UpdatePropertyCache(strict=False)
    (here,) = guarded_stream(process_of, [Record(None, 1, None, None, write(mol))])
    assert here != os.getpid()
    (here,) = guarded_stream(process_of, [Record(None, 1, None, None, "CCO")])
    assert here == os.getpid()


def process_of(_):
    return os.getpid()


def test_items_are_drawn_as_they_are_needed():
    drawn = 0

    def endless():
        nonlocal drawn
        while True:
            drawn += 1
            yield Molecule(drawn, None, None, "CCO", "CCO")

    stream = guarded_stream(carbons, endless(), workers=1)
    assert [next(stream) for _ in range(10)] == [2] * 10
    stream.close()
    assert drawn < 2000


def test_features_of_text_and_failures_in_place():
    smiles = ["CCO", "C1CC", "c1ccccc1"] * 40
    rows = list(featurize_stream(smiles, workers=2))
    assert len(rows) == 120
    for number, made in enumerate(rows):
        if number % 3 == 1:
            assert isinstance(made, ParseFailure)
            assert made.row == number + 1
        else:
            assert made.shape == (WIDTH,)
    np.testing.assert_array_equal(rows[0], rows[3])


def test_a_few_molecules_need_no_process():
    assert list(guarded_stream(carbons, molecules(3), workers=2)) == [1, 2, 3]


def test_something_that_is_no_structure_is_said():
    (failure,) = featurize_stream([object()])
    assert isinstance(failure, ParseFailure)
    assert "object" in failure.reason


def test_something_that_is_no_structure_has_its_own_row():
    failures = list(featurize_stream(["CCO", [], "CCN", 5]))
    assert [(f.row, f.reason) for f in failures if isinstance(f, ParseFailure)] == [
        (2, "not a structure: a list was given."),
        (4, "not a structure: a int was given."),
    ]


def test_the_empty_cells_of_a_table_are_called_empty():
    empty = [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT]
    made = list(featurize_stream(["CCO", *empty, "CCN"]))
    failures = [item for item in made if isinstance(item, ParseFailure)]
    assert [failure.row for failure in failures] == [2, 3, 4, 5, 6]
    assert {(f.kind, f.input) for f in failures} == {("empty", "")}


def test_molecules_keep_their_features_on_the_way_to_a_process():
    """CIP labels, which the fingerprints look at, must survive the trip."""
    smiles = ["C[C@H](N)C(=O)O", "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1"] * 30
    molecules = [parse_molecule(text) for text in smiles]
    here = [featurize(Chem.MolFromSmiles(text)) for text in smiles]
    there = list(featurize_stream(molecules, workers=2))
    np.testing.assert_array_equal(np.stack(there), np.stack(here))


def test_the_molecule_handed_in_keeps_its_atoms():
    """Read again from canonical SMILES they would stand in another order."""
    molecule = parse_molecule("OC(C)c1ccccc1")
    before = [atom.GetSymbol() for atom in molecule.mol.GetAtoms()]
    given_back, features = read_and_featurize(molecule)
    assert [atom.GetSymbol() for atom in molecule.mol.GetAtoms()] == before == [*"OCCCCCCCC"]
    assert "mol" not in given_back.__dict__
    assert given_back.smiles == molecule.smiles
    np.testing.assert_array_equal(features, featurize(molecule.mol))
