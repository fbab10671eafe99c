"""The why tab, as a visitor uses it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from playwright.sync_api import Page, expect

from .axe import check_accessibility
from .steps import download, error, open_tab, overflow

IBUPROFEN = "CC(C)Cc1ccc(cc1)C(C)C(=O)O"
WORDS = "non-steroidal anti-inflammatory drug"


def explain(page: Page, molecule: str, words: str) -> None:
    """Fill the form, press the button."""
    open_tab(page, "Why")
    page.locator("#why-molecule textarea").fill(molecule)
    page.locator("#why-words textarea").fill(words)
    page.locator("#why-start").click()


def test_a_match_is_explained(page: Page, artefacts: Path, tmp_path: Path) -> None:
    open_tab(page, "Why")
    expect(page.locator("#why-answer")).to_contain_text("An explanation appears here.")
    explain(page, IBUPROFEN, WORDS)
    page.locator(".mc-counter .mc-map").first.wait_for()
    assert page.locator(".mc-why svg.molclip-depiction").count() >= 2
    expect(page.locator(".mc-counter svg.molclip-depiction")).to_have_count(2)
    chips = page.locator(".mc-words").first.locator(".mc-word span").all_inner_texts()
    assert chips == WORDS.split()
    expect(page.locator("#why-summary")).to_contain_text("cosine 0.")
    expect(page.locator("#why-cancel")).to_be_hidden()
    expect(page).to_have_url(re.compile(r"tab=why"))
    expect(page).to_have_url(re.compile(r"anti-inflammatory"))
    page.screenshot(path=artefacts / "why.png", full_page=True)
    check_accessibility(page)
    told = json.loads(download(page, "#why-json", tmp_path).read_text(encoding="utf-8"))
    assert told["text"] == WORDS
    assert len(told["atoms"]) == 15
    assert "<svg" in download(page, "#why-svg", tmp_path).read_text(encoding="utf-8")
    # The neighbour is explained by its link, without reloading.
    page.get_by_role("link", name="Explain this one").click()
    page.wait_for_function(
        "(old) => document.querySelector('#why-molecule textarea').value !== old", arg=IBUPROFEN
    )
    expect(page.locator("#why-words textarea")).to_have_value(WORDS)


def test_an_address_explains_on_a_phone(open_page: Callable[..., Page], artefacts: Path) -> None:
    address = f"?tab=why&smiles=quercetin&text={quote('plant flavonol')}"
    page = open_page(375, 800, dark=True, at=address)
    page.locator(".mc-counter").wait_for()
    assert overflow(page) == 0
    expect(page.locator("#why-words textarea")).to_have_value("plant flavonol")
    page.screenshot(path=artefacts / "why-phone.png", full_page=True)


def test_what_cannot_be_explained_is_said(page: Page) -> None:
    explain(page, "C" * 121, "wax")
    said = error(page, "#why-answer")
    said.wait_for()
    expect(said).to_contain_text("121 atoms; this page explains up to 120")
    assert page.locator("#why-counter").inner_text().strip() == ""
    attack = "<img src=x onerror=window.hacked=1>${window.hacked=2}"
    page.locator("#why-molecule textarea").fill("CCO")
    page.locator("#why-words textarea").fill(attack)
    page.locator("#why-words textarea").press("Enter")
    page.locator(".mc-words").first.wait_for()
    assert attack.split(maxsplit=1)[0] in page.locator(".mc-words").first.inner_text()
    assert page.locator("#why-answer img").count() == 0
    assert page.evaluate("window.hacked === undefined")
