"""Whether the tables of a report fit a terminal.

The printer folds whatever is too wide, so no line is ever longer than the terminal: that says
nothing. A table fits when it looks the same on paper of any width.
"""

import io

from rich.console import Console

from molclip.evaluation.report import Report

_WIDE = 1000


def folded_tables(report: Report, width: int = 80) -> list[str]:
    """Titles of the tables of which a cell or a column's head is broken at this width."""
    return [
        table.title for table in report.tables if _printed(table, width) != _printed(table, _WIDE)
    ]


def _printed(table, width):
    text = io.StringIO()
    # Without a title: a sentence may go on in a second line.
    alone = Report("", {}, [type(table)("", table.columns, table.rows, table.left)], {})
    alone.print(Console(file=text, width=width))
    return [line.rstrip() for line in text.getvalue().splitlines()]
