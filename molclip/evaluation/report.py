"""One format for every evaluation report: a header that states the protocol, then tables.

A report is printed (80 columns), and written as JSON for programs, and as Markdown and an HTML page
with plots for people.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError
from molclip.evaluation.page import html_page
from molclip.evaluation.plots import Plot

if TYPE_CHECKING:
    from rich.console import Console

_PACKAGES = ("molclip", "torch", "transformers", "rdkit", "numpy")


@dataclass(frozen=True)
class Table:
    """Cells as they are shown; a cell may have several lines."""

    title: str
    columns: Sequence[str]
    """The first column is flush left, the others flush right unless `left` names them."""
    rows: Sequence[Sequence[str]]
    left: frozenset[int] = frozenset({0})
    """Indices of the columns whose cells are text rather than numbers."""


@dataclass
class Report:
    """What was measured, how, and what came out."""

    title: str
    header: Mapping[str, str | float | None]
    """The protocol, in the order in which it is shown."""
    tables: Sequence[Table]
    results: Mapping[str, Any]
    """Every number, unrounded; only in the JSON file."""
    notes: Sequence[str] = field(default_factory=tuple)
    plots: Sequence[Plot] = field(default_factory=tuple)
    """Only in the HTML page."""

    def to_dict(self) -> dict[str, Any]:
        """Return what the JSON file holds: title, header, results and notes."""
        return {
            "title": self.title,
            "header": dict(self.header),
            "results": dict(self.results),
            "notes": list(self.notes),
        }

    def to_markdown(self) -> str:
        """Return the report as Markdown with pipe tables."""
        lines = [f"# {self.title}", ""]
        lines += [f"- **{key}**: {_shown(value)}" for key, value in self.header.items()]
        for table in self.tables:
            lines += ["", f"## {table.title}", ""]
            lines.append(_pipe_row(table.columns))
            marks = ["---" if index in table.left else "--:" for index in range(len(table.columns))]
            lines.append(_pipe_row(marks))
            lines += [_pipe_row(row) for row in table.rows]
        if self.notes:
            lines += ["", *(f"> {note}  " for note in self.notes)]
        return "\n".join(lines) + "\n"

    def to_html(self) -> str:
        """Return the report as an HTML page with its plots, which needs no other file."""
        header = {key: _shown(value) for key, value in self.header.items()}
        return html_page(self.title, header, self.plots, self.tables, self.notes)

    def print(self, console: Console) -> None:
        """Print header, tables and notes; fits in 80 columns."""
        from rich import box
        from rich.table import Table as RichTable
        from rich.text import Text

        console.print(Text(self.title, style="bold"))
        facts = RichTable.grid(padding=(0, 2))
        facts.add_column(style="dim", no_wrap=True)
        facts.add_column(overflow="fold")
        for key, value in self.header.items():
            # Text, because names and commands may hold brackets that rich would take for markup.
            facts.add_row(key, Text(_shown(value)))
        console.print(facts)
        for table in self.tables:
            console.print()
            console.print(Text(table.title, style="bold"))
            shown = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1))
            for index, column in enumerate(table.columns):
                shown.add_column(
                    Text(column),
                    justify="left" if index in table.left else "right",
                    overflow="fold",
                )
            for row in table.rows:
                shown.add_row(*(Text(cell) for cell in row))
            console.print(shown)
        for note in self.notes:
            console.print(Text(note))

    def write(self, folder: str | Path, stem: str) -> list[Path]:
        """Write `<stem>.json`, `<stem>.md` and `<stem>.html` into a folder, made when missing.

        Raises
        ------
        InputError
            When the folder cannot be written to.
        """
        folder = Path(folder)
        files = {
            folder / f"{stem}.json": json.dumps(self.to_dict(), indent=2, ensure_ascii=False)
            + "\n",
            folder / f"{stem}.md": self.to_markdown(),
            folder / f"{stem}.html": self.to_html(),
        }
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for path, text in files.items():
                path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise InputError(
                f"The report cannot be written to {folder}: {error.strerror or error}.",
                "Name a folder you may write to with --out.",
            ) from error
        return list(files)


def versions() -> str:
    """Return Python and the packages a figure may depend on, with their versions, in one line."""
    parts = [f"python {sys.version_info.major}.{sys.version_info.minor}"]
    for package in _PACKAGES:
        try:
            parts.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            continue
    return ", ".join(parts)


def _shown(value: str | float | None) -> str:
    if value is None:
        return "none"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _pipe_row(cells: Sequence[str]) -> str:
    escaped = (cell.replace("\\", "\\\\").replace("|", "\\|") for cell in cells)
    return "| " + " | ".join(cell.replace("\n", "<br>") for cell in escaped) + " |"
