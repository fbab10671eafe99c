"""Everyday words for computed properties: small, lipophilic, two rings, eighteen carbons."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping

ADJECTIVES = frozenset(
    ("small", "large", "lipophilic", "hydrophilic", "polar", "cationic", "anionic", "acyclic")
)
"""Phrases that stand before a noun; the others follow `with`."""

COUNTED = {
    "C": "carbon",
    "N": "nitrogen",
    "O": "oxygen",
    "S": "sulfur",
    "P": "phosphorus",
    "F": "fluorine",
    "Cl": "chlorine",
    "Br": "bromine",
    "I": "iodine",
}
"""Elements whose atoms `composition_phrases` counts, under their words."""

_NUMBERS = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
    "twenty", "twenty-one", "twenty-two", "twenty-three", "twenty-four",
)  # fmt: skip
_ATOMS = re.compile(r"(\d+) (\w+) atoms?")


def property_phrases(properties: Mapping[str, float | str]) -> list[str]:
    """Everyday phrases for computed properties (`chem.descriptors.PROPERTY_COLUMNS`)."""
    phrases: list[str] = []
    weight, logp = properties.get("mol_weight"), properties.get("logp")
    charge, rings = properties.get("formal_charge"), properties.get("rings")
    if properties.get("formula"):
        phrases.append(f"formula {properties['formula']}")
    if isinstance(weight, float | int):
        phrases.append(f"molecular weight {weight:.0f}")
        if weight < 200:
            phrases.append("small")
        if weight > 700:
            phrases.append("large")
    if isinstance(logp, float | int):
        if logp > 4:
            phrases.append("lipophilic")
        if logp < -1:
            phrases.append(str("polar" if round(logp * 100) % 2 else "hydrophilic"))
    if isinstance(charge, float | int):
        if charge > 0:
            phrases += ["cationic", f"charge +{charge:.0f}"]
        if charge < 0:
            phrases += ["anionic", f"charge {charge:.0f}"]
    if isinstance(rings, float | int):
        words = ("no rings", "one ring", "two rings", "three rings", "four rings", "five rings")
        if rings == 0:
            phrases.append("acyclic")
        if rings < len(words):
            phrases.append(words[int(rings)])
    return phrases


def composition_phrases(properties: Mapping[str, float | str]) -> list[str]:
    """How many atoms of each element of `COUNTED` there are, in one fixed form: `18 carbon atoms`.

    Parameters
    ----------
    properties
        Counts under the words of the elements; others are left out.
    """
    phrases: list[str] = []
    for word in COUNTED.values():
        count = int(properties.get(word, 0))
        if count:
            phrases.append(f"{count} {word} atom{'s' if count > 1 else ''}")
    return phrases


def worded(phrase: str, rng: random.Random) -> str:
    """A phrase as people may write it: counts of atoms in words or figures, `atoms` left out."""
    found = _ATOMS.fullmatch(phrase)
    if found is None:
        return phrase
    count, element = int(found[1]), found[2]
    number = found[1]
    if count < len(_NUMBERS) and rng.random() < 0.5:
        number = _NUMBERS[count]
    if rng.random() < 0.5 and element != "phosphorus":
        return f"{number} {element}{'s' if count > 1 else ''}"
    return f"{number} {element} atom{'s' if count > 1 else ''}"
