"""The list of training molecules."""

import hashlib

import pytest

from molclip.errors import ModelError
from molclip.search.seen import SEEN_FILE, SeenMolecules, write_seen

ETHANOL = "LFQSCWFLJHTTHZ-UHFFFAOYSA-N"
WATER = "XLYOFNOQVPJJNP-UHFFFAOYSA-N"
CAFFEINE = "RYYVLZVUVIJVGH-UHFFFAOYSA-N"


def test_what_was_written_is_found_and_nothing_else(tmp_path):
    assert write_seen([ETHANOL, WATER, ETHANOL, ""], tmp_path / SEEN_FILE) == 2
    seen = SeenMolecules.beside(tmp_path)
    assert ETHANOL in seen
    assert WATER.lower() in seen
    assert CAFFEINE not in seen
    assert None not in seen
    assert len(seen) == 2


def test_the_file_is_sorted_first_halves_of_sha256(tmp_path):
    write_seen([WATER, ETHANOL], tmp_path / "s")
    body = (tmp_path / "s").read_bytes()[16:]
    expected = sorted(hashlib.sha256(key.encode()).digest()[:8] for key in (WATER, ETHANOL))
    assert body == b"".join(expected)


def test_a_model_has_also_seen_what_it_started_with(tmp_path):
    write_seen([WATER], tmp_path / "first")
    before = SeenMolecules.load(tmp_path / "first")
    assert write_seen([ETHANOL, WATER], tmp_path / "second", before) == 2
    assert write_seen([ETHANOL], tmp_path / "third", before) == 2
    assert WATER in SeenMolecules.load(tmp_path / "third")


def test_no_list_and_a_wrong_list(tmp_path):
    assert SeenMolecules.beside(tmp_path) is None
    assert SeenMolecules.beside(None) is None
    (tmp_path / SEEN_FILE).write_bytes(b"something else entirely")
    with pytest.raises(ModelError, match="not a list"):
        SeenMolecules.beside(tmp_path)


def test_empty_list(tmp_path):
    assert write_seen([], tmp_path / "s") == 0
    assert ETHANOL not in SeenMolecules.load(tmp_path / "s")
