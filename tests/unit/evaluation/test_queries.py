"""Plain questions: reading them, asking them, counting right names."""

import pytest

from molclip.errors import InputError
from molclip.evaluation.queries import ask, queries_report, read_questions

LIBRARY = {
    "bitter alkaloid": ["strychnine", "Quinine", None],
    "acetate": ["acetate ester", "acetate"],
    "nothing": [],
}


class _Hits:
    def __init__(self, names):
        self.names = names

    def to_dict(self, orient):
        assert orient == "records"
        return [{"rank": i, "name": name} for i, name in enumerate(self.names, start=1)]


@pytest.fixture
def questions(tmp_path):
    file = tmp_path / "questions.tsv"
    file.write_text(
        "query\tright names\nbitter alkaloid\tquinine|cinchonine\n# a comment\n\n"
        "acetate\t^acetate$\nnothing\tanything\n",
        encoding="utf-8",
    )
    return read_questions(file)


def test_rank_of_the_first_right_name(questions):
    answers = ask(lambda query: _Hits(LIBRARY[query]), questions)
    assert [answer.rank for answer in answers] == [2, 2, None]
    report = queries_report(answers, {"mode": "vector"}, top=10)
    assert report.results["share"] == pytest.approx(2 / 3)
    assert report.tables[0].rows == [
        ["2", "bitter alkaloid", "Quinine"],
        ["2", "acetate", "acetate"],
        ["miss", "nothing", "no hits"],
    ]
    assert "2 of 3" in report.tables[0].title
    (plot,) = report.plots
    right, miss = plot.data
    assert list(zip(right["y"], right["x"], strict=True)) == [
        ("bitter alkaloid", 2),
        ("acetate", 2),
    ]
    # A miss stands behind the last of the ranks that were looked at, and is named as one.
    assert (miss["name"], miss["y"], miss["x"]) == ("miss", ["nothing"], [11])
    assert plot.layout["yaxis"]["categoryarray"] == ["bitter alkaloid", "acetate", "nothing"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("one\t[a\n", r"line 1: '\[a' is not a regular expression"),
        ("one\ta\ntwo\n", "line 2: a query and a pattern are needed"),
        ("query\tnames\n", "holds no questions"),
    ],
)
def test_unusable_files_are_refused_with_the_line(tmp_path, content, message):
    file = tmp_path / "questions.tsv"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        read_questions(file)


def test_missing_file_is_refused(tmp_path):
    with pytest.raises(InputError, match="cannot be read"):
        read_questions(tmp_path / "none.tsv")
