"""Only what the source records: on a small library with a source written by hand."""

import pytest
from search_fakes import FakeModel

from molclip.datasets.ontology import Ontology, Term
from molclip.errors import InputError
from molclip.search.evidence import write_evidence
from molclip.search.library import Library
from molclip.search.result import TESTED, QueryInfo, recorded_remark
from molclip.search.rows import FACTS

TERMS = ("alkaloid", "dye", "poison", "drug")
SMILES = [f"{'C' * (1 + n // 2)}{'N' if n % 2 else 'O'}" for n in range(24)]
# The rows of each term, by number; every odd row holds nitrogen.
HELD = {"alkaloid": {1, 3, 5, 20}, "dye": {2, 3, 20}, "poison": set(), "drug": set(range(9))}


def _facts(row):
    """Numbers of terms, as `write_evidence` gives them: roles, then four acids."""
    held = [number for number, name in enumerate(TERMS) if row in HELD[name]]
    return held + [len(TERMS) + row % 4] * (row > 18)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("recorded") / "library"
    named = {f"R:{n}": Term(f"R:{n}", name, "role") for n, name in enumerate(TERMS)}
    acids = {f"C:{n}": Term(f"C:{n}", f"{n} acid", "class", synonyms=("acid",)) for n in range(4)}
    rows = [
        {
            "id": f"m{n}",
            "name": f"thing {n}",
            "smiles": smiles,
            "curated": n != 20,
            FACTS: _facts(n) or None,
        }
        for n, smiles in enumerate(SMILES)
    ]
    model = FakeModel()
    Library.build(folder, rows, model=model)
    write_evidence(folder, Ontology({**named, **acids}), [])
    return Library.open(folder, model)


def rows_of(result):
    return {int(record["id"][1:]) for record in result}


@pytest.mark.parametrize(
    ("text", "options", "expected"),
    [
        ("alkaloid", {}, {1, 3, 5}),
        ("bitter alkaloid", {}, {1, 3, 5}),
        ("alkaloid", {"curated": False}, {1, 3, 5, 20}),
        # Each phrase must be stated; "drug" asks for nothing beside something definite.
        ("alkaloid that is a dye", {"curated": False}, {3, 20}),
        ("alkaloid drug", {"curated": False}, {1, 3, 5, 20}),
        ("drug", {}, set(range(9))),
        # One of its meanings will do.
        ("acid", {"curated": False}, {19, 20, 21, 22, 23}),
        ("dye without nitrogen", {"curated": False}, {2, 20}),
        ("dye that is not an alkaloid", {"curated": False}, {2}),
        ("alkaloid", {"where": "mol_weight < 50"}, {1, 3}),
        ("dye", {"smarts": "[#7]", "curated": False}, {3}),
        ("dye", {"smiles": "CCO"}, {2, 3}),
        ("alkaloid", {"mode": "hybrid"}, {1, 3, 5}),
        ("poison", {}, set()),
    ],
)
def test_only_rows_that_the_source_records(library, text, options, expected):
    result = library.search(text, recorded=True, k=50, **options)
    assert rows_of(result) == expected
    assert all(record["evidence"] == "recorded" for record in result)
    assert result.query.recorded_only
    assert result.query.rows_recorded == len(expected)
    every = library.search(text, k=50, **options)
    assert every.query.rows_recorded == len(expected)
    assert rows_of(every) >= expected
    assert not every.query.recorded_only
    recorded = [record["id"] for record in every if record["evidence"] == "recorded"]
    assert recorded == [record["id"] for record in result] or options.get("mode") == "hybrid"


def test_pages_of_recorded_rows_are_one_list(library):
    def ids(**options):
        return [r["id"] for r in library.search("drug", recorded=True, **options)]

    assert ids(k=4) + ids(k=4, offset=4) + ids(k=4, offset=8) == ids(k=50)


def test_nothing_recorded_is_said(library):
    said = library.search("poison", recorded=True).query.warnings
    assert said[-1] == "The source records none of the molecules searched as poison."


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"query": "blue crystals"}, "no word of the query asks for a class or role"),
        # What is excluded is not asked for.
        ({"query": "not an alkaloid"}, "no word of the query asks for a class or role"),
        ({"smiles": "CCO"}, "nothing is asked in words"),
        ({"query": "alkaloid", "mode": "name"}, "mode 'name' compares names alone"),
    ],
)
def test_questions_without_a_recorded_answer_are_refused(library, asked, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        library.search(**asked, recorded=True)
    assert "leave recorded out" in caught.value.hint


def test_a_library_without_records_says_so(tmp_path):
    own = Library.build(tmp_path / "own", [{"smiles": "CCO"}], model=FakeModel())
    with pytest.raises(InputError, match="no records") as caught:
        own.search("alkaloid", recorded=True)
    assert "Leave recorded out" in caught.value.hint
    assert own.search("alkaloid").query.rows_recorded is None


@pytest.mark.parametrize("asked", [{"query": "blue"}, {"smiles": "CO"}, {"query": "drug", "mode": "name"}])  # fmt: skip
def test_nothing_is_counted_where_nothing_is_asked_of_the_source(library, asked):
    query = library.search(**asked).query
    assert query.rows_recorded is None
    assert not any("The source records" in said for said in query.notes)


def remarks(result):
    return [said for said in result.query.notes if said.startswith("The source records")]


def test_recorded_rows_that_are_no_hits_are_said(library):
    whole = library.search("alkaloid", k=50)
    assert remarks(whole) == []  # all are among the hits
    places = [r["rank"] for r in whole if r["evidence"] == "recorded"]
    for k in range(1, 24):
        found = sum(place <= k for place in places)
        said = remarks(library.search("alkaloid", k=k))
        if found == min(k, 3):
            assert said == []
        else:
            many = f"{found or 'none'} of them {'is' if found <= 1 else 'are'}"
            assert said == [
                f"The source records 3 of the molecules searched as alkaloid; {many} among these hits."
            ]
    assert remarks(library.search("alkaloid", k=1, offset=1)) == []
    assert remarks(library.search("alkaloid", k=1, recorded=True)) == []
    assert remarks(library.search("alkaloid", k=1, mode="hybrid")) == []


@pytest.mark.parametrize(
    ("text", "wording"),
    [
        ("alkaloid and dye", "alkaloid and dye"),
        ("alkaloid drug", "alkaloid"),
        # Too many meanings to list.
        ("acid", "'acid'"),
    ],
)
def test_what_is_recorded_is_in_the_words_of_the_source(library, text, wording):
    assert library.search(text).query.recorded_as == wording


def test_of_many_rows_with_a_substructure_the_number_is_an_upper_bound():
    query = QueryInfo(rows_recorded=TESTED + 1, recorded_as="dye", smarts="[#7]")
    said = recorded_remark(query, [{"evidence": "predicted"}])
    assert said == (
        "The source records up to 501 of the molecules searched as dye; none of them is among these "
        "hits."
    )
    assert "up to" not in recorded_remark(
        QueryInfo(rows_recorded=TESTED + 1, recorded_as="dye"), [{"evidence": "recorded"}]
    )


def test_the_count_with_a_substructure_is_of_those_that_have_it(library):
    query = library.search("drug", smarts="[#7]").query
    assert query.rows_recorded == len({n for n in HELD["drug"] if n % 2})
