"""Filters on the numbers of a library: a histogram, two sliders and two fields for each column.

The bounds are one string, such as `mol_weight:100..300;rings:2..`, in a field that is not shown:
it is what a search reads and what an address holds. The visible part follows it and writes it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import gradio as gr

from molclip.errors import InputError

from .histograms import Histogram
from .limits import check_length
from .markup import text

if TYPE_CHECKING:
    from .question import Bound

LENGTH = 1_000
"""Characters of the bounds of all columns."""
STEPS = 200
"""Of a slider over a column that is not of whole numbers."""

_SCRIPT = (Path(__file__).parent / "static" / "filters.js").read_text(encoding="utf-8")


def read_bounds(value: str, shown: Sequence[Histogram]) -> dict[str, Bound]:
    """Bounds by column; those of whole numbers are whole numbers.

    Parameters
    ----------
    value
        `column:low..high` for each column, with semicolons between; either end may be left out.
    shown
        Of the columns that may be filtered by.

    Raises
    ------
    InputError
        For an unknown column or what is no number.
    """
    check_length(value, LENGTH, "The filter")
    whole = {histogram.column: histogram.whole for histogram in shown}
    bounds: dict[str, Bound] = {}
    for part in filter(None, (part.strip() for part in value.split(";"))):
        column, _, ends = part.rpartition(":")
        low, dots, high = ends.partition("..")
        if column not in whole or not dots:
            raise InputError(
                f"The filter {part[:60]!r} cannot be used.",
                f"Write column:low..high, with one of {', '.join(whole)}.",
            )
        least, most = _number(low), _number(high)
        if whole[column]:
            least = None if least is None else math.ceil(least)
            most = None if most is None else math.floor(most)
        bounds[column] = (least, most)
    return bounds


def _number(value: str) -> float | None:
    if not value.strip():
        return None
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{value.strip()[:40]!r} is no number.", "Give one, or leave it empty.")
    return number


def said(bounds: Mapping[str, Bound], shown: Sequence[Histogram]) -> list[str]:
    """Bounds in words, such as `Rings from 2`."""
    named = {histogram.column: histogram for histogram in shown}
    sentences = []
    for column, (low, high) in bounds.items():
        if low is None and high is None:
            continue
        histogram = named[column]
        ends = [
            f"from {low:g}" if low is not None else "",
            f"to {high:g}" if high is not None else "",
        ]
        sentences.append(" ".join(filter(None, [histogram.label, *ends, histogram.unit])))
    return sentences


def panel(name: str, shown: Sequence[Histogram]) -> tuple[gr.HTML, gr.Textbox]:
    """The visible part, whose `changed` event happens when the visitor moved a bound, and the field.

    Parameters
    ----------
    name
        Sets the panel apart from others on the page.
    shown
        Of the library's columns.
    """
    field = gr.Textbox("", visible=False, max_length=LENGTH, label="Filters")
    place = json.dumps(name)
    visible = gr.HTML(
        markup(shown),
        js_on_load=f"const NAME = {place};\n{_SCRIPT}",
        elem_classes="mc-filters",
        elem_id=f"{name}-filters",
    )
    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    # A link, or anything else that fills the field, shows in the panel.
    followed = (
        f"(value) => {{ (window.molclipFilters ??= {{}})[{place}] = value ?? ''; "
        f"document.querySelector('#{name}-filters')?.dispatchEvent(new Event('molclip:follow')); "
        "return []; }"
    )
    field.change(None, field, None, js=followed, **quiet)
    return visible, field


def changed(name: str) -> str:
    """JavaScript that gives what the visitor chose, for the panel's `changed` event."""
    return f"() => window.molclipFilters?.[{json.dumps(name)}] ?? ''"


def markup(shown: Sequence[Histogram]) -> str:
    """The panel as HTML."""
    fields = "".join(_field(histogram) for histogram in shown)
    return (
        f'<div class="mc-ranges">{fields}</div>'
        '<p class="mc-clear"><button type="button" class="mc-plain-button" data-clear disabled>'
        "Clear filters</button></p>"
    )


def _field(histogram: Histogram) -> str:
    unit = f' <span class="mc-unit">{text(histogram.unit)}</span>' if histogram.unit else ""
    step = 1 if histogram.whole else (histogram.high - histogram.low) / STEPS
    ends = f'min="{histogram.low:g}" max="{histogram.high:g}" step="{step:g}"'
    sides = (("low", "from", histogram.low), ("high", "to", histogram.high))
    sliders = "".join(
        f'<input type="range" data-end="{end}" {ends} value="{value:g}" '
        f'aria-label="{text(histogram.label)} {word}">'
        for end, word, value in sides
    )
    numbers = '<span aria-hidden="true">–</span>'.join(
        f'<input type="number" data-end="{end}" step="any" placeholder="any" inputmode="decimal" '
        f'aria-label="{text(histogram.label)} {word}{_in(histogram.unit)}">'
        for end, word, _ in sides
    )
    return (
        f'<fieldset class="mc-range" data-column="{text(histogram.column)}">'
        f"<legend>{text(histogram.label)}{unit}</legend>{_bars(histogram)}"
        f'<div class="mc-sliders"><i></i>{sliders}</div>'
        f'<div class="mc-numbers">{numbers}</div></fieldset>'
    )


def _in(unit: str) -> str:
    return f", {text(unit)}" if unit else ""


def _bars(histogram: Histogram) -> str:
    highest = max(histogram.counts)
    rects = "".join(
        f'<rect x="{bar}.06" width=".88" y="{40 - height:.2f}" height="{height:.2f}" '
        f'data-at="{middle:g}"/>'
        for bar, (count, middle) in enumerate(zip(histogram.counts, histogram.middles, strict=True))
        if (height := 40 * count / highest)
    )
    low, middle, high = (f"{value:.3g}" for value in histogram.quartiles)
    said = f"Half of the molecules lie between {low} and {high}, the middle one at {middle}."
    return (
        f'<svg class="mc-histogram" viewBox="0 0 {len(histogram.counts)} 40" '
        f'preserveAspectRatio="none" role="img" aria-label="{text(said)}">{rects}</svg>'
    )
