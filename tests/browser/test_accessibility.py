"""axe finds nothing serious on any tab, but for a named list of Gradio's own markup."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from molclip.app.links import slug
from molclip.app.tabs import TABS
from playwright.sync_api import Page

from .steps import CARDS, classify, search

GRADIOS_OWN: dict[tuple[str, str], str] = {}
"""Rule and a part of the markup that Gradio writes and no setting changes, with the reason."""

_OPTIONS = {
    "resultTypes": ["violations"],
    "runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]},
}


def findings(page: Page) -> list[dict[str, Any]]:
    """Serious and critical findings that are ours: rule, markup, what to do."""
    response = Axe().run(page, options=_OPTIONS).response
    found = []
    for violation in response["violations"]:
        if violation["impact"] not in ("serious", "critical"):
            continue
        for node in violation["nodes"]:
            known = any(
                violation["id"] == rule and part in node["html"] for rule, part in GRADIOS_OWN
            )
            if not known:
                found.append(
                    {
                        "rule": violation["id"],
                        "help": violation["help"],
                        "html": node["html"][:300],
                        "target": node["target"],
                        "summary": node["failureSummary"][:400],
                    }
                )
    return found


def told(found: list[dict[str, Any]]) -> str:
    return json.dumps(found, indent=1)


@pytest.mark.parametrize("name", [slug(tab.TITLE) for tab in TABS])
@pytest.mark.parametrize(
    "dark", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["light", "dark"]
)
def test_every_tab_as_it_opens(
    open_page: Callable[..., Page], url: str, name: str, dark: bool, artefacts: Path
) -> None:
    page = open_page(dark=dark)
    page.goto(f"{url}?tab={name}")
    page.locator(f"button[role=tab][aria-selected=true][data-tab-id={name}]").wait_for()
    page.wait_for_timeout(1500)  # the event stream never falls silent
    found = findings(page)
    (artefacts / f"axe-{name}-{'dark' if dark else 'light'}.json").write_text(told(found))
    assert not found, told(found)


def test_the_check_finds_what_is_wrong(page: Page) -> None:
    page.evaluate(
        """() => document.querySelector('main, body').insertAdjacentHTML('beforeend',
        '<img src="data:,"><p style="color:#999;background:#aaa">pale words</p>')"""
    )
    assert {entry["rule"] for entry in findings(page)} == {"image-alt", "color-contrast"}


@pytest.mark.parametrize(
    ("state", "ready"),
    [
        ("tab=describe&smiles=caffeine", "#describe-json"),
        ("tab=why&smiles=CC(=O)Oc1ccccc1C(=O)O&text=anti-inflammatory+drug", "#why-json"),
    ],
)
def test_answers_behind_links(page: Page, url: str, state: str, ready: str) -> None:
    page.goto(f"{url}?{state}")
    page.locator(ready).wait_for(timeout=300_000)
    found = findings(page)
    assert not found, told(found)


def test_answers(page: Page) -> None:
    search(page, "beta-lactam antibiotic")
    page.locator(CARDS).first.wait_for()
    found = findings(page)
    classify(page, "morphine\ncholesterol\nC1CC(", "steroid\nopioid analgesic")
    found += findings(page)
    page.locator("#classify-view").get_by_text("heat map").click()
    page.locator(".mc-heat").wait_for()
    found += findings(page)
    classify(page, "caffeine", "alkaloid\nsteroid")
    page.locator(".mc-sentences summary").click()
    found += findings(page)
    assert not found, told(found)
