"""Looking molecules up by name."""

import numpy as np
import pytest

from molclip.search.names import NameIndex, look_up, name_key, write_names

NAMES = [
    (0, "quinine", 0),
    (0, "(8alpha,9R)-6'-methoxycinchonan-9-ol", 1),
    (1, "quinidine", 0),
    (2, "β-lactam", 0),
    (3, "acetylsalicylic acid", 0),
    (3, "aspirin", 1),
    (4, "aspirin lysine salt", 0),
    (5, "L-alanyl-L-alanine", 0),
    (6, "alanine", 0),
    (7, "ALANINE", 0),
    (7, "CHEBI:16449", 2),
]


@pytest.fixture
def index(tmp_path):
    write_names(tmp_path / "names", NAMES)
    return [NameIndex(tmp_path / "names", 0)]


def find(index, name, limit=10, allowed=None, preferred=None):
    every = np.ones(8, dtype=bool)
    allowed = every if allowed is None else allowed
    preferred = every if preferred is None else preferred
    return [(hit.row, hit.how) for hit in look_up(index, name, limit, allowed, preferred)]


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("Acetyl-Salicylic  Acid", "acetylsalicylicacid"),
        ("β-Lactam", "betalactam"),
        ("Β\u2011LACTAM", "betalactam"),
        ("2\u2032-deoxy", "2deoxy"),
        ("(+)-catechin", "(+)catechin"),
        ("   ", ""),
    ],
)
def test_keys(written, same):
    assert name_key(written) == same


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Quinine", [(0, "exact")]),
        ("beta lactam", [(2, "exact")]),
        ("ASPIRIN", [(3, "exact"), (4, "prefix")]),
        ("chebi:16449", [(7, "exact")]),
        ("alanine", [(6, "exact"), (7, "exact"), (5, "part")]),
        ("methoxycinchonan", [(0, "part")]),
        ("asprin", [(3, "similar")]),
        ("quinnine", [(0, "similar"), (1, "similar")]),
        ("zzzzzz", []),
        ("?", []),
        ("", []),
    ],
)
def test_look_up(index, name, expected):
    assert find(index, name)[: len(expected)] == expected
    if not expected:
        assert find(index, name) == []


@pytest.mark.parametrize(
    ("name", "strict", "loose"),
    [
        ("aspirin", [3, 4], [3, 4]),
        ("alanine", [6, 7, 5], [6, 7, 5]),
        # Quinidine is only spelled alike.
        ("quinine", [0], [0, 1]),
        # Where no name is exact, others are tried as ever.
        ("aspiri", [3, 4], [3, 4]),
        ("asprin", [3], [3]),
    ],
)
def test_beside_an_exact_name_only_those_that_hold_it_as_a_word(index, name, strict, loose):
    every = np.ones(8, dtype=bool)
    found = [hit.row for hit in look_up(index, name, 10, every, every, strict=True)]
    assert found == strict
    assert [row for row, _ in find(index, name)] == loose


def test_a_name_inside_a_word_is_not_the_name(tmp_path):
    write_names(tmp_path / "names", [(0, "taxol", 0), (1, "betaxolol", 0), (2, "10-oxo tax-ol", 0)])
    index, every = [NameIndex(tmp_path / "names", 0)], np.ones(3, dtype=bool)
    assert [hit.row for hit in look_up(index, "Taxol", 5, every, every, strict=True)] == [0, 2]


def test_limit_counts_rows_not_names(index):
    assert find(index, "a", limit=2)[:2] == [(6, "prefix"), (7, "prefix")]
    assert len(find(index, "a", limit=2)) == 2


def test_rows_that_are_not_preferred_are_found_by_their_exact_name_only(index):
    preferred = np.ones(8, dtype=bool)
    preferred[3] = False
    assert (3, "exact") in find(index, "aspirin", preferred=preferred)
    assert (3, "prefix") not in find(index, "aspi", preferred=preferred)
    forbidden = np.ones(8, dtype=bool)
    forbidden[3] = False
    assert (3, "exact") not in find(index, "aspirin", allowed=forbidden)


def test_a_match_does_not_run_from_one_name_into_the_next(tmp_path):
    write_names(tmp_path / "names", [(0, "abc", 0), (1, "def", 0)])
    index = [NameIndex(tmp_path / "names", 0)]
    assert look_up(index, "bcd", 5, np.ones(2, bool), np.ones(2, bool)) == []


def test_no_names(tmp_path):
    write_names(tmp_path / "names", [])
    index = [NameIndex(tmp_path / "names", 0)]
    assert look_up(index, "anything", 5, np.ones(0, bool), np.ones(0, bool)) == []
