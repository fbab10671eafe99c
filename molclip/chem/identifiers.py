"""Formulas, InChIKeys and CAS numbers: what a text is by its form, whatever a library holds."""

import re
import unicodedata
from collections import Counter
from functools import cache

_SHAPE = re.compile(r"([A-Za-z0-9()\[\]]+)(?:\^(\d?))?([+-]*)(\d{0,2})")
"""What is counted, then a charge: `-`, `--`, `-2`, `^2-`."""
_PART = re.compile(r"([A-Z][a-z]?)(\d*)|([(\[])|([)\]])(\d*)")
# A count is never written where it is 1: H1N1 is no formula.
_COUNT = re.compile(r"[2-9]|[1-9]\d{1,3}")
_LONGEST = 80
_KEY = re.compile(r"(?:InChIKey=)?([A-Z]{14}-[A-Z]{10}-[A-Z])")
_BLOCK = re.compile(r"[A-Z]{14}")
_CAS = re.compile(r"(\d{2,7})-(\d{2})-(\d)")
_COMMON = frozenset("CHO")


@cache
def _symbols() -> frozenset[str]:
    from rdkit import Chem

    table = Chem.GetPeriodicTable()
    return frozenset(table.GetElementSymbol(number) for number in range(1, 119))


def formulas(text: str) -> list[str]:
    """Formulas a text may be, as RDKit writes them: in Hill order, with the charge behind.

    Parameters
    ----------
    text
        A formula in any order, with brackets, lowered counts or raised charges as they come.

    Returns
    -------
    Empty for what is no formula; two where a number before the charge may belong to either, the
    plain reading first.

    Examples
    --------
    >>> formulas("H2SO4"), formulas("CH3COOH"), formulas("NH₄⁺"), formulas("SO42-")
    (['H2O4S'], ['C2H4O2'], ['H4N+'], ['O42S-', 'O4S-2'])
    >>> formulas("HIV"), formulas("aspirin"), formulas("H1N1")
    (['HIV'], [], [])
    """
    return list(dict.fromkeys(_hill(atoms, charge) for atoms, charge in _readings(text)))


def unmistakable_formula(text: str) -> bool:
    """Whether a text can hardly be anything but a formula, even of a molecule nobody has.

    It holds carbon, hydrogen or oxygen beside another element, and two counts: CB2 and P2Y12 are
    receptors.

    Examples
    --------
    >>> unmistakable_formula("C8H10N4O2"), unmistakable_formula("CB2"), unmistakable_formula("P2Y12")
    (True, False, False)
    """
    return any(
        len(atoms) > 1 and _COMMON & set(atoms) and sum(n > 1 for n in atoms.values()) > 1
        for atoms, _ in _readings(text)
    )


def _readings(text: str) -> list[tuple[Counter[str], int]]:
    """Atoms and charge, for each way to read a text as a formula."""
    # Lowered and raised digits become plain ones, a typographic minus a hyphen.
    clean = unicodedata.normalize("NFKC", text.strip()).replace("\u2212", "-")
    shape = _SHAPE.fullmatch(clean) if len(clean) <= _LONGEST else None
    if shape is None or len(set(shape[3])) > 1:
        return []
    body, raised, signs, after = shape.groups()
    if not signs:
        ways = [] if raised is not None or after else [(body, 0)]
    elif raised or after:
        ways = [] if (raised and after) or len(signs) > 1 else [(body, int(raised or after))]
    else:
        ways = [(body, len(signs))]
        if len(signs) == 1 and body[-1] in "23456789":
            ways.append((body[:-1], int(body[-1])))
    unit = -1 if signs.startswith("-") else 1
    counted = [(_atoms(part), unit * charge) for part, charge in ways]
    return [(atoms, charge) for atoms, charge in counted if atoms is not None]


def _atoms(body: str) -> Counter[str] | None:
    """Atoms of a formula without charge; None where it is none."""
    levels: list[Counter[str]] = [Counter()]
    place = 0
    while place < len(body):
        part = _PART.match(body, place)
        if part is None:
            return None
        symbol, count, opened, _, times = part.groups()
        written = count or times
        if written and not _COUNT.fullmatch(written):
            return None
        number = int(written or 1)
        if symbol:
            if symbol not in _symbols():
                return None
            levels[-1][symbol] += number
        elif opened:
            levels.append(Counter())
        else:
            inner = levels.pop()
            if not levels or not inner:
                return None
            for element, atoms in inner.items():
                levels[-1][element] += number * atoms
        place = part.end()
    return levels[0] if len(levels) == 1 and levels[0] else None


def _hill(atoms: Counter[str], charge: int) -> str:
    """Carbon and hydrogen first, all else by the alphabet."""
    # Hill has hydrogen first beside carbon only, RDKit always: HCl, not ClH.
    order = [*(s for s in "CH" if s in atoms), *sorted(set(atoms) - {"C", "H"})]
    written = "".join(f"{symbol}{atoms[symbol] if atoms[symbol] > 1 else ''}" for symbol in order)
    sign = "+" if charge > 0 else "-" if charge < 0 else ""
    return f"{written}{sign}{abs(charge) if abs(charge) > 1 else ''}"


def inchikey(text: str) -> str | None:
    """The InChIKey that a text is, 27 characters; None for anything else."""
    found = _KEY.fullmatch(text.strip())
    return found[1] if found else None


def inchikey_block(text: str) -> str | None:
    """What may be the first block of an InChIKey, 14 capitals; so may a word be."""
    return text.strip() if _BLOCK.fullmatch(text.strip()) else None


def cas_number(text: str) -> str | None:
    """The CAS number that a text is; None where its check digit is not that of a CAS number.

    Examples
    --------
    >>> cas_number("50-78-2"), cas_number("50-78-3")
    ('50-78-2', None)
    """
    found = _CAS.fullmatch(text.strip())
    if found is None:
        return None
    digits = [int(digit) for digit in reversed(found[1] + found[2])]
    check = sum(place * digit for place, digit in enumerate(digits, start=1)) % 10
    return found[0] if check == int(found[3]) else None
