"""Everyday words for computed properties: small, lipophilic, two rings, charge −1."""

from __future__ import annotations

from collections.abc import Mapping

ADJECTIVES = frozenset(
    ("small", "large", "lipophilic", "hydrophilic", "polar", "cationic", "anionic", "acyclic")
)
"""Phrases that stand before a noun; the others follow `with`."""


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
