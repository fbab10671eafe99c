"""The image baseline tab: without weights, and with those of a tiny model."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from open_clip_folder import write_open_clip
from playwright.sync_api import Page, expect

from .axe import check_accessibility
from .steps import error, open_tab, overflow

pytest.importorskip("open_clip")
SIDES = "#image-answer .mc-side-answer"


def compare(page: Page, words: str) -> None:
    """Fill the form, press the button, and wait until the answer is about these words."""
    open_tab(page, "Image baseline")
    page.locator("#image-words textarea").fill(words)
    page.locator("#image-start").click()
    page.locator("#image-cancel").wait_for(state="hidden", timeout=240_000)


def test_without_weights_then_with_them(
    open_page: Callable[..., Page], image_weights: Path, artefacts: Path
) -> None:
    page = open_page(1440, 900)
    open_tab(page, "Image baseline")
    expect(page.locator("#image-answer")).to_contain_text("Two answers appear here.")
    if not image_weights.exists():
        compare(page, "steroid")
        page.locator(SIDES).nth(1).wait_for(timeout=240_000)
        left, right = (page.locator(SIDES).nth(n) for n in (0, 1))
        expect(left).to_contain_text("'tiny' are not there")
        assert str(image_weights.parent) not in page.content()
        expect(right.locator(".mc-hit")).to_have_count(8)
        page.screenshot(path=artefacts / "image-baseline-absent.png", full_page=True)
        write_open_clip(image_weights)
    compare(page, "antibacterial agent")
    page.locator(SIDES).first.locator(".mc-hit").first.wait_for(timeout=240_000)
    for side in (0, 1):
        shown = page.locator(SIDES).nth(side)
        expect(shown.locator(".mc-hit svg.molclip-depiction")).to_have_count(8)
        expect(shown).to_contain_text("300 molecules")
        expect(shown).to_contain_text(" ms")
    expect(page.locator("#image-answer")).to_contain_text("Of the first 10: open_clip")
    expect(page).to_have_url(re.compile(r"tab=image-baseline&q=antibacterial\+agent"))
    page.screenshot(path=artefacts / "image-baseline.png", full_page=True)
    check_accessibility(page)
    page.set_viewport_size({"width": 375, "height": 800})
    assert overflow(page) == 0
    page.screenshot(path=artefacts / "image-baseline-phone.png", full_page=True)


def test_nothing_asked_is_said(page: Page) -> None:
    compare(page, " ")
    said = error(page, "#image-answer")
    said.wait_for()
    expect(said).to_contain_text("Nothing is asked yet.")
