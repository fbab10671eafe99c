"""Plots of reports, as plotly's own JSON.

A plot is made without plotly, so that an evaluation runs without it; `molclip.evaluation.page`
draws them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

_GREY = "#5f6b7a"
_COLOURS = ("#2f6db5", "#c8611a", "#3a8f4e", "#8a5fb0", "#b0413e", "#5f6b7a")


@dataclass(frozen=True)
class Plot:
    """One plot of a report."""

    title: str
    data: Sequence[dict[str, Any]]
    """Traces, as plotly's JSON schema has them."""
    layout: dict[str, Any]
    height: int = 420
    """Pixels."""


def bars(
    title: str, names: Sequence[str], series: Mapping[str, Sequence[float]], x: str, y: str
) -> Plot:
    """Bars side by side.

    Parameters
    ----------
    title
        Of the plot.
    names
        One for each group of bars.
    series
        Name of a colour to its heights, as many as `names`.
    x, y
        Titles of the axes.
    """
    data = [
        {
            "type": "bar",
            "name": name,
            "x": list(names),
            "y": list(heights),
            "marker": {"color": _COLOURS[index % len(_COLOURS)]},
        }
        for index, (name, heights) in enumerate(series.items())
    ]
    layout = {
        "barmode": "group",
        "xaxis": {"title": {"text": x}, "type": "category"},
        "yaxis": {"title": {"text": y}},
    }
    return Plot(title, data, layout)


def dots(
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[tuple[float, float, float]]],
    x: str,
    reference: float | None = None,
) -> Plot:
    """Values with intervals, one line of the plot for each name, the first on top.

    Parameters
    ----------
    title
        Of the plot.
    names
        One for each line.
    series
        Name of a colour to (value, low, high) of each name.
    x
        Title of the axis.
    reference
        Value of a dashed upright line, such as the figure over all queries.
    """
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [value for value, _, _ in values],
            "y": list(names),
            "marker": {"color": _COLOURS[index % len(_COLOURS)], "size": 8},
            "error_x": {
                "type": "data",
                "symmetric": False,
                "array": [high - value for value, _, high in values],
                "arrayminus": [value - low for value, low, _ in values],
                "thickness": 1.2,
            },
        }
        for index, (name, values) in enumerate(series.items())
    ]
    layout: dict[str, Any] = {
        "xaxis": {"title": {"text": x}},
        "yaxis": {"autorange": "reversed", "type": "category", "automargin": True},
    }
    if reference is not None:
        line = {"color": _GREY, "dash": "dash", "width": 1}
        layout["shapes"] = [
            {
                "type": "line",
                "x0": reference,
                "x1": reference,
                "y0": 0,
                "y1": 1,
                "yref": "paper",
                "line": line,
            }
        ]
    return Plot(title, data, layout, height=140 + 26 * len(names) * max(1, len(series)))


def points(
    title: str,
    names: Sequence[str],
    series: Mapping[str, Sequence[tuple[str, float]]],
    x: str,
    limits: tuple[float, float],
) -> Plot:
    """Values without intervals, one line of the plot for each name, the first on top.

    Parameters
    ----------
    title
        Of the plot.
    names
        One for each line.
    series
        Name of a colour to the names it has a value for, each with its value.
    x
        Title of the axis.
    limits
        Ends of the axis.
    """
    data = [
        {
            "type": "scatter",
            "mode": "markers",
            "name": name,
            "x": [value for _, value in values],
            "y": [line for line, _ in values],
            "marker": {"color": _COLOURS[index % len(_COLOURS)], "size": 8},
        }
        for index, (name, values) in enumerate(series.items())
    ]
    lines = list(dict.fromkeys(names))
    layout = {
        "xaxis": {"title": {"text": x}, "range": list(limits)},
        "yaxis": {
            "autorange": "reversed",
            "type": "category",
            "automargin": True,
            # The order of the names, not that of the colours.
            "categoryorder": "array",
            "categoryarray": lines,
        },
    }
    return Plot(title, data, layout, height=140 + 22 * len(lines))


def curves(
    title: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x: str,
    y: str,
    *,
    logarithmic: bool = False,
) -> Plot:
    """Lines through points.

    Parameters
    ----------
    title
        Of the plot.
    series
        Name of a line to its x and y values.
    x, y
        Titles of the axes.
    logarithmic
        Put x on a logarithmic axis.
    """
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "name": name,
            "x": list(points[0]),
            "y": list(points[1]),
            "line": {"color": _COLOURS[index % len(_COLOURS)]},
        }
        for index, (name, points) in enumerate(series.items())
    ]
    layout = {
        "xaxis": {"title": {"text": x}, "type": "log" if logarithmic else "linear"},
        "yaxis": {"title": {"text": y}},
    }
    return Plot(title, data, layout)


def reliability(
    title: str,
    series: Mapping[str, tuple[Sequence[float], Sequence[float]]],
    x: str,
    y: str,
    *,
    lines: bool = True,
) -> Plot:
    """Observed shares over stated ones, with the dashed diagonal on which both agree.

    Parameters
    ----------
    title
        Of the plot.
    series
        Name of a colour to stated and observed shares, 0 to 1.
    x, y
        Titles of the axes.
    lines
        Join the points; else they are drawn alone.
    """
    data = [
        {
            "type": "scatter",
            "mode": "lines" if lines else "markers",
            "name": name,
            "x": list(points[0]),
            "y": list(points[1]),
            "line": {"color": _COLOURS[index % len(_COLOURS)]},
            "marker": {"color": _COLOURS[index % len(_COLOURS)], "size": 8},
        }
        for index, (name, points) in enumerate(series.items())
    ]
    axis = {"range": [-0.02, 1.02], "tickformat": ".0%"}
    layout = {
        "xaxis": {"title": {"text": x}, **axis},
        "yaxis": {"title": {"text": y}, **axis},
        "shapes": [
            {
                "type": "line",
                "x0": 0,
                "y0": 0,
                "x1": 1,
                "y1": 1,
                "line": {"color": _GREY, "dash": "dash", "width": 1},
            }
        ],
    }
    return Plot(title, data, layout, height=480)
