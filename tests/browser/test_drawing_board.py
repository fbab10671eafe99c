"""The drawing board beside the structure field, by keyboard and mouse."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page
from rdkit import Chem

from .steps import CARDS, press


def test_drawing_board(page: Page, artefacts: Path) -> None:
    page.locator("#search-structure textarea").fill("benzene")
    toggle = page.get_by_role("button", name="Draw a structure")
    toggle.focus()
    page.keyboard.press("Enter")
    page.get_by_text("What you draw is written into the structure field.").wait_for()
    frame = page.frame_locator("#search-board iframe")
    # Six atoms of the name are on the board, and the field still holds the name.
    page.wait_for_function(
        "document.querySelector('#search-board iframe').contentWindow.editor?.smiles() === 'c1ccccc1'"
    )
    assert page.locator("#search-structure textarea").input_value() == "benzene"
    # A bond is the tool at hand: a click on an atom adds a methyl group there.
    box = frame.locator("#board").bounding_box()
    assert box is not None
    atom = page.evaluate(
        """() => {
          const frame = document.querySelector('#search-board iframe');
          const bond = [...frame.contentDocument.querySelectorAll('#board line')].pop();
          const place = bond.getBoundingClientRect();
          return [place.right, place.bottom];
        }"""
    )
    edge = page.locator("#search-board iframe").bounding_box()
    assert edge is not None
    page.mouse.click(edge["x"] + atom[0], edge["y"] + atom[1])
    page.wait_for_function(
        "document.querySelector('#search-structure textarea').value !== 'benzene'"
    )
    drawn = page.locator("#search-structure textarea").input_value()
    assert Chem.MolFromSmiles(drawn).GetNumHeavyAtoms() == 7
    page.screenshot(path=artefacts / "search-board.png")
    page.keyboard.press("Escape")
    assert page.locator("#search-board").is_hidden()
    assert toggle.get_attribute("aria-expanded") == "false"
    page.wait_for_function("document.activeElement.classList.contains('mc-draw')")
    press(page, "#search-start", "#search-results")
    assert "similarity 1.00" in page.locator(CARDS).first.inner_text()
