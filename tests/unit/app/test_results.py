"""Hits with their controls as HTML."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from molclip.app import results
from molclip.app.drawing import drawing, matched_atoms
from molclip.app.question import Answer, Question
from molclip.app.reading import Reading
from molclip.app.results import Shown
from rdkit import Chem

from molclip.errors import InputError
from molclip.search.result import QueryInfo, SearchResult

ATTACK = "\"'><img src=x onerror=alert(1)>${alert(2)}{{value}}`"


class Page(HTMLParser):
    """Elements with their attributes, in order."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))

    def all(self, tag: str, **given: str) -> list[dict[str, str | None]]:
        wanted = {key.replace("_", "-"): value for key, value in given.items()}
        return [
            attrs for name, attrs in self.found if name == tag and wanted.items() <= attrs.items()
        ]


def _answer(count: int = 2, *, more: bool = False, first: int = 1, **info: Any) -> Answer:
    records = [
        {
            "rank": rank, "id": f"CHEBI:{rank}", "name": f"phenol {rank}", "smiles": "Oc1ccccc1",
            "score": 0.5, "match_level": "strong", "evidence": "recorded", "recorded_terms": ["x"],
            "seen": False, "inchikey": "AB", "mol_weight": 94.11, "rings": 1,
        }
        for rank in range(first, first + count)
    ]  # fmt: skip
    info = {"text": "disinfectant & <b>", "rows_searched": 50_000, "curated_only": True} | info
    reading = Reading("disinfectant", None, "vector", "Read as words.")
    query = QueryInfo(**info, words=info["text"])
    return Answer(reading, SearchResult(query, records), more=more)


SHOWN = Shown(columns=("mol_weight", "rings"))


def test_a_card_leads_to_the_explanation_of_its_match() -> None:
    page = Page(results.results(_answer(1), Question(), SHOWN))
    (why,) = [a for a in page.all("a") if (a["href"] or "").startswith("?")]
    assert parse_qs(urlsplit(why["href"] or "").query) == {
        "tab": ["why"], "smiles": ["Oc1ccccc1"], "text": ["disinfectant & <b>"],
    }  # fmt: skip
    # A structure alone has no words to explain.
    page = Page(results.results(_answer(1, text=None), Question(), SHOWN))
    assert not [a for a in page.all("a") if (a["href"] or "").startswith("?")]


@pytest.mark.parametrize(
    ("by", "badge"),
    [
        ("exact synonym", "has this name"),
        ("exact formula", "has this formula"),
        ("exact InChIKey", "has this InChIKey"),
    ],
)
def test_what_a_hit_was_found_by(by: str, badge: str) -> None:
    answer = _answer(1)
    answer.result.records[0].update(matched_by=by, matched_name="C6H6O")
    assert f">{badge}</span>" in results.results(answer, Question(), SHOWN)


def test_pages_and_what_is_on_them() -> None:
    html = results.results(_answer(12, more=True, first=13), Question(page=2), SHOWN)
    assert "Hits 13 to 24." in html
    page = Page(html)
    (previous,) = page.all("button", id="results-previous")
    (following,) = page.all("button", id="results-next")
    assert previous["data-value"] == "1"
    assert "disabled" not in previous
    assert following["data-value"] == "3"
    assert "disabled" not in following
    page = Page(results.results(_answer(2), Question(), SHOWN))
    assert "disabled" in page.all("button", id="results-previous")[0]
    assert "disabled" in page.all("button", id="results-next")[0]


def test_controls_show_what_is_chosen() -> None:
    shown = Shown("table", SHOWN.columns)
    page = Page(results.results(_answer(), Question(sort="-mol_weight", count=24), shown))
    chosen = [option["value"] for option in page.all("option") if "selected" in option]
    assert chosen == ["-mol_weight", "24", "page"]
    pressed = {b["data-value"]: b["aria-pressed"] for b in page.all("button", data_act="view")}
    assert pressed == {"cards": "false", "table": "true"}


def test_heads_of_the_table_sort_it() -> None:
    def heads(sort: str) -> dict[str | None, tuple[str | None, str | None]]:
        page = Page(results.results(_answer(), Question(sort=sort), Shown("table", SHOWN.columns)))
        cells = [attrs for attrs in page.all("th") if attrs["scope"] == "col"]
        buttons = page.all("button", data_act="sort")
        states = [cell.get("aria-sort") for cell in cells if "aria-sort" in cell]
        assert len(states) == 1
        return {b["id"]: (b["data-value"], states[0]) for b in buttons}

    assert heads("")["head-mol_weight"] == ("mol_weight", "ascending")
    assert heads("mol_weight")["head-mol_weight"] == ("-mol_weight", "ascending")
    assert heads("-mol_weight")["head-mol_weight"] == ("mol_weight", "descending")
    assert heads("-mol_weight")["head-rank"] == ("", "descending")


def test_numbers_of_the_table() -> None:
    html = results.results(_answer(1), Question(), Shown("table", SHOWN.columns))
    assert '<td class="mc-count">94.1</td><td class="mc-count">1</td>' in html


def test_filters_and_names_spelled_alike_are_said() -> None:
    answer = _answer(smarts="c1ccccc1")
    html = results.summary(
        Answer(answer.reading, answer.result, (f"caffeine {ATTACK}",)), ["Rings from 2"]
    )
    assert "Filtered: Rings from 2; with the substructure c1ccccc1" in html
    page = Page(html)
    (link,) = page.all("a")
    assert parse_qs(urlsplit(link["href"] or "").query)["q"] == [f"caffeine {ATTACK}"]
    assert not page.all("img")


def test_that_only_recorded_molecules_were_searched_is_said() -> None:
    said = "50,000 curated molecules searched"
    assert f"{said}, recorded only ·" in results.summary(_answer(recorded_only=True))
    assert f"{said} ·" in results.summary(_answer())


@pytest.mark.parametrize("view", results.VIEWS)
def test_an_attack_stays_text(view: str) -> None:
    answer = _answer(1, text=ATTACK)
    answer.result.records[0].update(
        name=ATTACK, id=ATTACK, inchikey=ATTACK, recorded_terms=[ATTACK]
    )
    html = results.results(answer, Question(), Shown(view, (*SHOWN.columns, ATTACK)))
    page = Page(html)
    assert not page.all("img")
    assert not [key for _, attrs in page.found for key in attrs if key.startswith("on")]
    assert "${" not in html
    assert "{{" not in html


def test_no_hit_is_said() -> None:
    html = results.results(_answer(0), Question(), SHOWN)
    assert "No result." in html
    assert "mc-toolbar" not in html


def test_matching_atoms_are_marked() -> None:
    phenol = Chem.MolFromSmiles("Oc1ccccc1")
    assert matched_atoms(phenol, "c1ccccc1") == (1, 2, 3, 4, 5, 6)
    assert matched_atoms(phenol, "[OH]") == (0,)
    assert matched_atoms(phenol, "N") == ()
    assert matched_atoms(phenol, " ") == ()
    with pytest.raises(InputError, match="SMARTS"):
        matched_atoms(phenol, "c1cc")
    plain, marked = drawing("Oc1ccccc1", "x"), drawing("Oc1ccccc1", "x", "c1ccccc1")
    # The amber ground of marked atoms (chem.depict), and nothing of it without a match.
    assert "#E0A020" in marked.upper()
    assert "#E0A020" not in plain.upper()
