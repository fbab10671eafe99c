"""Plain questions with known right names, and whether a first hit has one."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from molclip.errors import InputError
from molclip.evaluation.plots import Plot, points
from molclip.evaluation.report import Report, Table, versions

_HEADER_WORD = "query"


@dataclass(frozen=True)
class Question:
    """A query and a pattern that at least one name among its first hits should match."""

    row: int
    query: str
    names: re.Pattern[str]


@dataclass(frozen=True)
class Answer:
    """The first hits of one question."""

    question: Question
    rank: int | None
    """1-based rank of the first right name; None when none of the hits has one."""
    names: Sequence[str]
    """Names of the hits in order; empty strings where a row has none."""

    @property
    def right_name(self) -> str | None:
        """Return the name that matched."""
        return None if self.rank is None else self.names[self.rank - 1]


class Hits(Protocol):
    """What a search gives back."""

    def to_dict(self, orient: Literal["records"]) -> list[dict[str, Any]]:
        """Return records with at least the key `name`."""


def read_questions(path: str | Path) -> list[Question]:
    """Read a tab-separated file: query, then a regular expression of right names.

    The first line is a header when its first cell is `query`. Patterns are case-insensitive and
    may match anywhere in a name. Empty lines and lines that start with `#` are skipped.

    Raises
    ------
    InputError
        When the file is missing or empty, a row lacks its pattern, or a pattern is malformed.
    """
    path = Path(path)
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}.",
            "Name a UTF-8 text file with a query and a pattern in each line.",
        ) from error
    questions = []
    for number, line in enumerate(lines, start=1):
        cells = [cell.strip() for cell in line.split("\t")]
        if not line.strip() or line.startswith("#"):
            continue
        if number == 1 and cells[0].lower() == _HEADER_WORD:
            continue
        if len(cells) < 2 or not cells[0] or not cells[1]:
            raise InputError(
                f"{path}, line {number}: a query and a pattern are needed, found {line!r}.",
                "Separate the two by a tab.",
            )
        try:
            names = re.compile(cells[1], re.IGNORECASE)
        except re.error as error:
            raise InputError(
                f"{path}, line {number}: {cells[1]!r} is not a regular expression: {error}.",
                "Escape brackets and plus signs that are meant literally with a backslash.",
            ) from error
        questions.append(Question(number, cells[0], names))
    if not questions:
        raise InputError(f"{path} holds no questions.", "Write one query and pattern per line.")
    return questions


def ask(
    search: Callable[[str], Hits],
    questions: Iterable[Question],
    progress: Callable[[str, int, int], None] | None = None,
) -> list[Answer]:
    """Search for each question and look for a right name among the hits.

    Parameters
    ----------
    search
        Query text to hits, for example
        ``lambda query: library.search(query, k=10, mode="vector")``.
    questions
        Asked in order.
    progress
        Told how many are done.
    """
    asked = list(questions)
    answers = []
    for done, question in enumerate(asked):
        if progress is not None:
            progress("queries", done, len(asked))
        names = [str(hit.get("name") or "") for hit in search(question.query).to_dict("records")]
        ranks = [rank for rank, name in enumerate(names, start=1) if question.names.search(name)]
        answers.append(Answer(question, ranks[0] if ranks else None, names))
    if progress is not None:
        progress("queries", len(asked), len(asked))
    return answers


def queries_report(
    answers: Sequence[Answer], header: Mapping[str, str | float | None], top: int
) -> Report:
    """Return the report: share of questions answered, and each one with what came first.

    Raises
    ------
    ValueError
        When there is no answer.
    """
    right = sum(answer.rank is not None for answer in answers)
    share = right / len(answers)
    rows = [
        [
            str(answer.rank) if answer.rank else "miss",
            answer.question.query,
            answer.right_name or next(iter(answer.names), "no hits"),
        ]
        for answer in answers
    ]
    results = {
        "right": right,
        "queries": len(answers),
        "share": share,
        "answers": [
            {
                "query": answer.question.query,
                "pattern": answer.question.names.pattern,
                "rank": answer.rank,
                "names": list(answer.names),
            }
            for answer in answers
        ],
    }
    table = Table(
        f"Right name in the first {top}: {right} of {len(answers)} queries ({share:.1%})",
        ["rank", "query", "right name, or the first hit"],
        rows,
        left=frozenset({1, 2}),
    )
    plots = [_rank_plot(answers, top)]
    return Report(
        "Plain queries", {**header, "versions": versions()}, [table], results, plots=plots
    )


def _rank_plot(answers: Sequence[Answer], top: int) -> Plot:
    """Every query with the rank of its first right name; misses stand behind the last rank."""
    found = [(answer.question.query, answer.rank) for answer in answers]
    series = {
        "right name": [(query, rank) for query, rank in found if rank is not None],
        "miss": [(query, top + 1) for query, rank in found if rank is None],
    }
    return points(
        "Rank of the first right name",
        [query for query, _ in found],
        series,
        f"rank; a miss is drawn at {top + 1}",
        (0, top + 2),
    )
