"""The image baseline tab: without weights, and with those of a tiny model."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from open_clip_folder import write_open_clip
from playwright.sync_api import Page

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
    assert "Two answers appear here." in page.locator("#image-answer").inner_text()
    if not image_weights.exists():
        compare(page, "steroid")
        page.locator(SIDES).nth(1).wait_for(timeout=240_000)
        left, right = (page.locator(SIDES).nth(n) for n in (0, 1))
        assert "'tiny' are not there" in left.inner_text()
        assert str(image_weights.parent) not in page.content()
        assert right.locator(".mc-hit").count() == 8
        page.screenshot(path=artefacts / "image-baseline-absent.png", full_page=True)
        write_open_clip(image_weights)
    compare(page, "antibacterial agent")
    page.locator(SIDES).first.locator(".mc-hit").first.wait_for(timeout=240_000)
    for side in (0, 1):
        shown = page.locator(SIDES).nth(side)
        assert shown.locator(".mc-hit svg.molclip-depiction").count() == 8
        assert "300 molecules" in shown.inner_text()
        assert " ms" in shown.inner_text()
    assert "Of the first 10: open_clip" in page.locator("#image-answer").inner_text()
    assert "tab=image-baseline&q=antibacterial+agent" in page.url
    page.screenshot(path=artefacts / "image-baseline.png", full_page=True)
    check_accessibility(page)
    page.set_viewport_size({"width": 375, "height": 800})
    assert overflow(page) == 0
    page.screenshot(path=artefacts / "image-baseline-phone.png", full_page=True)


def test_nothing_asked_is_said(page: Page) -> None:
    compare(page, " ")
    said = error(page, "#image-answer")
    said.wait_for()
    assert "Nothing is asked yet." in said.inner_text()
