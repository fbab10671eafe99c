"""Right answers: plain questions, whose first ten hits must hold a right name.

On the shipped weights and the embedded library, mode `vector`, curated rows. Without weights this
fails: a library that cannot answer is not finished.
"""

import csv
import re
from pathlib import Path

import pytest

from molclip.search.library import Library

FILE = Path(__file__).parents[1] / "cases" / "queries.tsv"
SHARE = 0.92


def questions():
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    assert rows[0][0] == "query"
    return [(row[0], re.compile(row[1], re.IGNORECASE)) for row in rows[1:]]


@pytest.fixture(scope="module")
def library():
    return Library.open()


def test_plain_questions_have_a_right_name_among_ten_hits(library):
    asked = questions()
    assert len(asked) >= 25
    wrong = {}
    for text, names in asked:
        hits = library.search(text, k=10, mode="vector")
        assert len(hits) == 10
        assert hits.query.curated_only
        found = [record["name"] for record in hits]
        if not any(names.search(name) for name in found):
            wrong[text] = found[:3]
    share = 1 - len(wrong) / len(asked)
    assert share >= SHARE, f"{share:.2f} hold; wrong: {wrong}"


def test_the_question_of_the_readme_finds_the_cinchona_alkaloids(library):
    hits = library.search("bitter alkaloid from cinchona bark", k=10, mode="vector")
    found = [record["name"] for record in hits]
    assert any("quinine" in name or "quinidine" in name for name in found), found
