"""Small line charts as SVG: they need no script and take the page's colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from .markup import number, text

Points = Sequence[tuple[float, float]]

WIDTH, HEIGHT = 360, 210
_LEFT, _RIGHT, _TOP, _BOTTOM = 46, 12, 12, 34
_TICKS = 4


def chart(
    title: str,
    series: Mapping[str, Points],
    x: str,
    reach: tuple[float, float] | None = None,
) -> str:
    """Lines through points with axes; each point says its values on hover.

    Parameters
    ----------
    title
        Of the chart, with the unit.
    series
        Name of each line to its points, ascending in x.
    x
        Name of the horizontal axis.
    reach
        What that axis shows at least, so that several charts can be compared.
    """
    points = [point for line in series.values() for point in line]
    across = ticks(*_reach([*(reach or ()), *(px for px, _ in points)]), whole=True)
    up = ticks(*_reach([py for _, py in points]))

    def place(px: float, py: float) -> tuple[float, float]:
        return (
            _LEFT + (px - across[0]) / (across[-1] - across[0]) * (WIDTH - _LEFT - _RIGHT),
            HEIGHT - _BOTTOM - (py - up[0]) / (up[-1] - up[0]) * (HEIGHT - _TOP - _BOTTOM),
        )

    grid = "".join(
        f"<line x1='{_LEFT}' x2='{WIDTH - _RIGHT}' y1='{at:.1f}' y2='{at:.1f}' class='mc-grid'/>"
        f"<text x='{_LEFT - 6}' y='{at + 4:.1f}' text-anchor='end'>{_label(value, up)}</text>"
        for value in up
        for at in [place(across[0], value)[1]]
    )
    grid += "".join(
        f"<text x='{place(value, up[0])[0]:.1f}' y='{HEIGHT - _BOTTOM + 15}' "
        f"text-anchor='middle'>{_label(value, across)}</text>"
        for value in across
    )
    lines = "".join(
        _line(name, [place(*point) for point in line], line, order)
        for order, (name, line) in enumerate(series.items())
    )
    legend = "".join(
        f'<span class="mc-line-{order % 3}">{text(name)}</span>'
        for order, name in enumerate(series)
        if len(series) > 1
    )
    last = ", ".join(f"{name} {_value(line[-1][1])}" for name, line in series.items())
    return f"""<figure class="mc-chart"><figcaption><strong>{text(title)}</strong>{legend}</figcaption>
<svg viewBox='0 0 {WIDTH} {HEIGHT}' role='img' aria-label='{text(title)} by {text(x)}; at the end: {text(last)}'>
{grid}<text x='{(WIDTH + _LEFT) / 2:.0f}' y='{HEIGHT - 4}' text-anchor='middle'>{text(x)}</text>
{lines}</svg></figure>"""


def _line(name: str, places: Points, values: Points, order: int) -> str:
    path = " ".join(f"{px:.1f},{py:.1f}" for px, py in places)
    dots = "".join(
        f"<circle cx='{px:.1f}' cy='{py:.1f}' r='3'><title>{text(name)}: {_value(vy)} at "
        f"{vx:g}</title></circle>"
        for (px, py), (vx, vy) in zip(places, values, strict=True)
    )
    return f"<g class='mc-line-{order % 3}'><polyline points='{path}'/>{dots}</g>"


def ticks(low: float, high: float, *, whole: bool = False) -> list[float]:
    """Round numbers around a range: steps of 1, 2 or 5 times a power of ten.

    Parameters
    ----------
    low, high
        Ends of the range, not equal.
    whole
        Only whole numbers.
    """
    rough = (high - low) / _TICKS
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * (1 - 1e-9))
    if whole:
        step = max(1.0, step)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [place * step for place in range(first, max(last, first + 1) + 1)]


def _reach(values: Sequence[float]) -> tuple[float, float]:
    low, high = min(values), max(values)
    if low == high:
        spare = abs(low) / 10 or 1.0
        return low - spare, high + spare
    return low, high


def _label(value: float, among: Sequence[float]) -> str:
    step = among[1] - among[0]
    return number(value, max(0, -math.floor(math.log10(step) + 1e-9)))


def _value(value: float) -> str:
    return f"{value:.4g}".replace("-", "\u2212")
