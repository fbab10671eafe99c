"""The tab about the model: map, figures, card."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .axe import check_accessibility
from .conftest import Windows
from .steps import error, overflow

CLASSES = ".mc-map-legend button"
SLOW_MS = 120_000
# Middle of the plot's point in the window, for a point of one class.
_PIXEL = """([group, place]) => {
  const plot = document.querySelector('.mc-map-plot');
  const box = plot.getBoundingClientRect();
  const { xaxis, yaxis } = plot._fullLayout;
  const { x, y } = plot.data[group];
  return [box.left + xaxis._offset + xaxis.l2p(x[place]),
          box.top + yaxis._offset + yaxis.l2p(y[place])];
}"""


@pytest.fixture(scope="module")
def shown(lasting_windows: Windows) -> Page:
    """The tab with a question on the map, opened by its address."""
    page = lasting_windows.open(1440, 900, at="?tab=model&q=steroid+hormone")
    page.locator(CLASSES).first.wait_for(timeout=SLOW_MS)
    page.locator("#model-nearest .mc-map-card").first.wait_for(timeout=SLOW_MS)
    return page


def test_the_map(shown: Page, artefacts: Path) -> None:
    page = shown
    names = page.locator(CLASSES).all_inner_texts()
    counts = [int(name.rsplit("(", 1)[1].strip(")").replace(",", "")) for name in names]
    assert sum(counts) == 9000
    assert any(name.startswith("steroid") for name in names)
    # What was asked for lies among its like, ringed and starred.
    cards = page.locator("#model-nearest .mc-map-card").all_inner_texts()
    assert sum("steroid" in card for card in cards) >= 4
    page.wait_for_function(
        "document.querySelector('.mc-map-plot').data.at(-1).marker.symbol === 'star'"
    )
    page.screenshot(path=artefacts / "model.png", full_page=True)

    # A molecule under the pointer is drawn beside the map; a click keeps it there.
    page.locator(".mc-map-stage").scroll_into_view_if_needed()
    x, y = page.evaluate(_PIXEL, [3, 5])
    page.mouse.move(x - 2, y)
    page.mouse.move(x, y)
    page.locator(".mc-map-side svg.molclip-depiction").wait_for(timeout=SLOW_MS)
    kept = page.locator(".mc-map-name strong").first.inner_text()
    assert kept
    page.mouse.click(x, y)
    page.locator(".mc-map-side.mc-kept").wait_for(timeout=SLOW_MS)

    # Zoom by a button, classes by keyboard.
    wide = page.evaluate("document.querySelector('.mc-map-plot')._fullLayout.xaxis.range")
    page.get_by_role("button", name="Zoom in").click()
    page.wait_for_function(
        "(w) => { const [a, b] = document.querySelector('.mc-map-plot')._fullLayout.xaxis.range;"
        " return b - a < 0.7 * (w[1] - w[0]); }",
        arg=wide,
    )
    first = page.locator(CLASSES).first
    first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function("document.querySelector('.mc-map-plot').data[0].visible === false")
    expect(first).to_have_attribute("aria-pressed", "false")
    # Another question moves the star and leaves the zoom.
    page.locator("#model-words textarea").fill("caffeine")
    page.locator("#model-words textarea").press("Enter")
    page.get_by_text("Read as the name of a molecule.").wait_for(timeout=SLOW_MS)
    page.wait_for_function(
        "(many) => document.querySelector('.mc-map-plot').data.length === many", arg=len(names) + 2
    )
    expect(page).to_have_url(re.compile(r"q=caffeine"))


def test_what_is_known_of_the_model(shown: Page) -> None:
    page = shown
    results = page.locator("#model-results").inner_text()
    assert "Hits@1" in results
    expect(page.locator("#model-results table").first).to_be_visible()
    check_accessibility(page)
    tiles = page.locator("#model-geometry .mc-tile strong").all_inner_texts()
    assert tiles[0] == "Temperature"
    expect(page.locator("#model-training")).to_contain_text("molecules")
    assert page.locator("#model-rest script").count() == 0


def test_a_phone(open_page: Callable[..., Page], artefacts: Path) -> None:
    page = open_page(375, 800, dark=True, at="?tab=model")
    page.locator(CLASSES).first.wait_for(timeout=SLOW_MS)
    assert overflow(page) == 0
    page.locator("#model-start").click()
    said = error(page, "#model-nearest")
    said.wait_for(timeout=SLOW_MS)
    expect(said).to_contain_text("Nothing is asked yet.")
    page.screenshot(path=artefacts / "model-phone.png", full_page=True)
