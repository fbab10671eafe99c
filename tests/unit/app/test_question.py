"""Conditions, order and pages of a question."""

from __future__ import annotations

from typing import Any

import pytest
from molclip.app.question import Question, ordered, shortened, without_level
from molclip.app.service import Service

from molclip.errors import InputError
from molclip.search.result import QueryInfo, SearchResult, recorded_remark


def test_bounds_become_a_condition() -> None:
    assert Question().where is None
    assert Question(bounds={"mol_weight": (100, 250.5)}).where == (
        "mol_weight >= 100 AND mol_weight <= 250.5"
    )
    assert Question(bounds={"rings": (2, None), "logp": (None, -0.5)}).where == (
        "rings >= 2 AND logp <= -0.5"
    )
    assert Question(bounds={"rings": (None, None)}).where is None


def test_names_of_columns_are_quoted() -> None:
    assert Question(bounds={"my `x` OR 1": (1, None)}).where == "`my x OR 1` >= 1"


def test_bounds_that_leave_nothing() -> None:
    with pytest.raises(InputError, match="No value of rings is above 3 and below 2"):
        _ = Question(bounds={"rings": (3, 2)}).where


RECORDS: list[dict[str, Any]] = [
    {"id": "a", "name": "beta", "logp": 1.0},
    {"id": "b", "name": None, "logp": None},
    {"id": "c", "name": "Alpha", "logp": -2.0},
    {"id": "d", "name": "gamma", "logp": 1.0},
]


@pytest.mark.parametrize(
    ("sort", "order"),
    [("logp", "cadb"), ("-logp", "adcb"), ("name", "cadb"), ("-name", "dacb")],
)
def test_order_keeps_ties_and_puts_the_unknown_last(sort: str, order: str) -> None:
    assert "".join(record["id"] for record in ordered(RECORDS, sort)) == order


class Library:
    """500 molecules; hit n has rank n, and weight 1000 - n."""

    def __init__(self) -> None:
        self.columns = {"mol_weight": "double", "name": "string", "classes": "list<string>"}

    def search(self, *_: Any, k: int, offset: int, **__: Any) -> SearchResult:
        ranks = range(offset + 1, min(offset + k, 500) + 1)
        records = [
            {
                "rank": n,
                "id": str(n),
                "smiles": "C",
                "mol_weight": 1000.0 - n,
                "match_level": "none",
            }
            for n in ranks
        ]
        if offset == 0:
            records[0]["matched_by"] = "exact name"
        return SearchResult(QueryInfo(asked_terms=[{"name": "x"}]), records)

    def has_name(self, name: str) -> bool:
        return False


@pytest.fixture
def service(monkeypatch: pytest.MonkeyPatch) -> Service:
    monkeypatch.setattr(Service, "knows", lambda *_: False)
    monkeypatch.setattr(Service, "identifier", lambda *_: None)
    return Service(Library())  # type: ignore[arg-type]


def _ranks(service: Service, **asked: Any) -> tuple[list[int], bool]:
    answer = service.search(Question("antibiotic", **asked))
    return [record["rank"] for record in answer.result.records], answer.more


def test_pages_follow_each_other(service: Service) -> None:
    assert _ranks(service) == (list(range(1, 13)), True)
    assert _ranks(service, page=2) == (list(range(13, 25)), True)
    # 500 = 41 * 12 + 8
    assert _ranks(service, page=42) == (list(range(493, 501)), False)
    assert _ranks(service, page=43) == ([], False)


def test_another_order_is_one_of_the_best_hits(service: Service) -> None:
    # The lightest of the best 200 are the last of them.
    assert _ranks(service, sort="mol_weight") == (list(range(200, 188, -1)), True)
    assert _ranks(service, sort="-mol_weight", count=48, page=5) == (list(range(193, 201)), False)


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"page": 0}, "There is no page 0"),
        # Hit 997 would be the first of page 84; that of page 85 lies below hit 1,000.
        ({"page": 85}, "There is no page 85"),
        ({"sort": "colour"}, "no column 'colour' to sort by. Choose one of name, mol_weight"),
        # Lists have no order.
        ({"sort": "-classes"}, "no column 'classes' to sort by. Choose one of name, mol_weight"),
    ],
)
def test_pages_and_orders_that_are_not_there(
    service: Service, asked: dict[str, Any], sentence: str
) -> None:
    with pytest.raises(InputError, match=sentence):
        service.search(Question("antibiotic", **asked))


def test_a_hit_with_the_name_asked_for_has_no_match_level() -> None:
    level = {"match_level": "none", "percentile_true": 1.0, "percentile_nonsense": 30.0}
    records = [
        {"rank": 1, "matched_by": "exact name", **level},
        {"rank": 2, "matched_by": "prefix name", **level},
        {"rank": 3, "matched_by": None, **level},
    ]
    result = without_level(SearchResult(QueryInfo(match_level="none"), records))
    # The columns of a download stay what they are.
    assert [list(record) for record in result.records] == [list(record) for record in records]
    assert [record["match_level"] for record in result.records] == [None, "none", "none"]
    assert result.records[0]["percentile_nonsense"] is None
    assert result.query.match_level is None
    assert records[0]["match_level"] == "none"
    others = without_level(SearchResult(QueryInfo(match_level="none"), records[1:]))
    assert (others.query.match_level, others.records) == ("none", records[1:])


RECORDED, PREDICTED = {"evidence": "recorded"}, {"evidence": "predicted"}


@pytest.mark.parametrize(
    ("question", "found", "shown", "said"),
    [
        # The hit that tells whether there is a next page is none of the page.
        (Question(count=2), [PREDICTED, RECORDED, RECORDED], 2, "1 of them is among these hits."),
        (Question(count=2), [RECORDED, RECORDED, PREDICTED], 2, ""),
        (Question(count=2), [PREDICTED, PREDICTED, RECORDED], 2, "none of them is among"),
        # The order is another: the remark is on what is shown, not on the best 200.
        (Question(count=1, sort="name"), [PREDICTED, RECORDED, RECORDED], 1, "none of them is"),
        (Question(count=1, sort="name", page=2), [PREDICTED, RECORDED, RECORDED], 1, ""),
    ],
)
def test_recorded_molecules_that_are_not_shown_are_said(
    question: Question, found: list[dict[str, Any]], shown: int, said: str
) -> None:
    query = QueryInfo(k=3, rows_recorded=2, recorded_as="dye", notes=["Something else."])
    whole = recorded_remark(query, found)
    query.notes += [whole] if whole else []
    result = shortened(SearchResult(query, found), found[:shown], question)
    assert result.records == found[:shown]
    first, *rest = result.query.notes
    assert first == "Something else."
    assert len(rest) == bool(said)
    assert said in "".join(rest)
    assert result.query.k == 3


def test_the_deepest_page_is_there(service: Service) -> None:
    assert _ranks(service, page=84) == ([], False)


@pytest.mark.parametrize("sort", ["", "-mol_weight"])
def test_every_answer_is_without_such_a_level(service: Service, sort: str) -> None:
    records = service.search(Question("antibiotic", sort=sort)).result.records
    assert [record["match_level"] for record in records[:2]] == [None, "none"]
