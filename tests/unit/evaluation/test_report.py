"""The report format: what is printed, and what the two files hold."""

import io
import json

from rich.console import Console

from molclip.evaluation.report import Report, Table

REPORT = Report(
    title="A [title]",
    header={"pool size": 33008, "correction": None, "command": "molclip evaluate [x]"},
    tables=[
        Table("Names", ["query", "pattern"], [["azole [1-3]", "a|b\\d"]], left=frozenset({0, 1})),
        Table("Figures", ["", "pool"], [["Hits@1", "0.250\n0.100–0.400"]]),
    ],
    results={"hits@1": 0.25},
    notes=["one note"],
)


def _printed(width: int) -> str:
    text = io.StringIO()
    REPORT.print(Console(file=text, width=width))
    return text.getvalue()


def test_printed_report_keeps_brackets_and_fits_in_80_columns():
    text = _printed(80)
    assert "A [title]" in text
    assert "molclip evaluate [x]" in text
    assert "azole [1-3]" in text
    assert "33,008" in text
    assert max(len(line) for line in text.splitlines()) <= 80


def test_markdown_escapes_pipes_and_keeps_two_line_cells_in_one_row():
    text = REPORT.to_markdown()
    assert "| azole [1-3] | a\\|b\\\\d |" in text
    assert "| Hits@1 | 0.250<br>0.100–0.400 |" in text
    assert "- **correction**: none" in text


def test_files_hold_the_unrounded_results_and_the_same_markdown(tmp_path):
    paths = REPORT.write(tmp_path / "new" / "folder", "names")
    assert [path.name for path in paths] == ["names.json", "names.md"]
    stored = json.loads(paths[0].read_text(encoding="utf-8"))
    assert stored["results"] == {"hits@1": 0.25}
    assert stored["header"]["pool size"] == 33008
    assert paths[1].read_text(encoding="utf-8") == REPORT.to_markdown()
