"""Queries made from a small ontology, and how their hits are judged."""

import numpy as np
import pytest

from molclip.datasets.ontology import Ontology, Term
from molclip.evaluation.zero_shot.library_queries import (
    HITS,
    LibraryQuery,
    QueryMaker,
    combined_text,
)
from molclip.evaluation.zero_shot.library_terms import Rows
from molclip.evaluation.zero_shot.precision import measure_precision, vector_search
from molclip.evaluation.zero_shot.precision_report import precision_plots, precision_tables
from molclip.search.seen import SeenMolecules, write_seen

ONTOLOGY = Ontology(
    {
        term.id: term
        for term in (
            Term("C:0", "compound", "class"),
            Term("C:1", "alkaloids", "class", ("C:0",)),
            Term("C:2", "steroid", "class", ("C:0",), ("R:2",)),
            Term("C:3", "steroid alkaloid", "class", ("C:1", "C:2")),
            Term("R:0", "role", "role"),
            Term("R:1", "antibacterial agent", "role", ("R:0",)),
            Term("R:2", "hormone", "role", ("R:0",)),
            Term("M:1", "a molecule", "molecule", ("C:1",)),
        )
    }
)


class Facts:
    """Rows as `molclip.datasets.facts.Facts` gives them."""

    def __init__(self, rows):
        self.rows = rows

    def column(self, name):
        return [row[name] for row in self.rows]


def _row(number, classes, roles=(), curated=True):
    return {
        "chebi_id": f"CHEBI:{number}", "inchikey": f"KEY{number}", "smiles": "C" * (number + 1),
        "classes": list(classes), "roles": list(roles), "curated": curated,
    }  # fmt: skip


def test_rows_of_a_term_follow_classes_roles_and_what_the_classes_have():
    rows = Rows.of(
        Facts(
            [
                _row(0, ["C:3"]),
                _row(1, ["C:1"], ["R:1"]),
                _row(2, ["C:2"], curated=False),
                _row(3, ["C:2"]),
                _row(4, ["M:1"]),
            ]
        ),
        ONTOLOGY,
    )
    assert rows.ids == ["CHEBI:0", "CHEBI:1", "CHEBI:3", "CHEBI:4"]
    members = {term: sorted(found) for term, found in rows.members.items()}
    assert members == {
        "C:0": [0, 1, 2, 3],
        "C:1": [0, 1, 3],
        "C:2": [0, 2],
        "C:3": [0],
        # The role of the class "steroid", and of a row itself.
        "R:2": [0, 2],
        "R:1": [1],
        "R:0": [0, 1, 2],
    }


@pytest.fixture
def rows():
    made = []
    for number in range(120):
        # 0–39 alkaloids, every second of them a steroid too; 30–69 antibacterial; the rest bare.
        classes = ["C:1"] if number < 40 else ["C:0"]
        if number < 40 and number % 2:
            classes = ["C:3"]
        made.append(_row(number, classes, ["R:1"] if 25 <= number < 70 else []))
    return Rows.of(Facts(made), ONTOLOGY)


def _queries(rows, wanted=None, seed=0):
    lexicon = {"C:2": ("sterol thing",), "R:2": ("body messenger",)}
    return QueryMaker(rows, ONTOLOGY, lexicon, seed).queries(wanted)


def test_terms_that_ask_for_all_or_too_few_are_left_out(rows):
    names = {query.text for query in _queries(rows)}
    assert "compound" not in names
    assert {"alkaloids", "antibacterial agent"} <= names


def test_a_negated_query_wants_the_class_without_the_other(rows):
    queries = _queries(rows, {"negated": 5})
    assert queries
    for query in queries:
        first, second = query.terms
        assert query.right == rows.members[first] - rows.members[second]
        assert len(query.right) >= HITS
        assert " that is not a" in query.text
        assert query.parts == (query.text.partition(" that is not")[0],)
    texts = {query.text for query in queries}
    assert texts & {"alkaloid that is not a steroid", "alkaloid that is not a hormone",
                    "alkaloid that is not an antibacterial agent"}  # fmt: skip


def test_a_combined_query_wants_both_and_neither_half_alone_gives_it(rows):
    (query,) = [q for q in _queries(rows, {"combined": 5}) if q.terms == ("C:1", "R:1")]
    assert query.text == "antibacterial alkaloid"
    assert query.right == frozenset(range(25, 40))
    assert query.parts == ("alkaloids", "antibacterial agent")
    assert query.stratum == 10


