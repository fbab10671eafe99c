"""Systematic names altered in one place: near relatives whose names differ where they differ.

A text encoder that has only seen each name with one molecule learns names by heart. Names of its
close relatives, each with its own structure, make it read locants, chain lengths and
configurations. What comes out here need not be the name of anything: a name-to-structure program
decides (see `training.nomenclature`).
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence

# fmt: off
_STEMS = (
    "meth", "eth", "prop", "but", "pent", "hex", "hept", "oct", "non", "dec", "undec", "dodec",
    "tridec", "tetradec", "pentadec", "hexadec", "heptadec", "octadec", "nonadec", "icos",
    "henicos", "docos", "tricos", "tetracos", "pentacos", "hexacos", "heptacos", "octacos",
    "nonacos", "triacont", "dotriacont",
)
_SUBSTITUENTS = (
    "methyl", "ethyl", "propyl", "propan-2-yl", "butyl", "tert-butyl", "phenyl", "benzyl",
    "cyclohexyl", "hydroxy", "methoxy", "ethoxy", "acetyloxy", "chloro", "bromo", "fluoro", "iodo",
    "nitro", "amino", "dimethylamino", "methylamino", "acetamido", "cyano", "sulfanyl",
    "methylsulfanyl", "sulfo", "oxo", "formyl", "acetyl", "carboxy", "hydroxymethyl",
    "trifluoromethyl", "phosphonooxy", "sulfooxy", "benzoyl", "carbamoyl", "vinyl",
)
_RESIDUES = (
    "alanyl", "valyl", "leucyl", "isoleucyl", "prolyl", "phenylalanyl", "tyrosyl", "tryptophyl",
    "seryl", "threonyl", "cysteinyl", "methionyl", "asparaginyl", "glutaminyl", "lysyl", "arginyl",
    "histidyl", "alpha-aspartyl", "alpha-glutamyl", "gamma-glutamyl",
)
_AMINO_ACIDS = (
    "alanine", "valine", "leucine", "isoleucine", "proline", "phenylalanine", "tyrosine",
    "tryptophan", "serine", "threonine", "cysteine", "methionine", "asparagine", "glutamine",
    "lysine", "arginine", "histidine", "aspartic acid", "glutamic acid",
)
_ACYLS = (
    "lauroyl", "myristoyl", "palmitoyl", "stearoyl", "oleoyl", "linoleoyl", "arachidonoyl",
    "acetyl", "propanoyl", "butanoyl", "hexanoyl", "octanoyl", "decanoyl", "benzoyl",
)
_SUGARS = (
    "glucopyranos", "galactopyranos", "mannopyranos", "xylopyranos", "arabinopyranos",
    "ribofuranos", "arabinofuranos", "fructofuranos",
)
_ENDINGS = (
    "oic acid", "oate", "amide", "al", "ol", "e", "onitrile", "oyl chloride", "edioic acid",
    "-1-ol", "-2-ol", "-2-one", "-3-one", "-1-amine", "-1,2-diol", "oyl-CoA",
)
_PARENTS = (
    "benzene", "pyridine", "naphthalene", "quinoline", "indole", "furan", "thiophene", "pyrimidine",
    "piperidine", "morpholine", "cyclohexane", "cyclopentane", "imidazole", "pyrazole", "pyrrole",
)
_STEROIDS = ("androstan", "pregnan", "cholan", "cholestan", "estran", "androst-4-en", "pregn-5-en")
_FLAVONOIDS = ("flavone", "flavanone", "isoflavone", "flavan", "chalcone", "xanthone", "coumarin")
# fmt: on

_ANY_STEM = re.compile(
    "(" + "|".join(sorted(_STEMS, key=len, reverse=True)) + ")"
    r"(?=an[eoa(-]|an$|yl|oyl|oic|oate|en[eoy-]|a-?\d|-\d|ox[yo]|yn|adien|atrien)"
)
# A number between the signs that set locants off; charges as in "(2-)" have their sign behind.
_LOCANT = re.compile(r"(?<![\d+\w])\d{1,2}(?=['abHEZRS]?[,'\-)\]])(?!-\))")
_ALKANE_ENDING = re.compile(
    r"(?<=an)(oic acid|oate|amide|al|ol|e|onitrile|edioic acid|-\d+-ol|-\d+-one|-\d+-amine|oyl-CoA)$"
)
_SWAPS = (
    ("alpha", "beta"),
    ("D-", "L-"),
    ("cis-", "trans-"),
    ("ortho-", "para-"),
    ("yl ester", "yl ether"),
)


def _any_of(words: Sequence[str], before: str = r"(?<![a-z])") -> re.Pattern[str]:
    return re.compile(before + "(" + "|".join(sorted(words, key=len, reverse=True)) + ")")


_GROUPS: tuple[tuple[re.Pattern[str], Sequence[str]], ...] = (
    (_any_of(_SUBSTITUENTS, r"(?<=[-\]\d}(])"), _SUBSTITUENTS),
    (_any_of(_RESIDUES), _RESIDUES),
    (_any_of(_AMINO_ACIDS), _AMINO_ACIDS),
    (_any_of(_ACYLS), _ACYLS),
    (_any_of(_SUGARS, ""), _SUGARS),
    (_any_of(_PARENTS, ""), _PARENTS),
    (_any_of(_STEROIDS, ""), _STEROIDS),
    (_any_of(_FLAVONOIDS, ""), _FLAVONOIDS),
)


def _one_of(found: list[re.Match[str]], rng: random.Random) -> re.Match[str] | None:
    return rng.choice(found) if found else None


def _replaced(name: str, match: re.Match[str], word: str) -> str:
    return f"{name[: match.start()]}{word}{name[match.end() :]}"


def _stem(name: str, rng: random.Random) -> str | None:
    match = _one_of(list(_ANY_STEM.finditer(name)), rng)
    if match is None:
        return None
    place = _STEMS.index(match[1])
    # Lengths next to each other are the hardest to tell apart.
    step = rng.choice((-4, -3, -2, -2, -1, -1, 1, 1, 2, 2, 3, 4))
    return _replaced(name, match, _STEMS[min(max(place + step, 0), len(_STEMS) - 1)])


def _locant(name: str, rng: random.Random) -> str | None:
    match = _one_of(list(_LOCANT.finditer(name)), rng)
    if match is None:
        return None
    number = int(match[0]) + rng.choice((-3, -2, -1, -1, 1, 1, 2, 3))
    return _replaced(name, match, str(number)) if number > 0 else None


def _group(name: str, rng: random.Random) -> str | None:
    found = [(match, words) for pattern, words in _GROUPS for match in pattern.finditer(name)]
    if not found:
        return None
    match, words = rng.choice(found)
    return _replaced(name, match, rng.choice(words))


def _configuration(name: str, rng: random.Random) -> str | None:
    """Turn one stereodescriptor of a bracket, or an alpha into a beta."""
    found: list[tuple[int, int, str]] = []
    for bracket in re.finditer(r"\((?:\d+[a-z]?'*[RSEZ],?)+\)|\([RSEZ]\)", name):
        for letter in re.finditer("[RSEZ]", bracket[0]):
            at = bracket.start() + letter.start()
            found.append((at, at + 1, {"R": "S", "S": "R", "E": "Z", "Z": "E"}[letter[0]]))
    for one, other in _SWAPS:
        for old, new in ((one, other), (other, one)):
            found += [(m.start(), m.end(), new) for m in re.finditer(re.escape(old), name)]
    if not found:
        return None
    start, end, word = rng.choice(found)
    return f"{name[:start]}{word}{name[end:]}"


def _ending(name: str, rng: random.Random) -> str | None:
    match = _ALKANE_ENDING.search(name)
    return _replaced(name, match, rng.choice(_ENDINGS)) if match else None


def _one_more(name: str, rng: random.Random) -> str | None:
    if not re.match(r"[\da-z]", name):
        return None
    first = f"{rng.randint(1, 8)}-{rng.choice(_SUBSTITUENTS)}"
    return f"{first}-{name}" if name[0].isdigit() else f"{first}{name}"


def _one_less(name: str, rng: random.Random) -> str | None:
    words = "|".join(_SUBSTITUENTS)
    match = _one_of(list(re.finditer(rf"(?:^|(?<=-))\d+'*-(?:{words})-?(?=[\da-z(])", name)), rng)
    return _replaced(name, match, "") if match else None


_MUTATIONS: tuple[tuple[float, Callable[[str, random.Random], str | None]], ...] = (
    (0.24, _stem),
    (0.22, _locant),
    (0.22, _group),
    (0.14, _configuration),
    (0.08, _ending),
    (0.06, _one_more),
    (0.04, _one_less),
)


def mutate(name: str, rng: random.Random, changes: int = 1) -> str | None:
    """A name that differs from `name` in up to `changes` places.

    Parameters
    ----------
    name
        A systematic or semi-systematic name.
    rng
        The same state gives the same name.
    changes
        Alterations to try.

    Returns
    -------
    The altered name, or None where nothing in it can be altered.
    """
    shares, makers = zip(*_MUTATIONS, strict=True)
    altered = name
    for _ in range(changes):
        for _ in range(4):
            made = rng.choices(makers, shares)[0](altered, rng)
            if made is not None and made != altered:
                altered = made
                break
    return altered if altered != name else None
