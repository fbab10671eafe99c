"""Arguments and answers of the programming interface: plain JSON, checked and made."""

from __future__ import annotations

import math
from typing import Any

from molclip.errors import InputError

from .limits import check_length


def whole(value: Any, name: str, lowest: int, highest: int) -> int:
    """A whole number within bounds; JSON's 10.0 is one as well.

    Raises
    ------
    InputError
        For anything else.
    """
    number_ = number(value, name, lowest, highest)
    if number_ != int(number_):
        raise InputError(f"{name} is {value!r}.", f"Give a whole number, {lowest} to {highest}.")
    return int(number_)


def number(value: Any, name: str, lowest: float, highest: float) -> float:
    """A number within bounds.

    Raises
    ------
    InputError
        For anything else.
    """
    good = isinstance(value, int | float) and not isinstance(value, bool)
    if not good or not lowest <= value <= highest:
        raise InputError(
            f"{name} is {shown(value)}.", f"Give a number from {lowest:g} to {highest:g}."
        )
    return float(value)


def flag(value: Any, name: str) -> bool:
    """True or false.

    Raises
    ------
    InputError
        For anything else.
    """
    if not isinstance(value, bool):
        raise InputError(f"{name} is {shown(value)}.", "Give true or false.")
    return value


def string(value: Any, name: str, longest: int) -> str:
    """A text that is not too long; null counts as an empty one.

    Raises
    ------
    InputError
        For anything else.
    """
    if value is None:
        return ""
    if not isinstance(value, str):
        raise InputError(f"{name} is {shown(value)}.", "Give a string.")
    check_length(value, longest, name)
    return value


def strings(value: Any, name: str, most: int, longest: int) -> list[str]:
    """One to `most` texts.

    Raises
    ------
    InputError
        For anything else; a single string is no list.
    """
    if not isinstance(value, list | tuple):
        raise InputError(f"{name} is {shown(value)}.", "Give a list of strings.")
    if not value:
        raise InputError(f"{name} is empty.", "Give at least one.")
    if len(value) > most:
        raise InputError(
            f"{name} has {len(value):,} entries; one call takes {most}.", "Make several calls."
        )
    return [string(item, f"{name}, entry {n}", longest) for n, item in enumerate(value, start=1)]


def shown(value: Any) -> str:
    """A value in a sentence, cut short."""
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:39]}…"


def plain(value: Any) -> Any:
    """A value as JSON has it: no arrays of numpy, no tuples, null for what is no number."""
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if hasattr(value, "tolist"):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float):
        # Seven figures are all that a float32 has.
        return round(value, 7) if math.isfinite(value) else None
    return value
