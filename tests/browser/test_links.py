"""Every state has an address that opens it again."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, Request, expect

from .steps import CARDS, names, open_tab, search

Q = "beta-lactam antibiotic & <b>"


def _query(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def _add_link(page: Page, address: str) -> None:
    page.evaluate(
        """(address) => {
          const link = document.createElement('a');
          link.id = 'added';
          link.href = address;
          link.textContent = 'a link';
          document.querySelector('.mc-footer').append(link);
        }""",
        address,
    )


def test_an_answer_has_an_address_that_gives_it_again(page: Page) -> None:
    search(page, Q)
    page.wait_for_url("**/?tab=search&q=*")
    assert _query(page) == {"tab": ["search"], "q": [Q]}
    shown = names(page)
    page.goto("about:blank")
    page.go_back()
    page.locator(CARDS).first.wait_for()
    expect(page.locator("#search-words textarea")).to_have_value(Q)
    assert names(page) == shown


def test_unknown_keys_and_wrong_values_are_ignored(open_page: Callable[..., Page]) -> None:
    page = open_page(at="?tab=search&q=caffeine&n=13&nosuch=1&__theme=dark")
    page.locator(CARDS).first.wait_for()
    page.wait_for_function("!location.search.includes('nosuch')")
    assert _query(page)["q"] == ["caffeine"]
    assert _query(page)["__theme"] == ["dark"]
    assert "n" not in _query(page)
    expect(page.locator(CARDS)).to_have_count(12)


def test_a_page_of_hits_has_an_address(page: Page, url: str) -> None:
    search(page, "caffeine")
    page.locator("#results-next").click()
    page.wait_for_url("**&part=2")
    page.get_by_text("Hits 13 to 24.").wait_for()
    page.reload()
    page.get_by_text("Hits 13 to 24.").wait_for()
    # The key of earlier versions means something to Gradio.
    page.goto(f"{url}?tab=search&q=caffeine&page=2")
    page.get_by_text("Hits 1 to 12.").wait_for()


def test_markup_in_an_address_stays_text(open_page: Callable[..., Page]) -> None:
    page = open_page(at="?tab=search&q=%3Cimg+src%3Dx+onerror%3D%22window.hacked%3D1%22%3E")
    page.locator("#search-summary .mc-read").wait_for()
    expect(page.locator("#search-words textarea")).to_have_value(re.compile(r"^<img src=x"))
    assert page.locator(".tabitem img").count() == 0
    assert page.evaluate("window.hacked === undefined")


def test_tabs_have_addresses_and_keep_their_states(open_page: Callable[..., Page]) -> None:
    page = open_page(at="?tab=classify")
    page.locator("#classify-molecule").wait_for()
    open_tab(page, "Search")
    page.wait_for_url("**/?tab=search")
    search(page, "caffeine")
    page.wait_for_url("**/?tab=search&q=caffeine")
    open_tab(page, "Classify")
    page.wait_for_url("**/?tab=classify")
    open_tab(page, "Search")
    page.wait_for_url("**/?tab=search&q=caffeine")


def test_a_link_on_the_page_opens_without_loading_it_again(page: Page) -> None:
    page.evaluate("window.sameDocument = true")
    search(page, "caffeine")
    _add_link(page, "?tab=search&smiles=CC(%3DO)Oc1ccccc1C(%3DO)O")
    page.locator("#added").click()
    page.get_by_text("similarity 1.00").first.wait_for()
    assert names(page)[0] == "acetylsalicylic acid"
    expect(page.locator("#search-words textarea")).to_have_value("")
    page.go_back()
    page.locator("#search-summary", has_text="name of a molecule").wait_for()
    page.wait_for_function("document.querySelector('#search-words textarea').value === 'caffeine'")
    assert page.evaluate("window.sameDocument") is True


def test_why_of_a_hit_opens_its_explanation(page: Page) -> None:
    search(page, "bitter alkaloid")
    card = page.locator(CARDS).first
    smiles = card.locator(".mc-more").get_attribute("data-smiles")
    card.get_by_text("Why?").click()
    page.locator("#why-molecule textarea").wait_for()
    page.wait_for_function("document.querySelector('#why-words textarea').value !== ''")
    expect(page.locator("#why-molecule textarea")).to_have_value(smiles)
    expect(page.locator("#why-words textarea")).to_have_value("bitter alkaloid")
    assert _query(page) == {"tab": ["why"], "smiles": [smiles], "text": ["bitter alkaloid"]}
    page.go_back()
    page.locator("#search-words textarea").wait_for()
    assert _query(page) == {"tab": ["search"], "q": ["bitter alkaloid"]}


_WATCH = """
window.errors = [];
new MutationObserver(() => {
  const answers = ':is(#classify-answer, #describe-answer, #model-nearest) .mc-error';
  for (const error of document.querySelectorAll(answers)) window.errors.push(error.innerText);
}).observe(document, { childList: true, subtree: true });
"""


@pytest.mark.parametrize(
    ("address", "answer"),
    [
        ("?tab=classify&smiles=CCO%0ACCC&set=medicines", "#classify-answer .mc-table"),
        ("?tab=describe&smiles=CCO", "#describe-answer .mc-described"),
        ("?tab=model&q=steroid+hormone", "#model-nearest .mc-map-card"),
        # Nothing is asked, so nothing is wrong either.
        ("?tab=model", ".mc-map-legend button"),
    ],
)
def test_a_link_runs_once_and_with_its_fields_filled(
    page: Page, url: str, address: str, answer: str
) -> None:
    asked: list[list[object]] = []

    def note(request: Request) -> None:
        if "/queue/join" in request.url:
            asked.append(json.loads(request.post_data or "{}")["data"])

    page.on("request", note)
    page.add_init_script(_WATCH)
    page.goto(url + address)
    page.locator(answer).first.wait_for()
    page.wait_for_timeout(1000)
    assert page.evaluate("window.errors") == []
    # The first is the link itself, on its way to the server.
    first, *runs = asked
    assert first == []
    given = parse_qs(address.removeprefix("?"))
    wanted = given.get("smiles") or given.get("q")
    assert [run[0] for run in runs] == (wanted or [])
