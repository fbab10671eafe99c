"""Line charts: round ticks, points at their places."""

from __future__ import annotations

import re

import pytest
from molclip.app.curves import HEIGHT, WIDTH, chart, ticks


@pytest.mark.parametrize(
    ("low", "high", "wanted"),
    [
        (0.0, 1.0, [0, 0.5, 1]),
        (0.0, 8.0, [0, 2, 4, 6, 8]),
        (0.13, 0.47, [0.1, 0.2, 0.3, 0.4, 0.5]),
        (1.9, 6.1, [0, 2, 4, 6, 8]),
        (-0.3, 0.1, [-0.3, -0.2, -0.1, 0, 0.1]),
        (0.041, 0.07, [0.04, 0.05, 0.06, 0.07]),
    ],
)
def test_ticks_are_round_and_reach_around(low: float, high: float, wanted: list[float]) -> None:
    assert ticks(low, high) == pytest.approx(wanted)


def test_whole_ticks() -> None:
    assert ticks(1, 3, whole=True) == [1, 2, 3]
    assert ticks(0.5, 1.5, whole=True) == [0, 1, 2]


def _places(drawn: str) -> list[tuple[float, float]]:
    return [
        (float(x), float(y)) for x, y in re.findall(r"<circle cx='([\d.]+)' cy='([\d.]+)'", drawn)
    ]


def test_points_lie_where_their_values_say() -> None:
    drawn = chart("Loss", {"loss": [(0, 0.0), (1, 1.0), (2, 0.5)]}, "epoch")
    first, second, third = _places(drawn)
    assert first[0] < second[0] < third[0] <= WIDTH
    assert second[0] - first[0] == pytest.approx(third[0] - second[0], abs=0.2)
    assert 0 < second[1] < third[1] < first[1] < HEIGHT  # upwards is less
    assert third[1] == pytest.approx((first[1] + second[1]) / 2, abs=0.2)
    assert "loss: 0.5 at 2" in drawn
    assert "at the end: loss 0.5" in drawn


def test_charts_share_an_axis() -> None:
    alone = _places(chart("x", {"x": [(3, 0.1), (6, 0.2)]}, "epoch"))
    shared = _places(chart("x", {"x": [(3, 0.1), (6, 0.2)]}, "epoch", (1, 7)))
    whole = _places(chart("x", {"x": [(1, 0.1), (3, 0.1), (6, 0.2), (7, 0.2)]}, "epoch"))
    assert [x for x, _ in shared] == [x for x, _ in whole][1:3]
    assert shared[0][0] > alone[0][0]


def test_one_point_and_equal_values() -> None:
    for line in ([(3, 0.2)], [(1, 5.0), (2, 5.0)], [(1, 0.0)]):
        places = _places(chart("x", {"x": line}, "epoch"))
        assert len(places) == len(line)
        assert all(0 < x < WIDTH and 0 < y < HEIGHT for x, y in places)


def test_names_are_text() -> None:
    drawn = chart("<b>", {"<i>": [(0, 1.0)], "y": [(0, 2.0)]}, "<u>")
    assert not re.search(r"<[biu]>", drawn)
