"""`molclip evaluate queries` with a library whose answers are known."""

import json
from types import SimpleNamespace
from typing import ClassVar

import pytest
from typer.testing import CliRunner

from molclip.cli import evaluate
from molclip.search.library import Library

NAMES = {"statin": ["aspirin", "lovastatin"], "bitter alkaloid": ["aspirin", "caffeine"]}


class _Library:
    asked: ClassVar[list[dict]] = []

    def search(self, query, **options):
        self.asked.append(options)
        records = [{"name": name} for name in NAMES[query][: options["k"]]]
        return SimpleNamespace(to_dict=lambda orient: records)

    def info(self):
        return SimpleNamespace(
            embedded=True, path="x", rows=100, curated_rows=40, model_hash="0123456789abcdef"
        )


@pytest.fixture
def file(tmp_path, monkeypatch):
    _Library.asked = []
    monkeypatch.setattr(Library, "open", lambda *_: _Library())
    path = tmp_path / "questions.tsv"
    path.write_text("query\tnames\nstatin\tstatin$\nbitter alkaloid\tquinine\n", encoding="utf-8")
    return path


def _run(*arguments):
    return CliRunner().invoke(evaluate.app, ["queries", *map(str, arguments)])


def test_share_and_each_question_with_its_first_right_rank(file, tmp_path):
    result = _run(file, "--out", tmp_path / "report")
    assert result.exit_code == 0, result.exception
    assert "1 of 2 queries (50.0%)" in result.stdout
    assert "lovastatin" in result.stdout
    stored = json.loads((tmp_path / "report" / "queries.json").read_text(encoding="utf-8"))
    assert [answer["rank"] for answer in stored["results"]["answers"]] == [2, None]
    # Without options: mode vector, first ten, the rows a user would search.
    assert _Library.asked == [{"k": 10, "mode": "vector", "curated": None}] * 2
    assert stored["header"]["rows searched"] == 40


def test_top_and_all_rows_are_passed_on(file):
    result = _run(file, "--top", 1, "--all-rows", "--format", "json")
    report = json.loads(result.stdout)
    assert report["results"]["right"] == 0
    assert report["header"]["rows searched"] == 100
    assert _Library.asked[0]["curated"] is False
