"""The page as a whole: narrow windows, dark colours, and what the server must not serve."""

from __future__ import annotations

import socket
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from molclip.app.tabs import TABS
from playwright.sync_api import Page, expect

from .axe import check_accessibility
from .steps import CARDS, classify, overflow, search


def test_phone_width(open_page: Callable[..., Page], artefacts: Path) -> None:
    page = open_page(375, 800)
    assert overflow(page) == 0
    search(page, "plant flavonol with antioxidant activity")
    expect(page.locator(CARDS)).to_have_count(12)
    assert overflow(page) == 0
    box = page.locator(CARDS).first.bounding_box()
    assert box is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= 375
    page.screenshot(path=artefacts / "search-phone.png")
    classify(page, "caffeine", "alkaloid\nsteroid\nan extraordinarily long label of many words")
    page.locator(".mc-bars").wait_for()
    assert overflow(page) == 0
    page.screenshot(path=artefacts / "classify-phone.png", full_page=True)


def test_dark_colours_of_an_answer_reached_by_keyboard(
    open_page: Callable[..., Page], artefacts: Path
) -> None:
    page = open_page(dark=True)
    page.locator("#search-words textarea").focus()
    page.keyboard.type("caffeine")
    page.keyboard.press("Enter")
    page.locator(CARDS).first.wait_for()
    expect(page.locator(f"{CARDS} h3").first).to_have_text("caffeine")
    colours = page.evaluate(
        """() => {
          const card = document.querySelector('.mc-card');
          const part = (element, name) => getComputedStyle(element)[name].match(/[0-9.]+/g);
          return [
            part(card, 'backgroundColor'),
            part(card.querySelector('h3'), 'color'),
            part(card.querySelector('svg.molclip-depiction'), 'color'),
          ].map((rgb) => rgb.slice(0, 3).map(Number));
        }"""
    )
    ground, title, carbon = (_luminance(colour) for colour in colours)
    # WCAG 2: 4.5 for text, 3 for graphics.
    assert (title + 0.05) / (ground + 0.05) >= 4.5
    assert (carbon + 0.05) / (ground + 0.05) >= 3
    page.screenshot(path=artefacts / "search-dark.png", full_page=True)


def _luminance(rgb: list[float]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    linear = [
        c / 12.92 if (c := value / 255) <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4
        for value in rgb
    ]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_every_tab_is_reached_by_keyboard_on_a_phone(open_page: Callable[..., Page]) -> None:
    page = open_page(375, 800)
    more = page.get_by_role("button", name="More tabs", expanded=False)
    more.wait_for()
    bar = page.get_by_role("tab").all_inner_texts()
    more.focus()
    page.keyboard.press("Enter")
    page.get_by_role("button", name="More tabs", expanded=True).wait_for()
    listed = page.locator("#page-tabs-more button").all_inner_texts()
    assert bar + listed == [tab.TITLE for tab in TABS]
    check_accessibility(page)
    assert overflow(page) == 0
    page.keyboard.press("Tab")
    expect(page.locator("*:focus")).to_have_text(listed[0])
    page.keyboard.press("Escape")
    more.wait_for()
    expect(page.locator("#page-tabs-more")).to_be_hidden()
    expect(page.locator("*:focus")).to_have_attribute("aria-label", "More tabs")
    # The last one takes a place in the bar, and the focus with it.
    page.keyboard.press("Enter")
    for _ in listed:
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.locator("[role=tab][aria-selected=true]:focus", has_text=listed[-1]).wait_for()
    page.wait_for_url("**/?tab=api")
    expect(page.locator("#page-tabs-more")).to_be_hidden()


@pytest.mark.parametrize(
    "path",
    [
        "gradio_api/file=/etc/hostname",
        f"gradio_api/file={Path(__file__).resolve()}",
        "gradio_api/file=http://127.0.0.1:9/",
        "gradio_api/file=HTTPS://example.org/",
        "gradio_api/proxy=http://127.0.0.1:9/",
    ],
)
def test_no_path_of_the_server_is_served(url: str, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(url + path, timeout=60)
    assert refused.value.code in (403, 404)


def test_it_listens_on_one_loopback_address_only(url: str) -> None:
    port = urlsplit(url).port
    assert port is not None
    # A server bound to all addresses would answer on 127.0.0.2 as well.
    with socket.socket() as probe:
        probe.settimeout(5)
        assert probe.connect_ex(("127.0.0.2", port)) != 0
