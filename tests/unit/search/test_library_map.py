"""The map of a library: its file, what it belongs to, and where a question lies."""

from types import SimpleNamespace

import numpy as np
import pytest

from molclip.errors import LibraryError
from molclip.search.library_map import MAP_FILE, LibraryMap

METADATA = {"model_hash": "m", "library_sha256": "l", "seed": "0"}


@pytest.fixture
def made():
    return LibraryMap(
        rows=np.array([2, 5, 9, 11]),
        points=np.array([[0, 0], [1, 0], [0, 1], [-1, -1]], dtype=np.float32),
        groups=np.array([0, 2, 1, 0]),
        names=("lipid", "steroid", "other"),
        metadata=METADATA,
    )


def _library(folder, embedded=True, **metadata):
    file = SimpleNamespace(path=folder / "library_vectors.safetensors", metadata=metadata)
    index = SimpleNamespace(vectors=SimpleNamespace(files=[file]))
    return SimpleNamespace(_index=index, embedded=embedded)


def test_what_is_written_is_read(made, tmp_path):
    made.save(tmp_path / MAP_FILE)
    read = LibraryMap.load(tmp_path / MAP_FILE)
    assert np.array_equal(read.rows, made.rows)
    assert np.array_equal(read.points, made.points)
    assert np.array_equal(read.groups, made.groups)
    assert read.names == made.names
    assert read.metadata == METADATA
    assert len(read) == 4
    assert [p.name for p in tmp_path.iterdir()] == [MAP_FILE]


def test_it_belongs_to_weights_and_library(made, tmp_path):
    made.save(tmp_path / MAP_FILE)
    read = LibraryMap.of(_library(tmp_path, model_hash="m", library_sha256="l"))
    assert len(read) == 4
    for other in ({"model_hash": "x", "library_sha256": "l"}, {"model_hash": "m"}):
        with pytest.raises(LibraryError, match="other weights or another library") as raised:
            LibraryMap.of(_library(tmp_path, **other))
        assert "molclip.data.build_map" in raised.value.hint


def test_what_is_absent_or_damaged_is_said(made, tmp_path):
    with pytest.raises(LibraryError, match="not there"):
        LibraryMap.of(_library(tmp_path, **METADATA))
    (tmp_path / MAP_FILE).write_bytes(b"PAR1 damaged PAR1")
    with pytest.raises(LibraryError, match="cannot be read"):
        LibraryMap.of(_library(tmp_path, **METADATA))
    with pytest.raises(LibraryError, match="no map of this library"):
        LibraryMap.of(_library(tmp_path, embedded=False, **METADATA))


def test_a_question_lies_among_its_best_answers(made):
    # Two points count, with weights e^0 and e^(-0.1/0.1): 1 and 1/e.
    place = made.place(np.array([0.5, 0.6, 0.1, 0.2], dtype=np.float32), 0.1, count=2)
    assert place.nearest.tolist() == [1, 0]
    share = 1 / (1 + np.exp(-1))
    assert place.weights == pytest.approx([share, 1 - share], abs=1e-6)
    assert (place.x, place.y) == (pytest.approx(share, abs=1e-6), pytest.approx(0))
    assert place.spread == pytest.approx(2 * share * (1 - share), abs=1e-6)


def test_equal_scores_go_by_order(made):
    place = made.place(np.zeros(4, dtype=np.float32), 0.1, count=3)
    assert place.nearest.tolist() == [0, 1, 2]
    assert (place.x, place.y) == (pytest.approx(1 / 3), pytest.approx(1 / 3))
    assert made.place(np.zeros(4, dtype=np.float32), 0.1, count=9).nearest.tolist() == [0, 1, 2, 3]
