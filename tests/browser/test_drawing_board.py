"""The drawing board beside the structure field, by keyboard and mouse."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect
from rdkit import Chem

from .steps import CARDS, press

TOOL = 25
"""Pixels from one button of the editor to the next."""
BOND = 25
"""Pixels of a bond on the editor's paper."""


def test_drawing_board(page: Page, artefacts: Path) -> None:
    page.locator("#search-structure textarea").fill("benzene")
    toggle = page.get_by_role("button", name="Draw a structure")
    toggle.focus()
    page.keyboard.press("Enter")
    page.get_by_text("What you draw is written into the structure field.").wait_for()
    frame = next(frame for frame in page.frames if "drawing-board" in frame.url)
    # The molecule of that name is on the board, and the field still holds the name.
    frame.wait_for_function("editor?.smiles() === 'c1ccccc1'")
    expect(page.locator("#search-structure textarea")).to_have_value("benzene")
    place = page.locator("#search-board iframe").bounding_box()
    assert place is not None
    # The ring with three double bonds is the ninth tool of the second row.
    page.mouse.click(place["x"] + 8.5 * TOOL, place["y"] + 1.5 * TOOL)
    # Benzene lies in the middle of the paper. The paper has a column of tools on its left, two rows
    # above and one below; the bond on the right is a hexagon's inner radius away.
    middle = (place["x"] + (place["width"] + TOOL) / 2, place["y"] + (place["height"] + TOOL) / 2)
    page.mouse.click(middle[0] + BOND * 3**0.5 / 2, middle[1])
    page.wait_for_function(
        "document.querySelector('#search-structure textarea').value !== 'benzene'"
    )
    drawn = page.locator("#search-structure textarea").input_value()
    assert Chem.CanonSmiles(drawn) == Chem.CanonSmiles("c1ccc2ccccc2c1")
    page.screenshot(path=artefacts / "search-board.png")
    page.keyboard.press("Escape")
    expect(page.locator("#search-board")).to_be_hidden()
    expect(toggle).to_have_attribute("aria-expanded", "false")
    page.wait_for_function("document.activeElement.classList.contains('mc-draw')")
    press(page, "#search-start", "#search-results")
    expect(page.locator("#search-summary .mc-read")).to_have_text("Structure: read as SMILES.")
    expect(page.locator(CARDS)).to_have_count(12)
