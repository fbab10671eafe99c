"""Bounds on computed properties that a question states in words: "MW below 300", "at most two rings".

A vector says roughly that a molecule is small; it knows no bound. RDKit's numbers do, and every
library has them as columns, so such a phrase is taken out of the question and filters the rows.
Only what can mean nothing else is read. A phrase that is denied, one of alternatives, or in another
unit stays with the words, and that it was not read is said.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from molclip.text.negation import ALONE, IN_PLACE, LONGEST, PAIRS

LONGEST_TEXT = 500
"""Characters of the longest question that is read."""

_NAMES = {
    "mol_weight": r"mol(?:ecular|ar|\.)?[\s-]*(?:weights?|wt\.?|mass(?:es)?)|mw",
    "weight": r"weights?|mass",
    "logp": r"(?:calculated\s+)?[cx]?log[\s-]?p",
    "tpsa": r"(?:topological\s+)?polar\s+surface\s+area|tpsa",
    "hbd": r"h(?:ydrogen)?[\s-]*bond(?:ing)?[\s-]*donors?|hbds?",
    "hba": r"h(?:ydrogen)?[\s-]*bond(?:ing)?[\s-]*acceptors?|hbas?",
    "rotatable_bonds": r"rotatable[\s-]*bonds?",
    "heavy_atoms": r"(?:heavy|non-?hydrogen)[\s-]*atoms?",
    "rings": r"rings?",
    "formal_charge": r"(?:formal|net)\s+charge",
}
"""How the columns are called; `weight` is the molecular weight only where a unit says so."""
_COUNTS = ("hbd", "hba", "rotatable_bonds", "heavy_atoms", "rings")
"""Columns before whose names their numbers may stand."""
_WHOLE = (*_COUNTS, "formal_charge")
_AT_MOST = (
    r"not\s+(?:above|over|exceeding)|(?:less|lower|fewer)\s+than\s+or\s+equal\s+to|at\s+most|up\s+to|"
    r"(?:not|no)\s+(?:more|greater|larger|higher|heavier)\s+than|≤|⩽|<=|=<"
)
_AT_LEAST = (
    r"not\s+(?:below|under)|(?:more|greater|higher)\s+than\s+or\s+equal\s+to|at\s+least|"
    r"(?:not|no)\s+(?:less|fewer|lower|smaller|lighter)\s+than|≥|⩾|>=|=>"
)
_COMPARED = (
    (_AT_MOST, "<="),
    (_AT_LEAST, ">="),
    (r"below|under|(?:less|fewer|lower|smaller|lighter)\s+than|<", "<"),
    (r"above|over|exceeding|(?:more|greater|larger|higher|heavier)\s+than|>", ">"),
    (r"exactly|equal\s+to|=", "="),
)
_OR = {"more": ">=", "above": ">=", "higher": ">=", "greater": ">="} | dict.fromkeys(
    ("fewer", "less", "below", "lower"), "<="
)
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_COMPARATOR = "|".join(words for words, _ in _COMPARED)
_FIGURE = rf"[+-]?\d{{1,6}}(?:,\d{{3}})?(?:\.\d{{1,4}})?|{'|'.join(_WORDS)}"
# "DA" is more often dopamine.
_MASS = r"(?:g\s*/\s*mol|g\s*mol[-−]1|k?daltons?|kilodaltons?|(?-i:k?Da)|amu)(?!\w)"
_AREA = r"(?:å|a)(?:2|²|\^2)(?!\w)|(?:square\s+)?(?:å|angstroms?)(?!\w)"
_UNIT = rf"(?:\s*(?:{_MASS}|{_AREA}))?"
# What makes another number or another quantity of what was read so far.
_NO_MORE = (
    r"(?!\w|[.,]\d|\s*(?:[%‰°]|-?\s*\d|k\w*g\b|kg\b|mg\b|µg\b|ng\b|g\b|m?v\b|[nµm]?m\b|m?l\b|cm\b"
    r"|kilo|hundred|thousand|million|per\s?cent|hours?\b|days?\b|weeks?\b|months?\b|years?\b))"
)
# After "three rings" nothing may follow that makes other rings of them: "ring atoms", "ring-opened".
_ENDS = (
    r"(?![\w-])(?=\s*(?:$|[,;.?!)\]]|\x00|(?:and|as|against|but|for|from|in|of|or|that|to|used"
    r"|which|with|whose|under|over|below|above|at|less|more|fewer|no|not)\b))"
)
_IS = r"(?:\s+(?:of|is|are|values?|ranging|in\s+the\s+range|(?:between|from)(?=\s)))*"


def _one(label: str) -> str:
    """A bound with its number, before or after a name."""
    return (
        rf"(?:(?P<sign{label}>{_COMPARATOR})\s*(?P<number{label}>{_FIGURE})"
        rf"|(?P<count{label}>{_FIGURE})(?:\s*{_MASS})?\s+or\s+(?P<or{label}>{'|'.join(_OR)}))"
    )


def _named(columns: tuple[str, ...]) -> str:
    return "|".join(f"(?P<{column}>{_NAMES[column]})" for column in columns)


# The second number of "MW below 300 and at most two rings" is the rings'.
_NOT_OF_NEXT = rf"(?!\s+(?:{'|'.join(_NAMES[column] for column in _COUNTS)})\b)"
_TO = r"\s*(?:to|-|–)\s*"
_RANGE = rf"(?P<low>{_FIGURE}){_UNIT}{_TO}(?P<high>{_FIGURE})"
_BETWEEN = rf"between\s+(?P<least>{_FIGURE}){_UNIT}\s+and\s+(?P<most>{_FIGURE})"
_FROM = rf"(?P<above>{_FIGURE})\s*(?P<low_sign><=?|≤)"
_UNDER = rf"(?P<high_sign><=?|≤)\s*(?P<under>{_FIGURE})"
_TWO = (
    rf"{_one('')}(?P<unit>{_UNIT})(?:(?:\s+(?:and|but)\s+|\s*,\s*){_one('2')}(?P<unit2>{_UNIT}))?"
)
_PATTERNS = tuple(
    re.compile(rf"(?<![\w.-]){pattern}", re.IGNORECASE)
    for pattern in (
        # "2 < logP <= 4"
        rf"{_FROM}\s*(?:{_named(tuple(_NAMES))})\s*{_UNDER}(?P<last_unit>{_UNIT}){_NO_MORE}",
        # "fewer than three rings", "2 to 4 rotatable bonds", "two or more hydrogen bond donors"
        rf"(?:{_TWO}|{_BETWEEN}|(?:from\s+)?{_RANGE})\s+(?:{_named(_COUNTS)}){_ENDS}",
        # "MW between 200 and 300 g/mol"
        rf"(?:{_named(tuple(_NAMES))}){_IS}[\s:]*(?:{_BETWEEN}|{_RANGE})(?P<last_unit>{_UNIT}){_NO_MORE}",
        # "MW below 300 g/mol", "logP above 2 and below 4"
        rf"(?:{_named(tuple(_NAMES))}){_IS}[\s:]*{_TWO}{_NOT_OF_NEXT}{_NO_MORE}",
        # "lighter than 300 Da", "between 200 and 300 Da"
        rf"(?:{_one('')}|{_BETWEEN}|{_RANGE})(?P<last_unit>\s*{_MASS})",
    )
)
_FILLING = r"(?:an?|any|also|be|being|contain(?:ing|s)?|has|have|having|is|it|of|one|ones|that|the|those|which|whose|with)"
# "Non" begins names: "non-steroidal drug with MW below 300" denies nothing of the weight.
_DENYING = (
    *sorted((ALONE | IN_PLACE) - {"non"}),
    *(rf"{one}\s+{two}" for one, two in sorted(PAIRS)),
)
_DENIED = re.compile(
    rf"(?:\b(?:{'|'.join(_DENYING)}|cannot|never|none|lacks?)\b|n['’]t\b)[^,;]*$", re.IGNORECASE
)
_CHOICE_BEFORE = re.compile(rf"\b(?:either|or|and/or)\s+(?:{_FILLING}\s+)*$|/\s*$", re.IGNORECASE)
_CHOICE_AFTER = re.compile(r"\s*(?:,?\s*(?:or|and/or)\b|/)", re.IGNORECASE)
# Of another thing than the molecule.
_OF_OTHERS = re.compile(
    r"(?:body|birth|muscle|dry|surface|exact|monoisotopic|equivalent|by|to|mass|gains?|ring|fused)\s+$",
    re.IGNORECASE,
)
# "MW below 300 and at most two rings": the first number is the weight's.
_OF_ANOTHER = re.compile(rf"(?:{'|'.join(_NAMES.values())}){_IS}[\s:]*$", re.IGNORECASE)
_JOINING = re.compile(
    r"a|also|an|and|are|but|for|from|has|have|having|in|is|number|of|only|that|the|weighing|where|"
    r"which|whose|with"
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
    unread: tuple[str, ...] = ()
    """Phrases that look like bounds and stay words, because they are denied or one of alternatives."""


def read_conditions(text: str) -> Conditions:
    """Find the bounds on properties in a short question. All of them hold.

    Parameters
    ----------
    text
        More than `text.negation.LONGEST` words are a description, and stay whole.

    Examples
    --------
    >>> read_conditions("kinase inhibitor with MW below 300").found
    (Condition(phrase='MW below 300', where='mol_weight < 300'),)
    """
    if len(text) > LONGEST_TEXT or len(words := text.split()) > LONGEST:
        return Conditions((), text)
    found: list[Condition] = []
    unread: list[str] = []
    rest = " ".join(words).replace("−", "-")
    for pattern in _PATTERNS:
        at = 0
        while match := pattern.search(rest, at):
            at = match.end()
            where = _where(match)
            if where is None:
                # Another pattern may read it: "two rings below 300 Da" is no bound on rings.
                at = match.start() + 1
            elif _stands_alone(rest, match):
                found.append(Condition(match.group().strip(), where))
                rest = f"{rest[: match.start()]} \x00 {rest[match.end() :]}"
                at = match.start() + 3
            else:
                unread.append(match.group().strip())
                rest = f"{rest[: match.start()]}{match.group().replace(' ', chr(1))}{rest[at:]}"
    if not found:
        return Conditions((), text, tuple(unread))
    rest = _without_ends(rest.replace(chr(1), " "))
    return Conditions(
        tuple(found), rest if re.search(r"[^\W\d_]{3}", rest) else text, tuple(unread)
    )


def _stands_alone(text: str, match: re.Match[str]) -> bool:
    before, after = text[: match.start()], text[match.end() :]
    return not (
        _DENIED.search(before) or _CHOICE_BEFORE.search(before) or _CHOICE_AFTER.match(after)
    )


def _where(match: re.Match[str]) -> str | None:
    """The bound as SQL; None where the number, the unit and the name do not belong together."""
    said = {name: value for name, value in match.groupdict().items() if value is not None}
    column = next((name for name in said if name in _NAMES), "mol_weight")
    unit = "".join(said.get(name, "") for name in ("unit", "unit2", "last_unit")).strip()
    is_mass = re.fullmatch(rf"(?:{_MASS}\s*)+", unit, re.IGNORECASE) is not None
    if (column == "weight" and not is_mass) or (
        unit and column not in ("mol_weight" if is_mass else "tpsa", "weight")
    ):
        return None
    if column in _COUNTS and _OF_ANOTHER.search(match.string[: match.start()]):
        return None
    if column in ("weight", "rings") and _OF_OTHERS.search(match.string[: match.start()]):
        return None
    column = "mol_weight" if column == "weight" else column
    scale = 1000 if unit.lower().startswith("k") else 1
    bounds = []
    for sign, figure in _bounds(said):
        number = _number(figure) * scale
        if column in _WHOLE and number != int(number):
            return None
        if sign == "=" and column not in _WHOLE:
            half = 0.5 * 10.0 ** -len(figure.partition(".")[2]) * scale
            bounds += [f"{column} >= {number - half:.12g}", f"{column} <= {number + half:.12g}"]
        else:
            bounds.append(f"{column} {sign} {number:.12g}")
    return " AND ".join(bounds)


def _bounds(said: dict[str, str]) -> list[tuple[str, str]]:
    """Signs and figures of a match."""
    for low, high in (("low", "high"), ("least", "most")):
        if low in said:
            ends = sorted((said[low], said[high]), key=_number)
            return [(">=", ends[0]), ("<=", ends[1])]
    if "above" in said:
        signs = {"<": ">", "<=": ">=", "≤": ">="}
        upper = said["high_sign"].replace("≤", "<=")
        return [(signs[said["low_sign"]], said["above"]), (upper, said["under"])]
    found = []
    for label in ("", "2"):
        if f"number{label}" in said:
            written = said[f"sign{label}"]
            sign = next(s for words, s in _COMPARED if re.fullmatch(words, written, re.IGNORECASE))
            found.append((sign, said[f"number{label}"]))
        elif f"count{label}" in said:
            found.append((_OR[said[f"or{label}"].lower()], said[f"count{label}"]))
    return found


def _number(figure: str) -> float:
    word = figure.lower()
    return float(_WORDS.index(word)) if word in _WORDS else float(figure.replace(",", ""))


def _without_ends(text: str) -> str:
    """The text without the words that joined a condition to it and now join nothing."""
    text = re.sub(r"[(\[]\s*\x00\s*[)\]]", "\x00", text)
    parts = [part.strip(" ,;") for part in text.split("\x00")]
    kept = []
    for number, part in enumerate(parts):
        words = part.split()
        while (
            words and _JOINING.fullmatch(words[-1].strip(",;").lower()) and number < len(parts) - 1
        ):
            words.pop()
        while words and words[0].lower() in ("and", "but") and number:
            words.pop(0)
        if words:
            kept.append(" ".join(words).strip(" ,;"))
    return " ".join(kept).strip(" ,;.?")
