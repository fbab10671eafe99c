"""Scores and order against plain numpy."""

import numpy as np
import pytest
from safetensors.numpy import load_file

from molclip.errors import LibraryError
from molclip.search.vectors import VectorFile, VectorSet, quantise, write_vectors


def unit(rows, dimension, seed):
    x = np.random.default_rng(seed).standard_normal((rows, dimension))
    return (x / np.linalg.norm(x, axis=1, keepdims=True)).astype(np.float32)


def cosines(stored, query):
    wide = stored.astype(np.float64)
    return (wide @ query.astype(np.float64)) / np.linalg.norm(wide, axis=1)


@pytest.mark.parametrize("storage", ["float16", "int8"])
def test_scores_are_the_cosines_with_the_stored_rows(tmp_path, storage):
    vectors, query = unit(3000, 48, 1), unit(1, 48, 2)[0]
    write_vectors(tmp_path / "v", [vectors[:1000], vectors[1000:]], 3000, 48, storage)
    mapped = VectorFile.open(tmp_path / "v")
    expected = cosines(load_file(tmp_path / "v")["vectors"], query)
    assert np.abs(mapped.exact(query, np.arange(3000)) - expected).max() < 1e-6
    rows, scores = VectorSet([mapped], np.array([], dtype=int)).ranking(query).top(50)
    assert rows.tolist() == np.argsort(-expected, kind="stable")[:50].tolist()
    assert np.abs(scores - expected[rows]).max() < 1e-6


def test_metadata_and_types_are_plain_safetensors(tmp_path):
    write_vectors(tmp_path / "v", [unit(5, 8, 3)], 5, 8, "float16", {"model_hash": "abc"})
    arrays = load_file(tmp_path / "v")
    assert arrays["vectors"].dtype == np.float16
    assert arrays["factors"].dtype == np.float32
    norms = np.linalg.norm(arrays["vectors"].astype(np.float64), axis=1)
    assert arrays["factors"] == pytest.approx(1 / norms, rel=1e-6)
    assert VectorFile.open(tmp_path / "v").metadata == {"model_hash": "abc"}


def test_equal_rows_come_in_row_order_across_files(tmp_path):
    same = np.repeat(unit(1, 16, 4), 40, axis=0)
    write_vectors(tmp_path / "a", [same[:25]], 25, 16)
    write_vectors(tmp_path / "b", [same[25:]], 15, 16)
    files = [VectorFile.open(tmp_path / name) for name in "ab"]
    dead = np.array([3, 30])
    rows, scores = VectorSet(files, dead).ranking(unit(1, 16, 5)[0]).top(100)
    assert rows.tolist() == [row for row in range(40) if row not in (3, 30)]
    assert len(set(scores.tolist())) == 1


def test_nearly_equal_scores_are_still_ordered_exactly(tmp_path):
    # Rows that differ by less than half precision of the product can tell.
    query = unit(1, 64, 6)[0]
    noise = unit(2000, 64, 7) * 0.02
    rows = query + noise
    write_vectors(tmp_path / "v", [(rows / np.linalg.norm(rows, axis=1)[:, None])], 2000, 64)
    mapped = VectorFile.open(tmp_path / "v")
    expected = cosines(np.asarray(mapped.vectors), query).astype(np.float32)
    found, _ = VectorSet([mapped], np.array([], dtype=int)).ranking(query).top(20)
    assert expected[found].tolist() == sorted(expected.tolist(), reverse=True)[:20]


def test_mask_leaves_rows_out_without_changing_scores(tmp_path):
    vectors, query = unit(500, 32, 8), unit(1, 32, 9)[0]
    write_vectors(tmp_path / "v", [vectors], 500, 32)
    ranked = VectorSet([VectorFile.open(tmp_path / "v")], np.array([], dtype=int))
    everything = dict(zip(*map(np.ndarray.tolist, ranked.ranking(query).top(500)), strict=True))
    mask = np.arange(500) % 7 == 0
    rows, scores = ranked.ranking(query, mask).top(500)
    assert set(rows.tolist()) == set(np.flatnonzero(mask).tolist())
    assert [everything[row] for row in rows.tolist()] == scores.tolist()


def test_int8_uses_the_whole_range():
    stored = quantise(np.array([[0.5, -1.0, 0.25]], dtype=np.float32), "int8")
    assert stored.tolist() == [[64, -127, 32]]


def test_blocks_that_do_not_add_up_are_refused_and_leave_no_file(tmp_path):
    for blocks in ([unit(4, 8, 1)], [unit(6, 8, 1)], [unit(5, 9, 1)], [np.full((5, 8), np.nan)]):
        with pytest.raises(ValueError, match=r"rows|finite"):
            write_vectors(tmp_path / "v", blocks, 5, 8)
        assert not (tmp_path / "v").exists()


@pytest.mark.parametrize("content", [b"", b"12345678", b"\xff" * 40])
def test_damaged_files_say_so(tmp_path, content):
    (tmp_path / "v").write_bytes(content)
    with pytest.raises(LibraryError, match="cannot be read"):
        VectorFile.open(tmp_path / "v")


def test_a_file_cut_off_says_so(tmp_path):
    write_vectors(tmp_path / "v", [unit(50, 8, 1)], 50, 8)
    (tmp_path / "v").write_bytes((tmp_path / "v").read_bytes()[:-10])
    with pytest.raises(LibraryError, match="cut off"):
        VectorFile.open(tmp_path / "v")


def test_no_rows(tmp_path):
    write_vectors(tmp_path / "v", [], 0, 8)
    rows, scores = (
        VectorSet([VectorFile.open(tmp_path / "v")], np.array([], dtype=int))
        .ranking(unit(1, 8, 1)[0])
        .top(10)
    )
    assert len(rows) == len(scores) == 0
