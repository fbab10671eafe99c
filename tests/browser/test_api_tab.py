"""The API tab, as a visitor sees it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from molclip.app.examples import EXAMPLES, curl_call, python_call
from playwright.sync_api import Page, expect

from .steps import open_tab, overflow


def test_calls_are_shown_with_this_address(page: Page, url: str, artefacts: Path) -> None:
    open_tab(page, "API")
    section = page.locator(".mc-function", has=page.locator("#api-classify"))
    python = section.locator(".mc-way-python code")
    python.wait_for()
    assert python.inner_text().strip() == python_call("classify", EXAMPLES["classify"], url).strip()
    expect(page.locator(".mc-function")).to_have_count(len(EXAMPLES))
    assert section.locator("dt code").all_inner_texts() == [
        "molecules", "labels", "label_set", "sentences", "threshold",
    ]  # fmt: skip
    expect(section.locator(".mc-way-curl")).to_be_hidden()
    page.locator("#api-way").get_by_text("curl").click()
    curl = section.locator(".mc-way-curl code")
    curl.wait_for()
    assert curl.inner_text().strip() == curl_call("classify", EXAMPLES["classify"], url).strip()
    expect(python).to_be_hidden()
    expect(page.locator("#api-intro")).to_contain_text("gradio_api/mcp/")
    page.screenshot(path=artefacts / "api.png", full_page=True)


def test_narrow_and_dark(open_page: Callable[..., Page], artefacts: Path) -> None:
    page = open_page(375, 800, dark=True)
    open_tab(page, "API")
    page.locator(".mc-function").first.wait_for()
    assert overflow(page) == 0
    page.screenshot(path=artefacts / "api-phone.png")
