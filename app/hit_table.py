"""Hits of a search as a table, whose heads sort it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import markup
from .cards import badges, links, name_of, similarity
from .drawing import drawing
from .histograms import LABELS
from .markup import text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .question import Answer


def table(answer: Answer, columns: Sequence[str], sort: str) -> str:
    """All hits of a page.

    Parameters
    ----------
    answer
        With at least one hit.
    columns
        Number columns of the library, shown behind the score.
    sort
        As in `Question.sort`.
    """
    heads = [
        _head("#", "", sort, numeric=True), '<th scope="col">Structure</th>',
        _head("Name", "name", sort), '<th scope="col">Match</th>',
        *(_head(_title(column), column, sort, numeric=True) for column in columns),
        '<th scope="col">More</th>',
    ]  # fmt: skip
    rows = "".join(_row(answer, record, columns) for record in answer.result.records)
    return (
        '<div class="mc-scroll mc-hits" tabindex="0" role="region" aria-label="Results">'
        f'<table class="mc-table"><thead><tr>{"".join(heads)}</tr></thead><tbody>{rows}</tbody>'
        "</table></div>"
    )


def _head(title: str, column: str, sort: str, *, numeric: bool = False) -> str:
    """A head that sorts: the other way round where the table is sorted by it already."""
    down = sort.startswith("-")
    here = sort.removeprefix("-") == column
    state = f' aria-sort="{"descending" if down else "ascending"}"' if here else ""
    following = f"-{column}" if column and here and not down else column
    kind = " class=mc-count" if numeric else ""
    arrow = (" ↓" if down else " ↑") if here else ""
    return (
        f'<th scope="col"{state}{kind}><button type="button" class="mc-sort" data-act="sort" '
        f'id="head-{text(column) or "rank"}" data-value="{text(following)}" '
        f'title="{"Best match first" if not column else "Sort"}">'
        f'{text(title)}<span aria-hidden="true">{arrow}</span></button></th>'
    )


def _title(column: str) -> str:
    label, unit = LABELS.get(column, (column, ""))
    return f"{label}, {unit}" if unit else label


def _row(answer: Answer, record: dict[str, Any], columns: Sequence[str]) -> str:
    info, name = answer.result.query, name_of(record)
    figure = drawing(str(record["smiles"]), name, info.smarts or "")
    score = markup.number(float(record["score"]), 3)
    numbers = "".join(f'<td class="mc-count">{_number(record.get(c))}</td>' for c in columns)
    return (
        f'<tr><td class="mc-count">{record["rank"]}</td><td class="mc-small">{figure}</td>'
        f'<th scope="row">{text(name)}</th>'
        f'<td><span class="mc-score">{score}{similarity(record)}</span>'
        f'<span class="mc-badges">{badges(record)}</span></td>'
        f'{numbers}<td><span class="mc-links">{links(record, info.words or "")}</span></td></tr>'
    )


def _number(value: Any) -> str:
    if value is None:
        return ""
    return markup.number(value, 0) if isinstance(value, int) else markup.number(float(value), 1)
