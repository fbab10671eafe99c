"""Many molecules against many labels as one coloured table."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from molclip.chem.molecule import ParseFailure, shorten
from molclip.models.zero_shot import NONE_OF_THESE

from .answers import called
from .markup import text

if TYPE_CHECKING:
    from molclip.models.zero_shot import ZeroShotResult

SHOWN_ROWS = 100
SHOWN_LABELS = 30

# Colours are mixed no stronger than this, so that the numbers on them stay readable.
_STRONGEST = 55


def heat_map(result: ZeroShotResult) -> str:
    """Percentiles of all molecules, one row each; the labels that are answers come first.

    The colour tells what the number does, so nothing is lost without it; what reaches the threshold
    is set in bold as well.
    """
    assert result.percentiles is not None
    labels = _order(result)[:SHOWN_LABELS]
    head = "".join(
        f'<th scope="col"><span title="{text(result.labels[at])}">'
        f"{text(shorten(result.labels[at], 40))}</span></th>"
        for at in labels
    )
    rows = "".join(_row(result, number, labels) for number in range(min(len(result), SHOWN_ROWS)))
    left = []
    if len(result) > SHOWN_ROWS:
        left.append(f"the first {SHOWN_ROWS} of {len(result):,} rows")
    if len(result.labels) > len(labels):
        left.append(f"the {len(labels)} of {len(result.labels)} labels that fit best")
    rest = f" Shown: {', '.join(left)}; the download holds all." if left else ""
    return (
        '<div class="mc-scroll mc-heat-scroll" tabindex="0" role="region" '
        'aria-label="Percentiles of all labels">'
        f'<table class="mc-heat"><thead><tr><th scope="col">Molecule</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="mc-facts">Percentile of each label for each molecule; bold where it reaches '
        f"{100 * result.threshold:g}.{rest}</p>"
    )


def _order(result: ZeroShotResult) -> list[int]:
    """Labels by how many molecules they are the answer for, then in the molecules' order."""
    given = [answer for answer in result.answers if answer and answer != NONE_OF_THESE]
    answers = Counter(given)
    # From the last to the first, so that the first row of each stays.
    first = {answer: row for row, answer in reversed(list(enumerate(given)))}
    assert result.percentiles is not None
    known = result.percentiles[~np.isnan(result.percentiles[:, 0])]
    means = known.mean(axis=0) if len(known) else np.zeros(len(result.labels))

    def key(at: int) -> tuple[float, ...]:
        label = result.labels[at]
        return -answers[label], first.get(label, 0), -means[at], at

    return sorted(range(len(result.labels)), key=key)


def _row(result: ZeroShotResult, number: int, labels: list[int]) -> str:
    item = result.molecules[number]
    name = called(item) or f"<code>{text(shorten(item.input, 30))}</code>"
    head = f'<th scope="row"><span class="mc-row">{item.row}</span> {name}</th>'
    if isinstance(item, ParseFailure):
        said = f"<strong>Not read.</strong> {text(item.reason)}"
        return f'<tr class="mc-bad">{head}<td colspan="{len(labels)}">{said}</td></tr>'
    assert result.percentiles is not None
    cells = "".join(_cell(float(result.percentiles[number, at]), result.threshold) for at in labels)
    return f"<tr>{head}{cells}</tr>"


def _cell(percentile: float, threshold: float) -> str:
    # Half of the background is below 50, where nothing fits; all the colour is for what is above.
    strength = _STRONGEST * max(0.0, 2 * percentile - 1) ** 2
    shown = f"{100 * percentile:.0f}" if percentile < 0.995 else f"{100 * percentile:.1f}"
    bold = ' class="mc-hot"' if percentile >= threshold else ""
    return f'<td{bold} style="--heat: {strength:.0f}%">{shown}</td>'
