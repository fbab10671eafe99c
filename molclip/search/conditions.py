"""Bounds on computed properties that a question states in words: "MW below 300", "at most two rings".

A vector says roughly that a molecule is small; it knows no bound. RDKit's numbers do, and every
library has them as columns, so such a phrase is taken out of the question and filters the rows.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from molclip.text.negation import LONGEST

_NAMES = {
    "mol_weight": r"mol(?:ecular|ar|\.)?[\s-]*(?:weight|wt\.?|mass)|weight|mass|mw",
    "logp": r"(?:calculated\s+)?c?log[\s-]*p",
    "tpsa": r"(?:topological\s+)?polar\s+surface\s+area|t?psa",
    "hbd": r"h(?:ydrogen)?[\s-]*bond(?:ing)?[\s-]*donors?|hbds?",
    "hba": r"h(?:ydrogen)?[\s-]*bond(?:ing)?[\s-]*acceptors?|hbas?",
    "rotatable_bonds": r"rotatable[\s-]*bonds?",
    "heavy_atoms": r"(?:heavy|non-?hydrogen)[\s-]*atoms?",
    "rings": r"rings?",
    "formal_charge": r"(?:formal\s+|net\s+)?charge",
}
"""How the columns are called."""
_COUNTS = ("hbd", "hba", "rotatable_bonds", "heavy_atoms", "rings")
"""Columns before whose names their numbers may stand."""
_COMPARED = (
    (r"(?:not|no)\s+(?:more|greater|larger|higher|heavier)\s+than|at\s+most|up\s+to|≤|<=", "<="),
    (r"(?:not|no)\s+(?:less|fewer|lower|smaller|lighter)\s+than|at\s+least|≥|>=", ">="),
    (r"below|under|(?:less|fewer|lower|smaller|lighter)\s+than|<", "<"),
    (r"above|over|(?:more|greater|larger|higher|heavier)\s+than|>", ">"),
    (r"exactly|equal\s+to|=", "="),
)
_OR = {"more": ">=", "fewer": "<=", "less": "<="}
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_COMPARATOR = rf"(?P<comparator>{'|'.join(words for words, _ in _COMPARED)})"
_FIGURE = rf"[+-]?\d+(?:,\d{{3}})*(?:\.\d+)?|{'|'.join(_WORDS)}"
_NUMBER = rf"(?P<number>{_FIGURE})"
_RANGE = rf"(?P<low>{_FIGURE})\s*(?:and|to|-|–)\s*(?P<high>{_FIGURE})"
_OR_MORE = rf"(?P<count>{_FIGURE})\s+or\s+(?P<or>{'|'.join(_OR)})"
_MASS_UNIT = r"(?P<unit>g\s*/\s*mol|daltons?|k?da|amu)"
_UNIT = rf"(?:\s*(?:{_MASS_UNIT}|å(?:2|²|\^2)?|a\^2)(?![\w]))?"
_IS = r"(?:\s+(?:of|is|value|values|between|from|in\s+the\s+range))*"


def _named(columns: tuple[str, ...]) -> str:
    return "|".join(f"(?P<{column}>{_NAMES[column]})" for column in columns)


_PATTERNS = tuple(
    re.compile(rf"(?<![\w-]){pattern}(?!\w|[.,]\d)", re.IGNORECASE)
    for pattern in (
        # "MW below 300 g/mol", "logP between 1 and 3"
        rf"(?:{_named(tuple(_NAMES))}){_IS}\s*(?:{_COMPARATOR}\s*{_NUMBER}|{_RANGE}){_UNIT}",
        # "fewer than three rings", "2 to 4 rotatable bonds", "two or more hydrogen bond donors"
        rf"(?:{_COMPARATOR}\s*{_NUMBER}|(?:between\s+)?{_RANGE}|{_OR_MORE})\s+(?:{_named(_COUNTS)})",
        # "lighter than 300 Da"
        rf"{_COMPARATOR}\s*{_NUMBER}\s*{_MASS_UNIT}",
    )
)
_NEGATION = re.compile(r"\b(?:not|no|without)\s+(?:(?:an?|the|of)\s+)*$", re.IGNORECASE)
# Words that joined a condition to the question and now join nothing.
_JOINING = r"(?:and|but|having|has|have|of|that|which|whose|with|an?|the)"
_DANGLING = re.compile(
    rf"(?:^|[\s,;]+)(?:(?:{_JOINING})[\s,;]+)*{_JOINING}(?=[\s,;]*(?:\x00|$))|^\s*and\s",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Condition:
    """One bound."""

    phrase: str
    """As it was written."""
    where: str
    """The same as SQL on the columns of a library."""


@dataclass(frozen=True)
class Conditions:
    """What a question bounds, and what else it asks."""

    found: tuple[Condition, ...]
    rest: str
    """The question without the bounds; whole where nothing else is asked."""


def read_conditions(text: str) -> Conditions:
    """Find the bounds on properties in a short question.

    Parameters
    ----------
    text
        More than `text.negation.LONGEST` words are a description, and stay whole.

    Examples
    --------
    >>> read_conditions("kinase inhibitor with MW below 300")
    Conditions(found=(Condition(phrase='MW below 300', where='mol_weight < 300'),), \
rest='kinase inhibitor')
    """
    if len(text.split()) > LONGEST:
        return Conditions((), text)
    found: list[Condition] = []
    rest = text.replace("−", "-")
    for pattern in _PATTERNS:
        at = 0
        while match := pattern.search(rest, at):
            at = match.end()
            if not _NEGATION.search(rest[: match.start()]):
                found.append(Condition(match.group().strip(), _where(match)))
                rest = f"{rest[: match.start()]}\x00{rest[match.end() :]}"
                at = match.start() + 1
    if not found:
        return Conditions((), text)
    while (shorter := _DANGLING.sub(" ", rest)) != rest:
        rest = shorter
    rest = " ".join(rest.replace("\x00", " ").split()).strip(" ,;.")
    return Conditions(tuple(found), rest if re.search(r"[^\W\d_]{3}", rest) else text)


def _where(match: re.Match[str]) -> str:
    said = {name: value for name, value in match.groupdict().items() if value is not None}
    column = next((name for name in said if name in _NAMES), "mol_weight")
    scale = 1000 if said.get("unit", "").lower() == "kda" else 1
    if "low" in said:
        low, high = sorted((_number(said["low"]), _number(said["high"])))
        return f"{column} >= {low * scale:.12g} AND {column} <= {high * scale:.12g}"
    if "or" in said:
        return f"{column} {_OR[said['or'].lower()]} {_number(said['count']):.12g}"
    sign = next(
        sign
        for words, sign in _COMPARED
        if re.fullmatch(words, said["comparator"], flags=re.IGNORECASE)
    )
    return f"{column} {sign} {_number(said['number']) * scale:.12g}"


def _number(figure: str) -> float:
    word = figure.lower()
    return float(_WORDS.index(word)) if word in _WORDS else float(figure.replace(",", ""))
