"""Sets of labels to choose from: short ones written for this page, long ones from public sources."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from molclip.errors import InputError
from molclip.evaluation.zero_shot.prompts import TEMPLATES
from molclip.text.prompts import DEFAULT_TEMPLATES

FILE = "label_sets.tsv"
"""In `molclip.data`, made by `data/build_label_sets.py`."""

_SHORT = {
    "medicines": (
        "Medicines",
        (
            "opioid analgesic; anti-inflammatory drug; antibiotic; antifungal drug; antiviral drug; "
            "antineoplastic drug; antihypertensive drug; anticonvulsant; antidepressant; "
            "antihistamine; local anaesthetic"
        ),
    ),
    "natural-products": (
        "Natural product classes",
        (
            "alkaloid; flavonoid; terpenoid; steroid; polyketide; peptide; carbohydrate; fatty acid; "
            "phenylpropanoid; nucleoside"
        ),
    ),
    "everyday-uses": (
        "Everyday uses",
        (
            "insecticide; herbicide; fungicide; sweetener; flavouring agent; fragrance; dye; solvent; "
            "food preservative; surfactant"
        ),
    ),
    "effects": (
        "Effects in the body",
        (
            "neurotransmitter; hormone; vitamin; enzyme inhibitor; receptor agonist; "
            "receptor antagonist; toxin; carcinogenic agent; stimulant; sedative"
        ),
    ),
}
_LONG = {
    "chebi-roles": ("ChEBI roles", "ChEBI, CC BY 4.0: roles of 30 curated molecules or more"),
    "npclassifier-pathway": ("NPClassifier pathways", "NPClassifier, MIT"),
    "npclassifier-superclass": ("NPClassifier superclasses", "NPClassifier, MIT"),
    "npclassifier-class": ("NPClassifier classes", "NPClassifier, MIT"),
    "uses": ("Functional uses", "ChemFuncT, CC0"),
    "odours": ("Odours", "GoodScents and Leffingwell as curated by OpenPOM, MIT"),
}


@dataclass(frozen=True)
class LabelSet:
    """Labels under one name."""

    key: str
    title: str
    labels: tuple[str, ...]
    templates: tuple[str, ...]
    """Sentences around each label, `{}` and `{a}` stand for it."""
    source: str


@cache
def label_sets() -> dict[str, LabelSet]:
    """Every set by its key, short ones first."""
    sets = {
        key: LabelSet(
            key, title, tuple(words.split("; ")), DEFAULT_TEMPLATES, "written for molclip"
        )
        for key, (title, words) in _SHORT.items()
    }
    labels: dict[str, list[str]] = {}
    kinds: dict[str, str] = {}
    lines = (files("molclip.data") / FILE).read_text(encoding="utf-8").splitlines()
    for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
        labels.setdefault(row["set"], []).append(row["label"])
        kinds[row["set"]] = row["kind"]
    for key, (title, source) in _LONG.items():
        sets[key] = LabelSet(key, title, tuple(labels[key]), TEMPLATES[kinds[key]], source)
    return sets


def label_set(key: str) -> LabelSet:
    """The set of this key.

    Raises
    ------
    InputError
        When there is none.
    """
    found = label_sets().get(key)
    if found is None:
        raise InputError(
            f"There is no set of labels {key!r}.", f"Use one of {', '.join(label_sets())}."
        )
    return found


def choices() -> list[tuple[str, str]]:
    """What a menu shows, and the key behind it."""
    return [(f"{s.title} ({len(s.labels)})", s.key) for s in label_sets().values()]
