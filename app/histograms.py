"""How the values of a library's number columns are spread, counted once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from molclip.search.library import Library

LABELS: dict[str, tuple[str, str]] = {
    # Column, what it is called, unit.
    "mol_weight": ("Molecular weight", "g/mol"),
    "logp": ("logP", ""),
    "tpsa": ("Polar surface", "Å²"),
    "hbd": ("H-bond donors", ""),
    "hba": ("H-bond acceptors", ""),
    "rings": ("Rings", ""),
    "rotatable_bonds": ("Rotatable bonds", ""),
    "heavy_atoms": ("Heavy atoms", ""),
    "formal_charge": ("Charge", ""),
}
COLUMNS = 12
"""Columns shown at most: molclip's own, then the user's."""
BARS = 36
_TAIL = 1.0
"""Percent of the values on either side that the outermost bar takes in."""


@dataclass(frozen=True)
class Histogram:
    """Counts of a column over equal steps; the outermost hold everything beyond them as well."""

    column: str
    label: str
    unit: str
    whole: bool
    """Whether the values are whole numbers."""
    low: float
    high: float
    middles: tuple[float, ...]
    """Of the bars."""
    counts: tuple[int, ...]
    quartiles: tuple[float, float, float]


def histograms(library: Library) -> list[Histogram]:
    """One for each column of numbers that tells molecules apart."""
    kinds = library.columns
    names = [name for name in LABELS if name in kinds]
    names += [name for name in kinds if name not in LABELS and kinds[name] in ("double", "int64")]
    found = []
    for name in names:
        values = _values(library, name)
        if len(values) and values.min() < values.max():
            found.append(_counted(name, values, kinds[name] == "int64"))
    return found[:COLUMNS]


def _values(library: Library, column: str) -> npt.NDArray[np.float64]:
    """Known values of the rows that can be found, `(N,)`."""
    index = library._index
    parts = []
    for table in index.rows.tables:
        if column in table.column_names:
            part = table.column(column).to_numpy(zero_copy_only=False)
            parts.append(part.astype(np.float64))
        else:
            parts.append(np.full(table.num_rows, np.nan))
    values = np.concatenate(parts)[index.alive]
    return np.asarray(values[np.isfinite(values)])


def _counted(column: str, values: npt.NDArray[np.float64], whole: bool) -> Histogram:
    label, unit = LABELS.get(column, (column, ""))
    first, second, third = (float(value) for value in np.percentile(values, [25, 50, 75]))
    low, high = (float(value) for value in np.percentile(values, [_TAIL, 100 - _TAIL]))
    if whole and high - low < BARS:
        low, high = math.floor(low), max(math.ceil(high), math.floor(low) + 1)
        bars, edge, step = int(high - low) + 1, low - 0.5, 1.0
    else:
        step = _round_step(max(high - low, 1e-9) / BARS)
        start, end = math.floor(low / step), math.ceil(high / step)
        bars, edge = max(end - start, 1), start * step
        # Multiplying by a step such as 0.2 leaves digits that nobody wants to read.
        low, high = round(edge, 9), round((start + bars) * step, 9)
    place = np.clip(np.floor((values - edge) / step).astype(np.int64), 0, bars - 1)
    counts = tuple(int(count) for count in np.bincount(place, minlength=bars))
    middles = tuple(round(edge + (bar + 0.5) * step, 9) for bar in range(bars))
    return Histogram(column, label, unit, whole, low, high, middles, counts, (first, second, third))


def _round_step(step: float) -> float:
    """The next of 1, 2, 5, 10 … that is no smaller."""
    power: float = 10.0 ** math.floor(math.log10(step))
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= step * (1 - 1e-9))
