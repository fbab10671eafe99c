"""Search in a visitor's own library, as in the built-in one, with a percentile beside it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from molclip.models.zero_shot import percentiles_among

from .question import Answer, Question
from .service import Service

if TYPE_CHECKING:
    from .own_libraries import OwnLibrary

PERCENTILE = "percentile_library"
"""Key of a record: percent of the built-in library's sample that fits the words less well."""
_COSINE = "cosine of text and molecule"


def search(own: OwnLibrary, main: Service, question: Question) -> Answer:
    """Find molecules of a visitor's library.

    Parameters
    ----------
    own
        The library.
    main
        The page's service: knows more names, and the molecules that percentiles are taken among.
    question
        What is asked.

    Raises
    ------
    InputError
        For input that cannot be used.
    """
    asked, note = _known_structure(own, main, question)
    answer = own.service.search(asked)
    if note:
        words, _, _ = answer.reading.said.partition("Structure:")
        answer = replace(answer, reading=replace(answer.reading, said=words + note))
    return _ranked(answer, main)


def _known_structure(own: OwnLibrary, main: Service, question: Question) -> tuple[Question, str]:
    """The question with the SMILES of a name that only the built-in library knows."""
    name = question.structure.strip()
    if not name or own.service.knows(name) or not main.knows(name):
        return question, ""
    known = replace(question, structure=main.structure_of(name))
    return known, f"Structure: {name} as the built-in library has it."


def _ranked(answer: Answer, main: Service) -> Answer:
    """The answer with percentiles, where words were compared."""
    info, records = answer.result.query, answer.result.records
    if answer.reading.text is None or not records:
        return answer
    word = main.library.model.encode_text([answer.reading.text])
    key = "score" if info.score == _COSINE else "text_score"
    scores = np.array([[_number(record.get(key))] for record in records], dtype=np.float32)
    found = percentiles_among(scores, main.background @ word.T)[:, 0]
    ranked = [
        record | {PERCENTILE: None if np.isnan(value) else round(100 * float(value), 2)}
        for record, value in zip(records, found, strict=True)
    ]
    return replace(answer, result=replace(answer.result, records=ranked))


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)
