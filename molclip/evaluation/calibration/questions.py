"""Questions whose right answer is known, and questions that have none.

One third of the held-out texts sets levels and thresholds; the others measure them.
"""

from __future__ import annotations

import csv
import gzip
import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import Ontology
from molclip.search.embedded import data_folder

NO_ANSWER = "no_answer_queries.txt"
"""Questions without answer that set match levels."""
NO_ANSWER_HELD_OUT = "no_answer_held_out.txt"
"""Others, which measure them."""
LIKE_THOSE_OF_SETTING = (
    "other fields and everyday talk",
    "impossible, or not a molecule",
    "nonsense",
    "words of descriptions thrown together",
)
"""Kinds in the second file that the first holds, too."""

_LEAST = 300
"""A third of fewer texts is too few for a percentile: then all set, and none are left."""


def sets_levels(text: str) -> bool:
    """Whether a held-out text belongs to the third that sets levels; by its hash, so for good."""
    return hashlib.sha256(text.strip().encode()).digest()[0] % 3 == 0


def described(path: Path) -> list[tuple[str, str]]:
    """`(description, SMILES)` of a tab-separated table of real text, gzipped or not."""
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    rows = csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)
    return [(row["description"], row["smiles"]) for row in rows]


def setting_pairs(path: Path) -> tuple[list[tuple[str, str]], str]:
    """The pairs of a table that set levels, and what they are in words.

    A third of them (`sets_levels`), or all where that were fewer than 300.
    """
    pairs = described(path)
    third = [pair for pair in pairs if sets_levels(pair[0])]
    if len(third) < _LEAST:
        return pairs, f"all {len(pairs)} descriptions of {path.name}"
    return third, f"{len(third)} descriptions of {path.name}, the third that sets levels"


def drawn_terms(smiles: Sequence[str], seed: int = 0) -> list[tuple[str, str]]:
    """`(id of a class or role, canonical SMILES)`, one per molecule that the library knows.

    The term is drawn from those that ChEBI states for the molecule.
    """
    from rdkit import Chem

    from molclip.chem.rdkit_log import capture

    facts = load_facts()
    row_of = {text: row for row, text in enumerate(facts.column("smiles"))}
    random = np.random.default_rng(seed)
    found = []
    with capture():
        canonical = [Chem.MolToSmiles(Chem.MolFromSmiles(text)) for text in smiles]
    for text in canonical:
        if text in row_of:
            fact = facts[row_of[text]]
            terms = [*fact.classes, *fact.roles]
            if terms:
                found.append((terms[random.integers(len(terms))], text))
    return found


def short_questions(smiles: Sequence[str], seed: int = 0) -> list[tuple[str, str]]:
    """As `drawn_terms`, with the names of the terms in place of their ids."""
    ontology = Ontology.load()
    return [(ontology.name(term), text) for term, text in drawn_terms(smiles, seed)]


def no_answer_questions() -> list[str]:
    """The shipped questions without answer that set match levels."""
    return [text for texts in _by_kind(NO_ANSWER).values() for text in texts]


def held_out_questions() -> dict[str, list[str]]:
    """The shipped questions without answer that measure match levels, by kind."""
    return _by_kind(NO_ANSWER_HELD_OUT)


def _by_kind(name: str) -> dict[str, list[str]]:
    """Lines under the comment that names their kind."""
    kinds: dict[str, list[str]] = {}
    kind = ""
    for line in (data_folder() / name).read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            kind = line.removeprefix("#").strip()
        elif line.strip():
            kinds.setdefault(kind, []).append(line)
    return kinds
