"""The held-out molecules and texts that levels were not set by, and what is right for each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from molclip.evaluation.calibration.pool import Pool
from molclip.evaluation.calibration.questions import (
    LIKE_THOSE_OF_SETTING,
    drawn_terms,
    held_out_questions,
    sets_levels,
)

DESCRIPTIONS, CLASSES, ROLES = "descriptions", "class names", "role names"
NO_ANSWER = "no answer"
HARD_NO_ANSWER = "no answer, chemistry"


@dataclass(frozen=True)
class Asked:
    """Questions of one kind."""

    kind: str
    texts: Sequence[str]
    right: Sequence[frozenset[int]]
    """Rows of the pool that answer each; empty for a question without answer."""


@dataclass(frozen=True)
class HeldOut:
    """Descriptions of molecules that the model was not trained on, and questions made of them."""

    texts: Sequence[str]
    rows: Sequence[int]
    """Row of the pool that each text describes."""
    terms: Sequence[tuple[str, int]]
    """A class or role that ChEBI states for a molecule, drawn for each: its id, and the row."""
    used_for_setting: int
    """Texts left out because levels were set by them."""
    not_in_pool: int
    seen: int
    """Texts left out because the model was trained on their molecule."""
    in_sample: bool
    """No text was left out for setting: too few of them."""

    @classmethod
    def of(cls, pairs: Sequence[tuple[str, str]], pool: Pool, seen: Any, seed: int = 0) -> HeldOut:
        """Choose from `(text, SMILES)`.

        Parameters
        ----------
        pairs
            Held-out texts with their molecules.
        pool
            What they are looked up in.
        seen
            `SeenMolecules` of the model; None where it has no list.
        seed
            Of the terms that are drawn.
        """
        from rdkit import Chem

        from molclip.chem.rdkit_log import capture

        third = sum(sets_levels(text) for text, _ in pairs)
        in_sample = third < 300
        chosen = [pair for pair in pairs if in_sample or not sets_levels(pair[0])]
        texts: list[str] = []
        rows: list[int] = []
        lost = trained = 0
        for text, smiles in chosen:
            with capture():
                mol = Chem.MolFromSmiles(smiles)
                row = None if mol is None else pool.row_of(Chem.MolToSmiles(mol))
            if row is None:
                lost += 1
            elif seen is not None and pool.rows.inchikeys[row] in seen:
                trained += 1
            else:
                texts.append(text)
                rows.append(row)
        drawn = drawn_terms([pool.rows.smiles[row] for row in rows], seed)
        terms = [(term, row) for term, smiles in drawn if (row := pool.row_of(smiles)) is not None]
        left = len(pairs) - len(chosen)
        return cls(texts, rows, terms, left, lost, trained, in_sample)

    def asked(self, pool: Pool) -> list[Asked]:
        """Return questions of every kind, each question once."""
        found = [Asked(DESCRIPTIONS, self.texts, [frozenset({row}) for row in self.rows])]
        for kind, name in (("class", CLASSES), ("role", ROLES)):
            terms = [
                term
                for term in dict.fromkeys(term for term, _ in self.terms)
                if pool.ontology.kind(term) == kind
            ]
            right = [pool.rows.members.get(term, frozenset()) for term in terms]
            found.append(Asked(name, [pool.ontology.name(term) for term in terms], right))
        without = held_out_questions()
        like = [text for kind in LIKE_THOSE_OF_SETTING for text in without[kind]]
        hard = [
            t for kind, texts in without.items() if kind not in LIKE_THOSE_OF_SETTING for t in texts
        ]
        found.append(Asked(NO_ANSWER, like, [frozenset()] * len(like)))
        found.append(Asked(HARD_NO_ANSWER, hard, [frozenset()] * len(hard)))
        return found
