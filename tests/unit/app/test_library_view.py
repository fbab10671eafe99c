"""The map as the page has it: points, molecules, places."""

from __future__ import annotations

import numpy as np
import pytest
from molclip.app import map_card
from molclip.app.library_view import LibraryView, Placed
from molclip.app.service import Service

from molclip.errors import InputError
from molclip.search.library_map import LibraryMap, Place


@pytest.fixture(scope="module")
def view() -> LibraryView:
    """A small map of the embedded library, of rows every 500."""
    service = Service.open()
    made = LibraryView(service)
    rows = np.arange(0, len(service.library), 500)
    rng = np.random.default_rng(0)
    made.__dict__["map"] = LibraryMap(
        rows=rows,
        points=rng.uniform(-1, 1, (len(rows), 2)).astype(np.float32),
        groups=np.arange(len(rows)) % 3,
        names=("steroid", "lipid", "other"),
        metadata={},
    )
    return made


def test_every_point_stands_in_one_group(view: LibraryView) -> None:
    groups = view.groups()
    assert groups[0]["name"] == "other"
    points = sorted(point for group in groups for point in group["points"])
    assert points == list(range(len(view.map)))
    for group in groups:
        held = view.map.points[group["points"]]
        assert np.allclose(np.array([group["x"], group["y"]]).T, held, atol=1e-4)


def test_a_point_is_a_row(view: LibraryView) -> None:
    record = view.record(4)
    index = view.service.library._index
    assert record["smiles"] == index.rows.value(2000, "smiles")
    assert record["group"] == "lipid"
    for point in (-1, len(view.map), "3", None, [1]):
        with pytest.raises(InputError):
            view.record(point)


def test_words_lie_among_the_molecules_they_fit(view: LibraryView) -> None:
    found = view.place("steroid  hormone")
    model = view.service.library.model
    smiles = [view.record(point)["smiles"] for point in range(len(view.map))]
    scores = model.similarity("steroid hormone", smiles)[0]
    assert found.place.nearest.tolist()[0] == int(np.argmax(scores))
    assert np.allclose(found.scores, np.sort(scores)[::-1][: len(found.scores)], atol=2e-3)
    assert found.label == "steroid hormone"
    assert found.said == "Read as words."
    mean = found.place.weights @ view.map.points[found.place.nearest]
    assert (found.place.x, found.place.y) == pytest.approx(tuple(mean), abs=1e-6)


def test_a_structure_of_the_map_lies_nearest_to_itself(view: LibraryView) -> None:
    smiles = view.record(7)["smiles"]
    found = view.place(str(smiles))
    assert found.place.nearest[0] == 7
    assert found.scores[0] == pytest.approx(1, abs=2e-3)


def test_a_name_stands_for_its_molecule(view: LibraryView) -> None:
    found = view.place("caffeine")
    assert "name of a molecule" in found.said
    same = view.place("CN1C=NC2=C1C(=O)N(C(=O)N2C)C")
    assert found.place.nearest.tolist() == same.place.nearest.tolist()


def test_nothing_asked(view: LibraryView) -> None:
    with pytest.raises(InputError):
        view.place(" ")


def test_scattered_neighbours_are_said(view: LibraryView) -> None:
    for spread, told in ((0.6, True), (0.01, False)):
        place = Place(0.0, 0.0, np.array([1, 2]), np.array([0.5, 0.5]), spread)
        found = Placed("<b>x", "Read as words.", place, np.array([0.4, 0.3], dtype=np.float32))
        shown = map_card.placed(view, found)
        assert ("stands for no region" in shown) == told
        assert "<b>" not in shown
        assert shown.count("<svg") == 2
        assert "weight 50 %" in shown
