"""What the page can do, without the page: one library, its model, and a background."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError
from molclip.search.names import name_key

from .limits import SMARTS_LENGTH, check_length
from .reading import Reading, read_question, read_structure

if TYPE_CHECKING:
    from collections.abc import Iterable

    from molclip.models.molclip import MolCLIP
    from molclip.models.zero_shot import ZeroShotResult
    from molclip.search.library import Library
    from molclip.search.result import SearchResult

BACKGROUND = 10_000
"""Molecules of the library that percentiles are measured against."""
_LONGEST_NAME = 300
_NAME_WORDS = 2


@dataclass(frozen=True)
class Question:
    """The search form."""

    words: str = ""
    structure: str = ""
    count: int = 12
    lightest: float | None = None
    """g/mol."""
    heaviest: float | None = None
    smarts: str = ""
    curated: bool = True
    weight: float = 0.5
    """Share of the words where words and a structure are given."""

    @property
    def where(self) -> str | None:
        """The bounds as a condition of the library.

        Raises
        ------
        InputError
            When no molecule can lie between them.
        """
        low, high = self.lightest, self.heaviest
        if low is not None and high is not None and low > high:
            raise InputError(
                f"No weight is above {low:g} and below {high:g} g/mol.",
                "Swap the two bounds of the molecular weight.",
            )
        bounds = ((">=", low), ("<=", high))
        parts = [
            f"mol_weight {sign} {float(value)!r}" for sign, value in bounds if value is not None
        ]
        return " AND ".join(parts) or None


@dataclass(frozen=True)
class Answer:
    """Hits, and how the question was read."""

    reading: Reading
    result: SearchResult
    near: tuple[str, ...] = ()
    """Names spelled like the words, where these mean nothing to the source."""


class Service:
    """Answers for the page.

    Parameters
    ----------
    library
        Where hits and names come from.
    """

    def __init__(self, library: Library) -> None:
        self.library = library
        self._warming = threading.Lock()

    @classmethod
    def open(
        cls, model: MolCLIP | str | None = None, library: Library | str | None = None
    ) -> Service:
        """Open a library (None: the embedded one) with a model (None: the library's own)."""
        if library is None or isinstance(library, str):
            from molclip.search.library import Library

            library = Library.open(library, model)
        return cls(library)

    @cached_property
    def background(self) -> npt.NDArray[np.float32]:
        """Vectors of a fixed sample of the library, unit rows `(N, D)`."""
        return self.library.vectors(BACKGROUND)

    def warm(self) -> None:
        """Load everything a first visitor would wait for."""
        with self._warming:
            self.search(Question("beta-lactam antibiotic", heaviest=1000.0, smarts="C(=O)N"))
            self.search(Question("caffeine"))
            self.search(Question(structure="CC(=O)Oc1ccccc1C(=O)O"))
            self.classify(["CCO"], ["solvent"])

    # Names -------------------------------------------------------------------------------------

    def knows(self, name: str) -> bool:
        """Whether a molecule of the library goes by exactly this name."""
        if len(name) > _LONGEST_NAME:
            return False
        # Library.search would also try prefixes and similar spellings, which takes far longer.
        index = self.library._index
        key = name_key(name)
        return bool(key) and any(part.hits("exact", key, index.alive, 1) for part in index.names)

    def structure_of(self, name: str) -> str:
        """SMILES of the molecule of this name.

        Raises
        ------
        InputError
            When there is none.
        """
        hits = self.library.search(name, mode="name", k=1)
        if not len(hits):
            raise InputError(f"The library has no molecule of the name {name!r}.")
        return str(hits[0]["smiles"])

    def similar_names(self, name: str) -> list[str]:
        """Up to three names of the library that are spelled much like this one."""
        if len(name) > _LONGEST_NAME or not name_key(name):
            return []
        hits = self.library.search(name, mode="name", k=3)
        return list(dict.fromkeys(str(hit["matched_name"]) for hit in hits))

    # Answers -----------------------------------------------------------------------------------

    def search(self, question: Question) -> Answer:
        """Find molecules.

        Raises
        ------
        InputError
            For input that cannot be used, with a sentence for the visitor.
        """
        reading = read_question(question.words, question.structure, self)
        smarts = question.smarts.strip()
        check_length(smarts, SMARTS_LENGTH, "The SMARTS")
        result = self.library.search(
            reading.text,
            smiles=reading.molecule,
            k=question.count,
            mode=reading.mode,
            where=question.where,
            smarts=smarts or None,
            weight=question.weight,
            curated=self._curated(question.curated),
        )
        lost = reading.mode == "vector" and not result.query.asked_terms
        # A word or two that are no name, class or role may be a name with a slip of the pen.
        if reading.text is None or not lost or len(reading.text.split()) > _NAME_WORDS:
            return Answer(reading, result)
        return Answer(reading, result, tuple(self.similar_names(reading.text)))

    def _curated(self, wanted: bool) -> bool | None:
        # None: curated rows, where the library has such a column, and whatever is named exactly.
        return None if wanted else False

    def read_molecule(self, text: str) -> tuple[Any, str]:
        """The molecule a visitor typed, by structure or name, and how it was read.

        Raises
        ------
        InputError
            When it is neither; with names that are spelled alike.
        """
        if not text.strip():
            raise InputError(
                "There is no molecule yet.", "Type a SMILES or a name, or give a file."
            )
        try:
            molecule, said = read_structure(text, self)
        except InputError as problem:
            near = self.similar_names(text.strip()) if "neither" in problem.message else []
            if near:
                raise InputError(problem.message, f"Did you mean {' or '.join(near)}?") from None
            raise
        return molecule, said.replace("Structure: read", "Read")

    def classify(
        self, molecules: Iterable[Any], labels: list[str], threshold: float = 0.95
    ) -> ZeroShotResult:
        """Rank labels for molecules against the library's background.

        Raises
        ------
        InputError
            For labels that cannot be used.
        """
        return self.library.model.zero_shot_classify(
            molecules, labels, background=self.background, threshold=threshold
        )


def read_weight(text: str) -> float | None:
    """A bound of the molecular weight in g/mol as it was typed; None where the field is empty.

    Raises
    ------
    InputError
        When it is no number.
    """
    clean = text.strip().removesuffix("g/mol").strip().replace(",", ".")
    if not clean:
        return None
    try:
        value = float(clean)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"{text.strip()[:40]!r} is no molecular weight.", "Give a number in g/mol, or nothing."
        )
    return value
