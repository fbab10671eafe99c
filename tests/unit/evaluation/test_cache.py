"""Cached feature rows come back as they went in."""

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.evaluation.cache import content_key
from molclip.evaluation.feature_table import FeatureTable

ROWS = np.random.default_rng(0).integers(0, 4, (9, 50)).astype(np.uint8) * 85
FAILURE = ParseFailure("pool.csv", 4, "x", "C1CC", "a ring is open.", "Close it.")


def _stream():
    for index, row in enumerate(ROWS):
        yield FAILURE if index == 3 else row


def test_saved_rows_and_failures_come_back(tmp_path):
    FeatureTable.collect(_stream(), 50).save(tmp_path / "deep" / "table.npz")
    table = FeatureTable.load(tmp_path / "deep" / "table.npz")
    expected = ROWS.copy()
    expected[3] = 0
    np.testing.assert_array_equal(table.rows(0, 9), expected)
    np.testing.assert_array_equal(table.rows(2, 5), expected[2:5])
    np.testing.assert_array_equal(table.rows(7, 100), expected[7:])
    assert list(table.failures) == [FAILURE]


def test_damaged_or_absent_file_is_no_table(tmp_path):
    path = tmp_path / "table.npz"
    assert FeatureTable.load(path) is None
    FeatureTable.collect(_stream(), 50).save(path)
    path.write_bytes(path.read_bytes()[:200])
    assert FeatureTable.load(path) is None


def test_cache_that_cannot_be_written_is_no_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    assert not FeatureTable.collect(_stream(), 50).save(tmp_path / "file" / "table.npz")


def test_key_depends_on_every_text_and_on_where_it_ends():
    assert content_key("ab", "c") != content_key("a", "bc")
    assert content_key("C", "CC") != content_key("CC", "C")
