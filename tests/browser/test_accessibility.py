"""axe finds nothing serious on any tab as it opens; the tests of each tab ask the same of answers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from molclip.app.tabs import TABS
from playwright.sync_api import Page

from .axe import findings, told
from .steps import open_tab

READY = {
    "Search": "#search-start",
    "Your library": "#own-file-drop",
    "Classify": "#classify-start",
    "Describe": "#describe-start",
    "Why": "#why-start",
    "Image baseline": "#image-start",
    "Model": ".mc-map-legend button",
    "API": "#api-functions .mc-function",
}
"""What is there when a tab has been laid out."""


@pytest.mark.parametrize(
    "dark", [False, pytest.param(True, marks=pytest.mark.slow)], ids=["light", "dark"]
)
def test_every_tab_as_it_opens(open_page: Callable[..., Page], dark: bool, artefacts: Path) -> None:
    page = open_page(dark=dark)
    found: dict[str, Any] = {}
    for tab in TABS:
        open_tab(page, tab.TITLE)
        page.locator(READY[tab.TITLE]).first.wait_for()
        found[tab.TITLE] = findings(page)
    (artefacts / f"axe-{'dark' if dark else 'light'}.json").write_text(told(found))
    assert not any(found.values()), told(found)


def test_the_check_finds_what_is_wrong(page: Page) -> None:
    page.evaluate(
        """() => document.querySelector('main, body').insertAdjacentHTML('beforeend',
        '<img src="data:,"><p style="color:#999;background:#aaa">pale words</p>')"""
    )
    assert {entry["rule"] for entry in findings(page)} == {"image-alt", "color-contrast"}
