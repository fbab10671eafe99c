"""The report format: what is printed, and what the two files hold."""

import io
import json
import math
import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from printed_tables import folded_tables
from rich.console import Console

from molclip.evaluation.plots import bars, curves, dots, points, reliability
from molclip.evaluation.report import Report, Table

REPORT = Report(
    title="A [title]",
    header={"pool size": 33008, "correction": None, "command": "molclip evaluate [x]"},
    tables=[
        Table("Names", ["query", "pattern"], [["azole [1-3]", "a|b\\d"]], left=frozenset({0, 1})),
        Table("Figures", ["", "pool"], [["Hits@1", "0.250\n0.100–0.400"]]),
    ],
    results={"hits@1": 0.25},
    notes=["one note"],
)


def _printed(width: int) -> str:
    text = io.StringIO()
    REPORT.print(Console(file=text, width=width))
    return text.getvalue()


def test_printed_report_keeps_brackets_and_fits_in_80_columns():
    text = _printed(80)
    assert "A [title]" in text
    assert "molclip evaluate [x]" in text
    assert "azole [1-3]" in text
    assert "33,008" in text
    assert folded_tables(REPORT) == []


def test_a_cell_or_head_that_is_too_wide_is_noticed():
    # This is what the check of every report is worth: a table of 80 columns stands, one more does not.
    value = "x" * 35
    fits, folds = (
        Table("", ["a" * 40, "b"], [["", value + more], ["", "1"]]) for more in ("", "xxxx")
    )
    assert folded_tables(replace(REPORT, tables=[fits])) == []
    assert folded_tables(replace(REPORT, tables=[replace(folds, title="wide")])) == ["wide"]
    head = Table("head", ["a" * 77, "bbb"], [["", "1"]])
    assert folded_tables(replace(REPORT, tables=[head])) == ["head"]


def test_markdown_escapes_pipes_and_keeps_two_line_cells_in_one_row():
    text = REPORT.to_markdown()
    assert "| azole [1-3] | a\\|b\\\\d |" in text
    assert "| Hits@1 | 0.250<br>0.100–0.400 |" in text
    assert "- **correction**: none" in text


def test_files_hold_the_unrounded_results_and_the_same_markdown(tmp_path):
    paths = REPORT.write(tmp_path / "new" / "folder", "names")
    assert [path.name for path in paths] == ["names.json", "names.md", "names.html"]
    stored = json.loads(paths[0].read_text(encoding="utf-8"))
    assert stored["results"] == {"hits@1": 0.25}
    assert stored["header"]["pool size"] == 33008
    assert paths[1].read_text(encoding="utf-8") == REPORT.to_markdown()
    assert paths[2].read_text(encoding="utf-8") == REPORT.to_html()


class _Cells(HTMLParser):
    """Texts of the cells of every table, and ids of the elements."""

    def __init__(self, page):
        super().__init__()
        self.cells, self.ids, self.inside = [], [], False
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.inside = tag in ("td", "th")
        if self.inside:
            self.cells.append("")
        self.ids += [value for key, value in attrs if key == "id"]

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        if self.inside:
            self.cells[-1] += data


def test_page_has_every_cell_as_it_is():
    page = replace(
        REPORT, tables=[Table("Sums & <b>", ["", "n"], [["a < b & <i>", "1\n2"]])]
    ).to_html()
    assert _Cells(page).cells == ["", "n", "a < b & <i>", "1\n2"]
    assert "<h2>Sums &amp; &lt;b&gt;</h2>" in page
    assert "33,008" in page


def test_page_draws_plots_without_a_network():
    pytest.importorskip("plotly")
    plots = [
        bars("Ranks", ["1", "2–5"], {"model": [3, 1]}, "rank", "texts"),
        dots("Slices", ["charged"], {"MRR": [(0.5, 0.4, 0.7)]}, "MRR", reference=0.45),
        curves("Curve", {"loss": ([1, 2], [3.0, 2.5])}, "step", "loss"),
    ]
    page = replace(REPORT, plots=plots).to_html()
    assert {"plot-1", "plot-2", "plot-3"} <= set(_Cells(page).ids)
    # The script stands in the page once, and nothing is fetched for it.
    assert page.count("plotly.js v") == 1
    assert "cdn.plot.ly/plotly" not in page
    assert page == replace(REPORT, plots=plots).to_html()


def test_intervals_of_dots_are_distances_from_the_value():
    (trace,) = dots("Slices", ["charged"], {"MRR": [(0.5, 0.4, 0.75)]}, "MRR").data
    assert trace["error_x"]["array"] == [0.25]
    assert trace["error_x"]["arrayminus"] == pytest.approx([0.1])


def test_plots_are_drawn_as_plotly_s_own_figures_would_be():
    go = pytest.importorskip("plotly.graph_objects")
    plots = [
        bars("Bars", ["a", "b"], {"one": [0.1, 0.2], "two": [0.3, math.nan]}, "x", "y"),
        dots("Dots", ["a"], {"one": [(0.5, 0.4, 0.7)]}, "x", reference=0.3),
        curves("Curves", {"one": ([1, 2], [0.1, 0.2])}, "x", "y", logarithmic=True),
        points("Points", ["a", "b"], {"one": [("b", 2)], "two": [("a", 3)]}, "x", (0, 4)),
        reliability("Reliability", {"one": ([0.1, 0.9], [0.2, 0.8])}, "stated", "observed"),
    ]
    page = replace(REPORT, plots=plots).to_html()
    for number, plot in enumerate(plots, start=1):
        # Its own figures refuse a property that does not exist.
        figure = go.Figure(data=list(plot.data), layout=plot.layout)
        figure.update_layout(template="plotly_white", height=plot.height)
        data, layout = _drawn(page, number)
        expected = json.loads(figure.to_json())
        assert data == expected["data"]
        assert {
            **expected["layout"],
            "margin": layout["margin"],
            "legend": layout["legend"],
        } == layout
        go.Layout(layout)


def _drawn(page, number):
    """Data and layout of a plot of a page."""
    place = re.search(rf'Plotly\.newPlot\(\s*"plot-{number}",\s*', page).end()
    data, place = json.JSONDecoder().raw_decode(page, place)
    layout, _ = json.JSONDecoder().raw_decode(page, re.compile(r",\s*").match(page, place).end())
    return data, layout


def test_page_without_plotly_says_what_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.io", None)
    plots = [curves("Curve", {"loss": ([1, 2], [3.0, 2.5])}, "step", "loss")]
    assert "pip install plotly" in replace(REPORT, plots=plots).to_html()
