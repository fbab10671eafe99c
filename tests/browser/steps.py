"""What a visitor does, in words."""

from __future__ import annotations

from pathlib import Path

from molclip.app.links import slug
from playwright.sync_api import Locator, Page

CARDS = "#search-results .mc-card"


def open_tab(page: Page, name: str) -> None:
    """Bring a tab to the front; a narrow window has the last ones in a menu."""
    _still(page)
    tab = page.get_by_role("tab", name=name, exact=True)
    if not tab.is_visible():
        page.get_by_role("button", name="More tabs").click()
        tab = page.locator("#page-tabs-more").get_by_role("button", name=name, exact=True)
    tab.click()
    page.locator(f"[role=tab][aria-selected=true][data-tab-id={slug(name)}]").wait_for()


def _still(page: Page) -> None:
    """Wait until the bar of tabs stands: Gradio lays out all, then moves what has no room."""
    page.evaluate(
        """() => new Promise((done) => {
          let before = null;
          let frames = 0;
          const look = () => {
            const buttons = [...document.querySelectorAll('#page-tabs > .tab-wrapper button')];
            const now = buttons.map((b) => b.textContent + b.getBoundingClientRect().x).join();
            frames = now === before && now !== '' ? frames + 1 : 0;
            before = now;
            if (frames === 10) done();
            else requestAnimationFrame(look);
          };
          look();
        })"""
    )


def search(page: Page, words: str = "", structure: str = "") -> None:
    """Fill the form, press the button, and wait until the answer stands."""
    page.locator("#search-words textarea").fill(words)
    page.locator("#search-structure textarea").fill(structure)
    press(page, "#search-start", "#search-results")


def press(page: Page, button: str, answer: str) -> None:
    """Press a button and wait until what stood in the answer's place has been replaced."""
    page.evaluate(
        "(id) => document.querySelectorAll(`${id} *`).forEach((old) => { old.dataset.old = '' })",
        answer,
    )
    page.locator(button).click()
    page.wait_for_function(
        """(id) => {
          const parts = '.mc-message, .mc-cards, .mc-answer, .mc-scroll, .mc-described';
          const found = [...document.querySelectorAll(`${id} :is(${parts})`)];
          return found.length > 0 && !found.some((part) => 'old' in part.dataset);
        }""",
        arg=answer,
    )


def names(page: Page) -> list[str]:
    """Names on the cards, in order."""
    return [name.strip() for name in page.locator(f"{CARDS} h3").all_inner_texts()]


def error(page: Page, place: str) -> Locator:
    """The sentence of an error in a part of the page."""
    return page.locator(f"{place} .mc-error")


def classify(page: Page, molecule: str = "", labels: str = "", file: Path | None = None) -> None:
    """Fill the form of the second tab, press the button, and wait for the answer."""
    open_tab(page, "Classify")
    page.locator("#classify-molecule textarea").fill(molecule)
    page.locator("#classify-labels textarea").fill(labels)
    if file is not None:
        page.locator("#classify-file input[type=file]").set_input_files(file)
        page.locator("#classify-file").get_by_text(file.stem[:8]).first.wait_for()
    press(page, "#classify-start", "#classify-answer")


def download(page: Page, button: str, folder: Path) -> Path:
    """Press a download button and return the saved file."""
    page.locator(button).wait_for()
    with page.expect_download() as waiting:
        page.locator(button).click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def overflow(page: Page) -> int:
    """Pixels that the page is wider than its window."""
    return int(
        page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    )
