"""What the tests of the commands share: a small table of molecules, and strict JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

LONG_NAME = (
    "(2R,3R,4S,5S,6R)-2-[(2S,3S,4S,5R)-3,4-dihydroxy-2,5-bis(hydroxymethyl)oxolan-2-yl]oxy-6-"
    "(hydroxymethyl)oxane-3,4,5-triol, also known as saccharose and as table sugar"
)
MOLECULES = [
    ("A1", "ethanol", "CCO", "46.07"),
    ("A2", "aspirin", "CC(=O)Oc1ccccc1C(=O)O", "180.16"),
    ("A3", "caffeine", "Cn1cnc2c1c(=O)n(C)c(=O)n2C", "194.19"),
    ("BAD", "imidazole without hydrogen", "c1cncn1", ""),
    ("A4", "=SUM(1)", "CCCC", "58.12"),
    (
        "A5",
        LONG_NAME,
        "OC[C@H]1O[C@H](O[C@]2(CO)O[C@H](CO)[C@@H](O)[C@@H]2O)[C@H](O)[C@@H](O)[C@@H]1O",
        "",
    ),
    ("A6", "nicotine", "CN1CCC[C@H]1c1cccnc1", ""),
    ("A7", "phencyclidine", "C1CCN(CC1)C1(CCCCC1)c1ccccc1", ""),
    ("A8", "PCP", "Oc1c(Cl)c(Cl)c(Cl)c(Cl)c1Cl", ""),
    ("A9", "benzene", "c1ccccc1", "78.11"),
    ("A10", "cyclohexane", "C1CCCCC1", "84.16"),
    ("A11", "ethanol again", "OCC", "46.07"),
]
ROWS = len(MOLECULES)
BAD_ROW = 4
"""1-based row of the one structure that cannot be used."""

Run = Callable[..., Any]


def strict_json(text: str) -> Any:
    """JSON as the standard has it: NaN and Infinity are errors."""

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    return json.loads(text, parse_constant=refuse)
