"""The search tab, as a visitor uses it."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from rdkit import Chem

from .axe import check_accessibility
from .steps import CARDS, download, error, names, overflow, search

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def test_words_find_the_right_molecules(page: Page, tmp_path: Path, artefacts: Path) -> None:
    search(page, "beta-lactam antibiotic")
    found = names(page)
    assert len(found) == 12
    right = [n for n in found[:10] if re.search(r"cillin|ceph|cef|penem|penam|monobactam", n, re.I)]
    assert len(right) >= 5, found
    expect(page.locator("#search-summary .mc-read")).to_have_text("Read as words.")
    expect(page.locator(f"{CARDS} svg.molclip-depiction")).to_have_count(12)
    assert page.locator(f"{CARDS} .mc-properties").first.inner_text().count("g/mol") == 1
    expect(page.get_by_text("Not for clinical, legal or safety decisions.")).to_be_visible()
    page.screenshot(path=artefacts / "search.png", full_page=True)
    check_accessibility(page)

    # Downloads hold the hits.
    with download(page, "#search-csv", tmp_path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == found
    assert [int(row["rank"]) for row in rows] == list(range(1, 13))
    mols = list(Chem.SDMolSupplier(str(download(page, "#search-sdf", tmp_path))))
    assert [Chem.MolToSmiles(mol) for mol in mols] == [
        Chem.MolToSmiles(Chem.MolFromSmiles(row["smiles"])) for row in rows
    ]
    assert [mol.GetProp("id") for mol in mols] == [row["id"] for row in rows]
    page.locator("#results-scope").select_option("best")
    whole = json.loads(download(page, "#search-json", tmp_path).read_text(encoding="utf-8"))
    assert whole["query"]["text"] == "beta-lactam antibiotic"
    assert [hit["name"] for hit in whole["hits"][:12]] == found
    assert len(whole["hits"]) == 200
    page.get_by_text("molclip-search.json: 200 molecules.").wait_for()


def test_names_are_read_as_names(page: Page) -> None:
    search(page, "caffeine")
    expect(page.locator("#search-summary .mc-read")).to_contain_text("name of a molecule")
    first = page.locator(CARDS).first
    expect(first.locator("h3")).to_have_text("caffeine")
    expect(first).to_contain_text("has this name")
    # What the model thinks of a name says nothing of the molecule that has it.
    expect(first.locator(".mc-strong, .mc-plausible, .mc-weak, .mc-none")).to_have_count(0)
    links = [link.get_attribute("href") for link in first.locator("a").all()]
    assert links[:2] == [
        "https://www.ebi.ac.uk/chebi/CHEBI:27732",
        "https://pubchem.ncbi.nlm.nih.gov/#query=RYYVLZVUVIJVGH-UHFFFAOYSA-N",
    ]
    assert "C8H10N4O2" in first.inner_text().replace("\n", "")
    # A misspelt one is noticed.
    search(page, "caffeinne")
    said = page.locator("#search-summary").inner_text()
    assert "Read as words." in said
    assert "Names spelled alike: caffeine" in said


def test_a_structure_alone_and_with_words(page: Page) -> None:
    search(page, structure=ASPIRIN)
    first = page.locator(CARDS).first
    expect(first.locator("h3")).to_have_text("acetylsalicylic acid")
    expect(first).to_contain_text("similarity 1.00")
    expect(page.locator("#search-summary .mc-read")).to_have_text("Structure: read as SMILES.")
    search(page, "opioid antagonist", "morphine")
    said = page.locator("#search-summary").inner_text()
    assert "0.5 * cosine of text" in said
    assert "Structure: read as the name of a molecule." in said
    assert len(names(page)) == 12
    # Both in one field.
    search(page, "opioid antagonist + codeine")
    said = page.locator("#search-summary").inner_text()
    assert "Read as words. Structure: read as the name of a molecule." in said
    why = page.locator(f"{CARDS} a", has_text="Why?").first.get_attribute("href")
    assert (why or "").startswith("?tab=why&smiles=")
    assert "text=opioid+antagonist" in (why or "")


def test_examples_and_more_like_this(page: Page) -> None:
    page.get_by_role("button", name="caffeine", exact=True).click()
    page.locator(CARDS).first.wait_for()
    assert names(page)[0] == "caffeine"
    smiles = page.locator(f"{CARDS} .mc-more").first.get_attribute("data-smiles")
    page.locator(f"{CARDS} .mc-more").first.click()
    page.get_by_text("similarity 1.00").first.wait_for()
    expect(page.locator("#search-structure textarea")).to_have_value(smiles)
    expect(page.locator("#search-words textarea")).to_have_value("")
    assert names(page)[0] == "caffeine"


def _open_filters(page: Page) -> None:
    page.locator("#search-options > button, #search-options .label-wrap").first.click()
    page.locator("[data-column=rings]").wait_for()


def _answered(page: Page, said: str) -> None:
    """Wait until the line above the hits says so, and the hits have come."""
    page.locator("#search-summary .mc-summary", has_text=said).wait_for()
    page.locator("#results-found").wait_for()


def test_filters_narrow_the_answer_at_once(page: Page, artefacts: Path) -> None:
    search(page, "stimulant")
    _open_filters(page)
    heaviest = page.get_by_label("Molecular weight to, g/mol")
    heaviest.fill("250")
    heaviest.press("Tab")
    _answered(page, "Filtered: Molecular weight to 250 g/mol")
    rings = page.get_by_label("Rings from", exact=True).first
    rings.focus()
    for _ in range(2):
        page.keyboard.press("ArrowRight")
    _answered(page, "Filtered: Molecular weight to 250 g/mol; Rings from 2")
    # Bars outside of the bounds are greyed: those of 0 and 1 rings.
    expect(page.locator("[data-column=rings] rect.mc-out")).to_have_count(2)
    page.screenshot(path=artefacts / "search-filters.png", full_page=True)
    expect(page).to_have_url(re.compile(r"filter=mol_weight%3A\.\.250%3Brings%3A2\.\."))
    page.locator("#results-table").click()
    page.locator(".mc-hits").wait_for()
    assert all(weight <= 250 for weight in _column(page, "mol_weight"))
    assert all(count >= 2 for count in _column(page, "rings"))
    page.get_by_label("Molecular weight to, g/mol").fill("1")
    page.keyboard.press("Tab")
    page.locator("#search-results .mc-message.mc-none").wait_for()
    expect(page.locator("#search-results .mc-message.mc-none")).to_have_text(
        re.compile(r"^No result\.")
    )
    page.get_by_role("button", name="Clear filters").click()
    page.locator("#results-found").wait_for()
    expect(page.get_by_label("Molecular weight to, g/mol")).to_have_value("")


def test_the_substructure_is_marked(page: Page) -> None:
    _open_filters(page)
    field = page.locator("#search-smarts input, #search-smarts textarea")
    field.fill("[n;r5]")
    page.locator("#search-words textarea").fill("stimulant")
    field.press("Enter")
    _answered(page, "with the substructure [n;r5]")
    drawings = page.locator(f"{CARDS} svg.molclip-depiction").all()
    assert drawings
    assert all("#E0A020" in drawing.inner_html().upper() for drawing in drawings)


def test_recorded_only(page: Page, artefacts: Path) -> None:
    search(page, "ACE inhibitor")
    summary = page.locator("#search-summary")
    expect(summary).to_contain_text("The source records")
    _open_filters(page)
    box = page.get_by_label("Recorded only")
    expect(box).not_to_be_checked()
    expect(box).to_have_accessible_description("Molecules of which ChEBI states what is asked.")
    box.check()
    _answered(page, "curated molecules searched, recorded only")
    expect(summary).not_to_contain_text("The source records")
    expect(page.locator(CARDS)).to_have_count(12)
    expect(page.locator(f"{CARDS} .mc-badges .mc-recorded")).to_have_count(12)
    expect(page.locator(f"{CARDS} .mc-badges .mc-predicted")).to_have_count(0)
    page.wait_for_function("location.search.includes('recorded=1')")
    page.screenshot(path=artefacts / "search-recorded.png", full_page=True)
    check_accessibility(page)
    # The address opens the same answer, and the box is ticked.
    shown, address = names(page), page.url
    page.goto("about:blank")
    page.goto(address)
    _answered(page, "recorded only")
    assert names(page) == shown
    _open_filters(page)
    expect(page.get_by_label("Recorded only")).to_be_checked()
    # Words that ChEBI does not have are refused with what to do.
    search(page, "zorgnak blibber")
    expect(error(page, "#search-results")).to_contain_text("leave recorded out")


def _column(page: Page, column: str) -> list[float]:
    """Numbers of a column of the table."""
    place = page.evaluate(
        "(id) => [...document.querySelectorAll('.mc-hits thead th')]"
        ".findIndex((th) => th.querySelector(`#head-${id}`))",
        column,
    )
    cells = page.locator(f".mc-hits tbody tr > :nth-child({place + 1})").all_inner_texts()
    assert cells
    return [float(cell.replace(",", "").replace("\u2212", "-")) for cell in cells]


def test_table_order_and_pages(page: Page, artefacts: Path) -> None:
    search(page, "plant flavonol")
    first = names(page)
    page.locator("#results-next").click()
    page.get_by_text("Hits 13 to 24.").wait_for()
    assert not set(first) & set(names(page))
    expect(page.locator(f"{CARDS} .mc-rank").first).to_have_text("13")
    page.locator("#results-table").click()
    page.locator(".mc-hits").wait_for()
    page.wait_for_function("document.activeElement.id === 'results-table'")
    page.locator("#head-mol_weight").click()
    page.locator("th[aria-sort=ascending] #head-mol_weight").wait_for()
    weights = _column(page, "mol_weight")
    assert len(weights) == 12
    assert weights == sorted(weights)
    expect(page.locator(".mc-toolbar")).to_contain_text("among the best 200")
    page.locator("#results-sort").select_option("-mol_weight")
    page.locator("th[aria-sort=descending] #head-mol_weight").wait_for()
    assert min(_column(page, "mol_weight")) >= max(weights)
    page.screenshot(path=artefacts / "search-table.png", full_page=True)
    page.wait_for_function("location.search.includes('sort=-mol_weight')")
    address = page.url
    shown = _column(page, "mol_weight")
    page.goto("about:blank")
    page.goto(address)
    page.locator(".mc-hits").wait_for()
    assert _column(page, "mol_weight") == shown


ATTACK = "<img src=x onerror=window.hacked=1>${window.hacked=2}{{value}}"


def test_errors_are_sentences(page: Page) -> None:
    said = error(page, "#search-results")
    for words, structure, sentence in (
        ("", "", "Nothing is asked yet."),
        ("", "C1CC(", "cannot be read"),
        ("", "nosuchmolecule", "neither a structure nor a name"),
        ("CCO", "CCN", "Two structures are given."),
        ("word " * 500, "", "2,499 characters"),
        ("", "C" * 400, "400 heavy atoms"),
        # Markup in the question stays text.
        ("", ATTACK, "<img src=x onerror=window.hacked=1>${window.hacked=2}"),
    ):
        search(page, words, structure)
        said.wait_for()
        expect(said).to_contain_text(sentence)
        assert "Traceback" not in page.locator("body").inner_text()
    assert page.locator("#search-results img").count() == 0
    assert page.evaluate("window.hacked === undefined")
    _open_filters(page)
    page.locator("#search-smarts input, #search-smarts textarea").fill("C1CC")
    search(page, "statin")
    expect(said).to_contain_text("SMARTS")


def test_the_page_does_not_jump_between_answers(page: Page) -> None:
    search(page, "caffeine")
    page.evaluate(
        """() => {
          window.shifts = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) window.shifts += entry.value;
          }).observe({ type: 'layout-shift', buffered: false });
        }"""
    )
    search(page, "theophylline")
    # 0.1 is where Web Vitals begins to call a page restless.
    assert page.evaluate("window.shifts") < 0.1


# In light colours nothing has another size.
@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.slow), True])
def test_phone_width(open_page: Callable[..., Page], dark: bool, artefacts: Path) -> None:
    page = open_page(375, 800, dark)
    search(page, "plant flavonol")
    _open_filters(page)
    assert overflow(page) == 0
    page.get_by_role("button", name="Draw a structure").click()
    page.get_by_text("What you draw is written into the structure field.").wait_for()
    page.locator("#results-table").click()
    page.locator(".mc-hits").wait_for()
    assert overflow(page) == 0
    page.screenshot(
        path=artefacts / f"search-phone-{'dark' if dark else 'light'}.png", full_page=True
    )
