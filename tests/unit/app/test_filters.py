"""Bounds as one string, and how they are shown."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from molclip.app.filters import markup, read_bounds, said
from molclip.app.histograms import Histogram

from molclip.errors import InputError


def _histogram(column: str, *, whole: bool = False, label: str = "", unit: str = "") -> Histogram:
    return Histogram(
        column, label or column, unit, whole, 0, 4, (0.5, 1.5, 2.5, 3.5), (4, 0, 2, 1), (0.5, 1, 3)
    )


SHOWN = [
    _histogram("mol_weight", label="Molecular weight", unit="g/mol"),
    _histogram("rings", whole=True, label="Rings"),
    _histogram("my: column"),
]


def test_either_end_may_be_open() -> None:
    assert read_bounds("mol_weight:100..250.5;rings:2..", SHOWN) == {
        "mol_weight": (100.0, 250.5),
        "rings": (2, None),
    }
    assert read_bounds(" ; my: column:..-1e-3 ;", SHOWN) == {"my: column": (None, -0.001)}
    assert read_bounds("", SHOWN) == {}


def test_bounds_of_whole_numbers_keep_the_same_molecules() -> None:
    # 1.5 or more rings are 2 or more, 3.9 or fewer are 3 or fewer.
    assert read_bounds("rings:1.5..3.9", SHOWN) == {"rings": (2, 3)}
    assert read_bounds("rings:-0.5..", SHOWN) == {"rings": (0, None)}


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        ("mass:1..2", "The filter 'mass:1..2' cannot be used."),
        ("rings", "The filter 'rings' cannot be used."),
        ("rings:3", "The filter 'rings:3' cannot be used."),
        ("rings:a..2", "'a' is no number."),
        ("rings:nan..2", "'nan' is no number."),
        ("rings:1..inf", "'inf' is no number."),
        ("mol_weight > 1 OR 1=1", "cannot be used"),
        ("rings:1..2;" * 200, "characters; this page takes 1,000"),
    ],
)
def test_what_is_no_filter(value: str, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        read_bounds(value, SHOWN)
    assert sentence in caught.value.message


def test_bounds_in_words() -> None:
    bounds = read_bounds("rings:2..;mol_weight:100..250;my: column:..", SHOWN)
    assert said(bounds, SHOWN) == ["Rings from 2", "Molecular weight from 100 to 250 g/mol"]


class _Inputs(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[dict[str, str | None]] = []
        self.bars: list[float] = []
        self.names: set[str] = set()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        if tag == "input":
            self.found.append(dict(attrs))
        if tag == "rect":
            self.bars.append(float(dict(attrs)["height"] or 0))


def test_every_input_says_what_it_is() -> None:
    page = _Inputs(markup(SHOWN[:1]))
    assert [field["aria-label"] for field in page.found] == [
        "Molecular weight from", "Molecular weight to",
        "Molecular weight from, g/mol", "Molecular weight to, g/mol",
    ]  # fmt: skip
    assert [field["type"] for field in page.found] == ["range", "range", "number", "number"]


def test_the_highest_bar_fills_the_height_and_empty_ones_are_left_out() -> None:
    assert _Inputs(markup(SHOWN[:1])).bars == [40.0, 20.0, 10.0]


def test_a_column_of_a_hostile_name_stays_text() -> None:
    page = _Inputs(markup([_histogram("<img src=x onerror=alert(1)>${x}")]))
    assert "img" not in page.names