@pytest.mark.parametrize(
    ("class_", "role", "text"),
    [
        ("sulfonamides", "antibacterial agent", "antibacterial sulfonamide"),
        ("steroid", "antifungal drug", "antifungal steroid"),
        ("steroid", "human metabolite", "steroid that is a human metabolite"),
        ("steroid", "beta-adrenergic blocking agent",
         "steroid that is a beta-adrenergic blocking agent"),
    ],
)  # fmt: skip
def test_combined_words(class_, role, text):
    assert combined_text(class_, role) == text


def test_the_same_seed_gives_the_same_queries(rows):
    assert _queries(rows) == _queries(rows)


# -- judging ----------------------------------------------------------------------------------


@pytest.fixture
def answers():
    """Two queries with hits given by hand; a third that finds nothing."""
    rows = Rows([f"CHEBI:{i}" for i in range(50)], [f"KEY{i}" for i in range(50)], [], {})
    queries = [
        LibraryQuery("five", "class names", ("a",), frozenset(range(5)), 10),
        LibraryQuery("not", "negated", ("a", "b"), frozenset({40, 41}), 10, ("five",)),
        LibraryQuery("nothing", "class names", ("c",), frozenset({1}), 30),
    ]
    hits = {
        "five": [f"CHEBI:{i}" for i in (0, 1, 2, 30, 31, 32, 33, 34, 35, 40)],
        "not": [f"CHEBI:{i}" for i in (40, 41, 0, 1)],
        "nothing": [],
    }
    return rows, queries, hits


def test_precision_counts_ten_places_and_compares_with_half_of_the_query(answers, tmp_path):
    rows, queries, hits = answers
    asked = []

    def search(text):
        asked.append(text)
        return hits[text]

    write_seen(["KEY0", "KEY40"], tmp_path / "seen.bin")
    seen = SeenMolecules.load(tmp_path / "seen.bin")
    result = measure_precision(queries, rows, search, seen=seen)
    assert asked == ["five", "not", "nothing"]
    assert [answer.precision for answer in result.answers] == [0.3, 0.2, 0.0]
    assert result.answers[1].parts == (0.1,)
    assert result.slices["all"].precision == pytest.approx(0.5 / 3)
    assert result.slices["class names"].precision == pytest.approx(0.15)
    assert result.slices["class names"].found == 0.5
    assert result.slices["class names"].chance == pytest.approx((5 / 50 + 1 / 50) / 2)
    assert result.slices["negated"].parts == (pytest.approx(0.1),)
    assert result.slices["class names"].parts == ()
    # Of 14 hits four were trained on (0 and 40 twice each): right are 0 in "five", 40 in "not".
    assert result.seen_share == pytest.approx(4 / 14)
    assert result.by_seen["trained on"] == pytest.approx(2 / 4)
    assert result.by_seen["not trained on"] == pytest.approx(3 / 10)
    low, high = result.slices["all"].interval
    assert 0 <= low < result.slices["all"].precision < high <= 0.3
    stored = result.to_dict()
    assert stored["answers"][1]["parts"] == {"five": 0.1}


def test_tables_and_plot_hold_the_figures(answers):
    rows, queries, hits = answers
    result = measure_precision(queries, rows, hits.__getitem__)
    assert result.seen_share is None
    tables = {table.title.partition(" ")[0]: table for table in precision_tables(result)}
    assert tables["Precision"].rows[0][:2] == ["all", "3"]
    assert tables["What"].rows == [["negated", "0.200", "0.100"]]
    assert tables["Worst"].rows[0] == ["nothing", "class names", "1", "0.0"]
    (plot,) = precision_plots(result)
    assert plot.data[0]["x"][0] == pytest.approx(0.5 / 3)


def test_no_queries_are_an_error(answers):
    with pytest.raises(ValueError, match="no queries"):
        measure_precision([], answers[0], lambda text: [])


def test_vector_search_ranks_by_cosine_and_never_finds_an_invalid_row():
    class Model:
        def encode_text(self, texts):
            return np.array([[1.0, 0.0]], dtype=np.float32)

    angles = np.radians(np.arange(12) * 5.0)
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    vectors[0] = np.nan
    rows = Rows([str(i) for i in range(12)], [], [], {})
    found = vector_search(Model(), rows, vectors)("anything")
    assert found == [str(i) for i in range(1, 11)]
