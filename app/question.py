"""What is asked of the library, and what comes back."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError
from molclip.search.result import recorded_remark

if TYPE_CHECKING:
    from molclip.search.result import SearchResult

    from .reading import Reading

Bound = tuple[float | None, float | None]
"""Lowest and highest value allowed; None is no bound."""

SORTED = 200
"""Best hits that another order than the best match puts in order."""
DEEPEST = 1_000
"""Hits that pages go down to; what follows is far from the question."""

WHOLE = ("int64", "int32")
NUMBERS = ("double", "float", *WHOLE)
"""Types of columns that bounds and orders can be of."""

_LEVEL = ("match_level", "percentile_true", "percentile_nonsense")
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


@dataclass(frozen=True)
class Question:
    """The search form."""

    words: str = ""
    structure: str = ""
    count: int = 12
    """Hits on a page."""
    smarts: str = ""
    curated: bool = True
    recorded: bool = False
    """Only molecules of which the source states what is asked."""
    weight: float = 0.5
    """Share of the words where words and a structure are given."""
    bounds: Mapping[str, Bound] = field(default_factory=dict)
    """By column of the library."""
    sort: str = ""
    """Column to order the best `SORTED` hits by, after a hyphen from high to low; empty: best match
    first."""
    page: int = 1

    @property
    def where(self) -> str | None:
        """The bounds as a condition of the library.

        Raises
        ------
        InputError
            When no molecule can lie between them.
        """
        return " AND ".join(_conditions(self.bounds)) or None


def _conditions(bounds: Mapping[str, Bound]) -> list[str]:
    parts = []
    for column, (low, high) in bounds.items():
        if low is not None and high is not None and low > high:
            raise InputError(
                f"No value of {column} is above {low:g} and below {high:g}.",
                "Give the lower bound first, or wider bounds.",
            )
        # Lance reads a column name in backticks as it stands.
        name = column if _PLAIN.fullmatch(column) else f"`{column.replace('`', '')}`"
        parts += [
            f"{name} {sign} {_literal(value)}"
            for sign, value in ((">=", low), ("<=", high))
            if value is not None
        ]
    return parts


def _literal(value: float) -> str:
    # Lance compares a column of whole numbers with whole numbers only.
    return repr(int(value) if float(value).is_integer() else float(value))


@dataclass(frozen=True)
class Answer:
    """Hits, and how the question was read."""

    reading: Reading
    result: SearchResult
    near: tuple[str, ...] = ()
    """Names spelled like the words, where these mean nothing to the source."""
    more: bool = False
    """Whether there is a next page."""


def ordered(records: list[dict[str, Any]], sort: str) -> list[dict[str, Any]]:
    """Records by a column; those without a value come last, whichever way."""
    column, down = sort.removeprefix("-"), sort.startswith("-")
    known = [record for record in records if record.get(column) is not None]
    if any(isinstance(record[column], str) for record in known):
        known.sort(key=lambda record: str(record[column]).casefold(), reverse=down)
    else:
        known.sort(key=lambda record: float(record[column]), reverse=down)
    return known + [record for record in records if record.get(column) is None]


def shortened(
    result: SearchResult, records: list[dict[str, Any]], question: Question
) -> SearchResult:
    """The result with the hits of one page alone, and the remark on these instead of all."""
    query = result.query
    before = recorded_remark(query, result.records)
    shown = replace(query, k=question.count, offset=question.count * (question.page - 1))
    after = recorded_remark(shown, records)
    said = [note for note in query.notes if note != before]
    return replace(
        result, query=replace(query, notes=[*said, *filter(None, [after])]), records=records
    )


def named_exactly(record: Mapping[str, Any]) -> bool:
    """Whether a hit has the very name that was asked for."""
    return str(record.get("matched_by") or "").startswith("exact")


def without_level(result: SearchResult) -> SearchResult:
    """The result with no match level where a hit has the name asked for.

    The level says how well the model thinks the words fit. Whoever gives a name has found its
    molecule, whatever the model thinks of the letters.
    """
    records = [
        record | {key: None for key in _LEVEL if key in record} if named_exactly(record) else record
        for record in result.records
    ]
    query = result.query
    if records and query.offset == 0 and named_exactly(records[0]):
        query = replace(query, match_level=None)
    return replace(result, query=query, records=records)
