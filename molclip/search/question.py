"""What `Library.search` is asked, checked before anything is looked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np

from molclip.errors import InputError
from molclip.search.result import Mode

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule


@dataclass(frozen=True)
class Question:
    """The arguments of `Library.search`, checked.

    Raises
    ------
    InputError
        For options that are wrong or do not go together.
    """

    text: str | None
    smiles: str | Molecule | None
    k: int
    offset: int
    mode: Mode
    where: str | None
    smarts: str | None
    weight: float
    curated: bool | None
    recorded: bool

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise InputError(
                f"There is no search mode {self.mode!r}.", f"Use {', '.join(get_args(Mode))}."
            )
        for label, given in (("query", self.text), ("SMARTS", self.smarts)):
            if given is not None and not isinstance(given, str):
                raise InputError(
                    f"The {label} is {given!r}, a {type(given).__name__}.", "Give text."
                )
        if self.text is not None and not self.text.strip():
            raise InputError("The query is empty.", "Describe a molecule in words.")
        if self.text is not None and not _is_unicode(self.text):
            raise InputError("The query is not valid Unicode.", "Give it as UTF-8 text.")
        if self.text is None and self.smiles is None:
            raise InputError("Nothing is asked.", "Give a query in words, a structure, or both.")
        if self.mode != "vector" and self.text is None:
            raise InputError(f"Mode {self.mode!r} needs a query in words.", "Give one.")
        if self.mode != "vector" and self.smiles is not None:
            raise InputError(
                f"Mode {self.mode!r} compares names, not structures.",
                "Use mode 'vector' with a structure.",
            )
        if self.recorded and self.text is None:
            raise InputError(
                "Only what the source records is wanted, but nothing is asked in words.",
                "Name a class or role, or leave recorded out.",
            )
        if self.recorded and self.mode == "name":
            raise InputError(
                "Only what the source records is wanted, but mode 'name' compares names alone.",
                "Use mode 'vector', or leave recorded out.",
            )
        for label, value in (("k", self.k), ("offset", self.offset)):
            if isinstance(value, bool) or not hasattr(value, "__index__") or value < 0:
                raise InputError(f"{label} is {value!r}.", "Give a whole number from 0.")
        if not isinstance(self.weight, (int, float, np.number)) or not 0 <= self.weight <= 1:
            raise InputError(f"weight is {self.weight!r}.", "Give a number from 0 to 1.")


def _is_unicode(text: str) -> bool:
    """False for half of a surrogate pair, as broken bytes on a command line become."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)
