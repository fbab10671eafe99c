"""The tab that finds words for a molecule."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from .axe import check_accessibility
from .steps import download, error, open_tab, overflow, press

STRANGER = "O=C(Nc1ccc(Br)cc1)c1ccncc1F"


def _describe(page: Page, molecule: str) -> None:
    open_tab(page, "Describe")
    page.locator("#describe-molecule textarea").fill(molecule)
    # The labels are read once, which takes a while on a busy machine.
    page.set_default_timeout(300_000)
    press(page, "#describe-start", "#describe-answer")


def _badges(page: Page, part: str) -> set[str]:
    return set(page.locator(f".mc-{part} .mc-said .mc-badge").all_inner_texts())


def test_recorded_and_predicted(page: Page, tmp_path: Path, artefacts: Path) -> None:
    _describe(page, "caffeine")
    said = page.locator(".mc-described")
    expect(said.locator("h3")).to_have_text("caffeine")
    link = said.locator(".mc-who a").first
    expect(link).to_have_attribute("href", "https://www.ebi.ac.uk/chebi/CHEBI:27732")
    assert "C8H10N4O2" in said.locator(".mc-properties").inner_text().replace("\n", "")
    classes = page.locator(".mc-classes .mc-words").all_inner_texts()
    assert classes[:2] == ["trimethylxanthine", "purine alkaloid"]
    assert "recorded" in _badges(page, "classes")
    expect(page.locator(".mc-roles")).to_contain_text("central nervous system stimulant")
    assert {"recorded", "calculated"} <= _badges(page, "captions")
    expect(page.locator(".mc-definitions").get_by_text("basic nitrogen compounds")).to_have_count(1)
    page.screenshot(path=artefacts / "describe.png", full_page=True)
    check_accessibility(page)

    told = json.loads(download(page, "#describe-json", tmp_path).read_text(encoding="utf-8"))
    assert told["record"]["id"] == "CHEBI:27732"
    assert [entry["text"] for entry in told["classes"]][:2] == classes[:2]
    # Its address opens it again.
    page.goto(page.url)
    page.locator(".mc-described h3").get_by_text("caffeine").wait_for()


def test_nothing_recorded_and_nothing_found(
    open_page: Callable[..., Page], artefacts: Path
) -> None:
    page = open_page(375, 800, dark=True)
    _describe(page, STRANGER)
    expect(page.locator(".mc-who")).to_contain_text("nothing is recorded")
    assert _badges(page, "classes") == {"predicted"}
    assert _badges(page, "captions") == {"predicted", "calculated"}
    assert overflow(page) == 0
    page.screenshot(path=artefacts / "describe-phone-dark.png", full_page=True)
    # Far above any score: silence is said, not filled.
    page.get_by_role("button", name="Options").click()
    page.locator("#describe-margin input[type=number]").fill("2")
    press(page, "#describe-start", "#describe-answer")
    expect(page.locator(".mc-roles")).to_contain_text("None: no role passes the threshold.")


def test_errors_are_sentences_and_input_stays_text(page: Page) -> None:
    _describe(page, "")
    expect(error(page, "#describe-answer")).to_contain_text("There is no molecule yet.")
    attack = "<img src=x onerror=window.hacked=1>${window.hacked=2}"
    _describe(page, attack)
    expect(error(page, "#describe-answer")).to_contain_text(attack)
    assert page.locator("#describe-answer img").count() == 0
    assert page.evaluate("window.hacked === undefined")
    # By keyboard alone, too.
    page.locator("#describe-molecule textarea").fill("")
    page.locator("#describe-molecule textarea").focus()
    page.keyboard.type("quinine")
    page.keyboard.press("Enter")
    page.locator(".mc-described h3").get_by_text("quinine").wait_for()
