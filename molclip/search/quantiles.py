"""A measured distribution as its quantiles, and where a value lies in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

STEPS = np.linspace(0.0, 100.0, 201)
"""Percents at which a distribution is kept: 0, 0.5, … 100."""


def quantiles(values: npt.NDArray[Any], digits: int = 5) -> list[float]:
    """Quantiles at `STEPS` of values `(N,)`, rounded."""
    return [round(float(value), digits) for value in np.percentile(values, STEPS)]


def percentile(known: Sequence[float], value: float) -> float:
    """Percent of a distribution below a value, between its quantiles linear, 0 to 100.

    Parameters
    ----------
    known
        Quantiles at `STEPS`.
    value
        Of the same quantity.
    """
    values = np.asarray(known)
    if value < values[0]:
        return 0.0
    if value > values[-1]:
        return 100.0
    # Equal quantiles would make the inverse ambiguous; the lowest is the careful answer.
    distinct, first = np.unique(values, return_index=True)
    return float(np.interp(value, distinct, STEPS[first]))


def value_at(known: Sequence[float], percent: float) -> float:
    """The value below which so many percent of a distribution lie.

    Parameters
    ----------
    known
        Quantiles at `STEPS`.
    percent
        0 to 100.
    """
    return float(np.interp(percent, STEPS, np.asarray(known)))
