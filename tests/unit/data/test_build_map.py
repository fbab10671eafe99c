"""The script that lays the library out, on a small library."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from molclip.data.build_map import CLASSES, build, fitted, groups_of

from molclip.datasets.ontology import Ontology
from molclip.errors import InputError
from molclip.evaluation.representation_map import OTHER
from molclip.search.embedded import LIBRARY_FILE, VECTORS_FILE, file_hash
from molclip.search.library_map import MAP_FILE, LibraryMap
from molclip.search.vectors import write_vectors

CHOLESTEROL_CLASSES = ["CHEBI:15889"]  # sterol, a steroid and a lipid
ROWS = 120


@pytest.fixture
def folder(tmp_path):
    """Rows around three directions, every tenth not curated."""
    rng = np.random.default_rng(0)
    middles = np.eye(3, 8)
    vectors = middles[np.arange(ROWS) % 3] + 0.05 * rng.standard_normal((ROWS, 8))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    table = pa.table(
        {
            "smiles": [f"row {row}" for row in range(ROWS)],
            "curated": [row % 10 != 0 for row in range(ROWS)],
            "classes": [[CHOLESTEROL_CLASSES, [], ["CHEBI:18059"]][row % 3] for row in range(ROWS)],
        }
    )
    pq.write_table(table, tmp_path / LIBRARY_FILE)
    metadata = {
        "model_hash": "0123456789abcdef",
        "library_sha256": file_hash(tmp_path / LIBRARY_FILE),
    }
    write_vectors(tmp_path / VECTORS_FILE, [vectors], ROWS, 8, metadata=metadata)
    return tmp_path


def test_neighbours_stay_neighbours(folder):
    path = build(folder, sample=90)
    assert path == folder / MAP_FILE
    made = LibraryMap.load(path)
    assert len(made) == 90
    assert all(row % 10 for row in made.rows.tolist())
    assert (np.diff(made.rows) > 0).all()
    assert np.abs(made.points).max() == pytest.approx(1)
    assert made.metadata["model_hash"] == "0123456789abcdef"
    assert made.metadata["library_sha256"] == file_hash(folder / LIBRARY_FILE)
    # The nearest point of every point comes from the same direction.
    gaps = np.linalg.norm(made.points[:, None] - made.points[None], axis=2)
    np.fill_diagonal(gaps, np.inf)
    assert (made.rows % 3 == made.rows[gaps.argmin(axis=1)] % 3).all()
    for row, group in zip(made.rows.tolist(), made.groups.tolist(), strict=True):
        assert made.names[group] == ("steroid", OTHER, "lipid")[row % 3]


def test_the_same_again(folder):
    first = LibraryMap.load(build(folder, sample=60, seed=1))
    second = LibraryMap.load(build(folder, sample=60, seed=1))
    assert np.array_equal(first.rows, second.rows)
    assert np.array_equal(first.points, second.points)


def test_vectors_of_another_table_are_refused(folder):
    table = pq.read_table(folder / LIBRARY_FILE).slice(1)
    pq.write_table(table, folder / LIBRARY_FILE)
    with pytest.raises(InputError, match="made for another"):
        build(folder)
    assert not (folder / MAP_FILE).exists()


def test_the_narrow_class_comes_before_the_wide_one():
    ontology = Ontology.load()
    groups, names = groups_of([CHOLESTEROL_CLASSES, ["CHEBI:18059"], [], ["CHEBI:0"]], ontology)
    assert [names[group] for group in groups] == ["steroid", "lipid", OTHER, OTHER]
    assert len(names) == len(CLASSES) + 1
    assert not any(name.startswith("CHEBI") for name in names)


def test_points_are_scaled_by_one_factor():
    points = fitted(np.array([[0.0, 0.0], [4.0, 2.0], [2.0, 1.0]]))
    assert points.tolist() == [[-1, -0.5], [1, 0.5], [0, 0]]
