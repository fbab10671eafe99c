"""The search tab, as a visitor uses it."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page

from .steps import CARDS, download, error, names, search

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def test_words_find_the_right_molecules(page: Page, artefacts: Path) -> None:
    search(page, "beta-lactam antibiotic")
    found = names(page)
    assert len(found) == 12
    right = [n for n in found[:10] if re.search(r"cillin|ceph|cef|penem|penam|monobactam", n, re.I)]
    assert len(right) >= 5, found
    assert page.locator("#search-summary .mc-read").inner_text() == "Read as words."
    assert page.locator(f"{CARDS} svg.molclip-depiction").count() == 12
    assert page.locator(f"{CARDS} .mc-properties").first.inner_text().count("g/mol") == 1
    assert page.get_by_text("Not for clinical, legal or safety decisions.").is_visible()
    page.screenshot(path=artefacts / "search.png", full_page=True)


def test_a_name_is_read_as_a_name(page: Page) -> None:
    search(page, "caffeine")
    assert "name of a molecule" in page.locator("#search-summary .mc-read").inner_text()
    first = page.locator(CARDS).first
    assert first.locator("h3").inner_text() == "caffeine"
    assert "has this name" in first.inner_text()
    links = [link.get_attribute("href") for link in first.locator("a").all()]
    assert links == [
        "https://www.ebi.ac.uk/chebi/CHEBI:27732",
        "https://pubchem.ncbi.nlm.nih.gov/#query=RYYVLZVUVIJVGH-UHFFFAOYSA-N",
    ]
    assert "C8H10N4O2" in first.inner_text().replace("\n", "")


def test_a_misspelt_name_is_noticed(page: Page) -> None:
    search(page, "caffeinne")
    said = page.locator("#search-summary").inner_text()
    assert "Read as words." in said
    assert "Names spelled alike: caffeine" in said


def test_a_structure_finds_itself(page: Page) -> None:
    search(page, structure=ASPIRIN)
    first = page.locator(CARDS).first
    assert first.locator("h3").inner_text() == "acetylsalicylic acid"
    assert "similarity 1.00" in first.inner_text()
    assert page.locator("#search-summary .mc-read").inner_text() == "Structure: read as SMILES."


def test_words_and_structure_together(page: Page) -> None:
    search(page, "opioid antagonist", "morphine")
    said = page.locator("#search-summary").inner_text()
    assert "0.5 * cosine of text" in said
    assert "Structure: read as the name of a molecule." in said
    assert len(names(page)) == 12


def test_examples_and_more_like_this(page: Page) -> None:
    page.get_by_role("button", name="caffeine", exact=True).click()
    page.locator(CARDS).first.wait_for()
    assert names(page)[0] == "caffeine"
    smiles = page.locator(f"{CARDS} .mc-more").first.get_attribute("data-smiles")
    page.locator(f"{CARDS} .mc-more").first.click()
    page.get_by_text("similarity 1.00").first.wait_for()
    assert page.locator("#search-structure textarea").input_value() == smiles
    assert page.locator("#search-words textarea").input_value() == ""
    assert names(page)[0] == "caffeine"


def test_filters(page: Page) -> None:
    page.get_by_text("Filters and options").click()
    page.get_by_label("Weight to, g/mol").fill("250")
    page.locator("#search-smarts input, #search-smarts textarea").fill("[n;r5]")
    search(page, "stimulant")
    weights = page.locator(f"{CARDS} .mc-properties").all_inner_texts()
    assert weights
    for said in weights:
        found = re.search(r"([\d.,]+) g/mol", said)
        assert found
        assert float(found.group(1).replace(",", "")) <= 250
    page.get_by_label("Weight to, g/mol").fill("heavy")
    search(page, "stimulant")
    assert "'heavy' is no molecular weight." in error(page, "#search-results").inner_text()
    page.get_by_label("Weight to, g/mol").fill("20")
    search(page, "stimulant")
    assert page.locator("#search-results .mc-none").inner_text().startswith("No result.")
    assert page.locator("#search-csv").is_hidden()


@pytest.mark.parametrize(
    ("words", "structure", "sentence"),
    [
        ("", "", "Nothing is asked yet."),
        ("", "C1CC(", "cannot be read"),
        ("", "nosuchmolecule", "neither a structure nor a name"),
        ("CCO", "CCN", "Two structures are given."),
        ("word " * 500, "", "2,499 characters"),
        ("", "C" * 400, "400 heavy atoms"),
    ],
)
def test_errors_are_sentences(page: Page, words: str, structure: str, sentence: str) -> None:
    search(page, words, structure)
    said = error(page, "#search-results")
    said.wait_for()
    assert sentence in said.inner_text()
    assert "Traceback" not in page.locator("body").inner_text()


def test_bad_smarts_is_a_sentence(page: Page) -> None:
    page.get_by_text("Filters and options").click()
    page.locator("#search-smarts input, #search-smarts textarea").fill("C1CC")
    search(page, "statin")
    assert "SMARTS" in error(page, "#search-results").inner_text()


def test_markup_in_the_question_stays_text(page: Page) -> None:
    attack = "<img src=x onerror=window.hacked=1>${window.hacked=2}{{value}}"
    search(page, structure=attack)
    assert "<img src=x onerror=window.hacked=1>${window.hacked=2}" in (
        error(page, "#search-results").inner_text()
    )
    assert page.locator("#search-results img").count() == 0
    assert page.evaluate("window.hacked === undefined")


def test_downloads_hold_the_hits(page: Page, tmp_path: Path) -> None:
    from rdkit import Chem

    search(page, "beta-lactam antibiotic")
    shown = names(page)
    with download(page, "#search-csv", tmp_path).open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["name"] for row in rows] == shown
    assert [int(row["rank"]) for row in rows] == list(range(1, 13))
    mols = list(Chem.SDMolSupplier(str(download(page, "#search-sdf", tmp_path))))
    assert [Chem.MolToSmiles(mol) for mol in mols] == [
        Chem.MolToSmiles(Chem.MolFromSmiles(row["smiles"])) for row in rows
    ]
    assert [mol.GetProp("id") for mol in mols] == [row["id"] for row in rows]
