"""Altered names: one place, of the kind that stands there, the same for the same state."""

import random
import re

import pytest

from molclip.text.name_mutations import mutate


def _many(name: str, times: int = 300) -> set[str]:
    made = (mutate(name, random.Random(seed)) for seed in range(times))
    return {other for other in made if other is not None}


def test_a_chain_gets_other_lengths_and_other_endings():
    found = _many("octadecanoic acid")
    assert {"heptadecanoic acid", "icosanoic acid", "octadecanoate", "octadecanamide"} <= found
    assert "octadecanoic acid" not in found


def test_a_locant_moves():
    moved = {n for n in _many("4-nitropyridine") if n.endswith("-nitropyridine")}
    assert {"3-nitropyridine", "5-nitropyridine"} <= moved
    assert all(int(n.split("-")[0]) > 0 for n in moved)


def test_a_substituent_is_swapped_for_another():
    assert {"2-bromophenol", "2-nitrophenol"} <= _many("2-chlorophenol", 2000)


def test_stereodescriptors_turn_and_the_rest_stays():
    turned = {n for n in _many("(2R,3S)-butane-2,3-diol") if n.endswith(")-butane-2,3-diol")}
    assert {"(2S,3S)-butane-2,3-diol", "(2R,3R)-butane-2,3-diol"} <= turned
    assert "beta-D-glucose" in _many("alpha-D-glucose")


def test_charges_are_no_locants():
    assert all(re.search(r"\(4-\)$", name) for name in _many("acetyl-CoA(4-)"))


def test_peptides_get_other_residues():
    found = _many("L-alanyl-L-valine", 1000)
    assert any(
        n.endswith("-L-valine") and n.startswith("L-") for n in found - {"L-alanyl-L-valine"}
    )


@pytest.mark.parametrize("name", ["", "X", "CBN"])
def test_a_name_without_a_place_to_alter_gives_none(name):
    assert mutate(name, random.Random(0)) is None


def test_the_same_state_gives_the_same_name():
    name = "(5Z,8Z)-14,15-dihydroxyicosa-5,8-dienoic acid"
    first = [mutate(name, random.Random(seed), 2) for seed in range(20)]
    assert first == [mutate(name, random.Random(seed), 2) for seed in range(20)]
    assert len(set(first)) > 10
