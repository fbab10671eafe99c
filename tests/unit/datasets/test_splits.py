"""Scaffold splits: no scaffold in two sets, sizes as asked, the same for the same seed."""

from collections import Counter

import numpy as np
import pytest
from rdkit import Chem

from molclip.datasets.splits import column_split, murcko_scaffold, random_split, scaffold_split
from molclip.errors import InputError


@pytest.mark.parametrize(
    ("smiles", "scaffold"),
    [
        # Rings and linkers stay, side chains go (Bemis and Murcko 1996).
        ("CC(=O)Oc1ccccc1C(=O)O", "c1ccccc1"),
        ("CN1CCC[C@H]1c1cccnc1", "c1cncc(C2CCCN2)c1"),
        ("c1ccccc1CCC1CCCCC1C", "c1ccc(CCC2CCCCC2)cc1"),
        ("CCCCO", ""),
        ("[Na+].[Cl-]", ""),
    ],
)
def test_scaffolds_known_by_hand(smiles, scaffold):
    found = murcko_scaffold(Chem.MolFromSmiles(smiles))
    wanted = Chem.CanonSmiles(scaffold) if scaffold else ""
    assert found == wanted


SCAFFOLDS = ["big"] * 60 + [f"s{n // 2}" for n in range(100)] + [f"one{n}" for n in range(40)]


@pytest.mark.parametrize("seed", range(5))
def test_no_scaffold_is_in_two_sets_and_sizes_are_as_asked(seed):
    split = scaffold_split(SCAFFOLDS, seed)
    sets = [split.train, split.validation, split.test]
    rows = np.concatenate(sets)
    assert sorted(rows.tolist()) == list(range(200))
    owners = Counter(
        scaffold for rows in sets for scaffold in {SCAFFOLDS[row] for row in rows.tolist()}
    )
    assert set(owners.values()) == {1}
    # 10 % of 200 is 20; single molecules fill what pairs leave.
    assert (len(split.validation), len(split.test)) == (20, 20)
    assert set(range(60)) <= set(split.train.tolist())  # larger than half of a test set


def test_the_seed_decides_and_the_order_of_the_file_does_not():
    first, again, other = (scaffold_split(SCAFFOLDS, seed) for seed in (0, 0, 1))
    assert first.test.tolist() == again.test.tolist()
    assert first.test.tolist() != other.test.tolist()
    turned = scaffold_split(SCAFFOLDS[::-1], 0)
    held = {SCAFFOLDS[row] for row in first.test.tolist()}
    assert {SCAFFOLDS[::-1][row] for row in turned.test.tolist()} == held


def test_too_few_scaffolds_are_an_error():
    with pytest.raises(InputError, match="2 scaffolds"):
        scaffold_split(["a"] * 50 + ["b"] * 50, 0)


def test_random_split_has_the_asked_sizes_and_no_row_twice():
    split = random_split(50, 3)
    sets = (split.train, split.validation, split.test)
    assert [len(rows) for rows in sets] == [40, 5, 5]
    assert sorted(np.concatenate(sets).tolist()) == list(range(50))
    assert split.set_of(50).count("train") == 40


def test_a_column_may_say_the_sets_in_its_own_words():
    split = column_split(["Train", "val", "test", "x", "training", ""], "set")
    assert split.set_of(6) == ["train", "validation", "test", "", "train", ""]
    with pytest.raises(InputError, match=r"'set'.*validation.*'a'"):
        column_split(["a", "train", "test"], "set")
