"""What the page can do, without the page: one library, its model, and a background."""

from __future__ import annotations

import threading
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.identifiers import cas_number
from molclip.errors import InputError
from molclip.search.names import name_key

from .limits import SMARTS_LENGTH, check_length
from .question import DEEPEST, NUMBERS, SORTED, Answer, Question, ordered, shortened, without_level
from .reading import Reading, read_question, read_structure
from .smarts import check_smarts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from molclip.models.molclip import MolCLIP
    from molclip.models.zero_shot import ZeroShotResult
    from molclip.search.library import Library
    from molclip.search.result import SearchResult

__all__ = ["BACKGROUND", "Answer", "Question", "Service"]

BACKGROUND = 10_000
"""Molecules of the library that percentiles are measured against."""
_LONGEST_NAME = 300
_NAME_WORDS = 2


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
            self.search(
                Question("beta-lactam antibiotic", smarts="C(=O)N", bounds={"rings": (1, None)})
            )
            self.search(Question("caffeine"))
            self.search(Question(structure="CC(=O)Oc1ccccc1C(=O)O"))
            self.classify(["CCO"], ["solvent"])

    # Names -------------------------------------------------------------------------------------

    def knows(self, name: str) -> bool:
        """Whether a molecule of the library goes by exactly this name."""
        return len(name) <= _LONGEST_NAME and self.library.has_name(name)

    def identifier(self, text: str) -> str | None:
        """What identifier a text is: "the formula H2O4S", "an InChIKey"; None where it is none."""
        return self.library.identifier(text) if len(text) <= _LONGEST_NAME else None

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
        return self.library.similar_names(name)

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
        if smarts:
            check_smarts(smarts, self.library)
        result, more = self._page(reading, question)
        lost = reading.mode == "vector" and not result.query.asked_terms
        lost = lost and cas_number(reading.text or "") is None
        # A word or two that are no name, class or role may be a name with a slip of the pen.
        if reading.text is None or not lost or len(reading.text.split()) > _NAME_WORDS:
            return Answer(reading, result, more=more)
        return Answer(reading, result, tuple(self.similar_names(reading.text)), more)

    def _page(self, reading: Reading, question: Question) -> tuple[SearchResult, bool]:
        """The hits of one page, and whether another follows."""
        column = question.sort.removeprefix("-")
        orders = ["name", *(name for name, kind in self.library.columns.items() if kind in NUMBERS)]
        if column and column not in orders:
            raise InputError(
                f"The library has no column {column!r} to sort by.",
                f"Choose one of {', '.join(orders)}.",
            )
        first = (question.page - 1) * question.count
        if question.page < 1 or first >= DEEPEST:
            raise InputError(
                f"There is no page {question.page}.", f"Pages go down to hit {DEEPEST:,}."
            )
        # One more than is shown tells whether there is a next page.
        result = self.library.search(
            reading.text,
            smiles=reading.molecule,
            k=SORTED if column else question.count + 1,
            offset=0 if column else first,
            mode=reading.mode,
            where=question.where,
            smarts=question.smarts.strip() or None,
            weight=question.weight,
            curated=self._curated(question.curated),
            recorded=question.recorded,
        )
        result = without_level(result)
        found = ordered(result.records, question.sort)[first:] if column else result.records
        last = first + question.count >= (SORTED if column else DEEPEST)
        more = len(found) > question.count and not last
        return shortened(result, found[: question.count], question), more

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
