"""The classify tab, as a visitor uses it."""

from __future__ import annotations

import csv
import gzip
import json
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from .axe import check_accessibility
from .steps import classify, download, error, open_tab, press

CHOLESTEROL = "C[C@H](CCCC(C)C)[C@H]1CC[C@@H]2[C@@]1(CC[C@H]3[C@H]2CC=C4[C@@]3(CC[C@@H](C4)O)C)C"
ATTACK = "<img src=x onerror=window.hacked=1><script>window.hacked=2</script>${window.hacked=3}"


def test_best_label_by_structure_or_none(page: Page, artefacts: Path) -> None:
    classify(page, "CC(C)Cc1ccc(cc1)C(C)C(=O)O", "anti-inflammatory drug; azo dye; insecticide")
    expect(page.locator(".mc-bars .mc-label").first).to_have_text("anti-inflammatory drug")
    expect(page.locator(".mc-bars li")).to_have_count(3)
    values = [float(v) for v in page.locator(".mc-bars .mc-value").all_inner_texts()]
    assert values == sorted(values, reverse=True)
    expect(page.locator(".mc-verdict")).to_have_text("anti-inflammatory drug fits best.")
    page.screenshot(path=artefacts / "classify.png", full_page=True)
    classify(page, CHOLESTEROL, "organophosphate insecticide\nazo dye\nbeta-lactam antibiotic")
    expect(page.locator(".mc-verdict")).to_have_text(re.compile(r"^None of these\."))
    expect(page.locator(".mc-bars li")).to_have_count(3)
    # A label given twice counts once.
    classify(page, "CCO", "solvent\nSolvent; dye")
    expect(page.locator(".mc-bars li")).to_have_count(2)
    expect(page.locator("#classify-summary")).to_contain_text("given twice")


def test_a_name_and_what_is_no_name(page: Page) -> None:
    classify(page, "caffeine", "alkaloid\nsteroid")
    expect(page.locator(".mc-bars .mc-label").first).to_have_text("alkaloid")
    for molecule, labels, sentences in (
        (
            "caffeinne",
            "alkaloid\nsteroid",
            ("neither a structure nor a name", "Did you mean caffeine"),
        ),
        ("", "solvent", ("There is no molecule yet.",)),
        ("CCO", "\n".join(f"label {n}" for n in range(701)), ("701 labels; this page takes 700",)),
        ("CCO", "dye = ", ("no sentence behind its =",)),
    ):
        classify(page, molecule, labels)
        said = error(page, "#classify-answer").inner_text()
        assert all(sentence in said for sentence in sentences), said


def test_examples_sets_and_sentences(page: Page) -> None:
    open_tab(page, "Classify")
    page.get_by_role("button", name="caffeine: which class?").click()
    page.locator(".mc-bars").wait_for()
    expect(page.locator("#classify-summary")).to_contain_text("Labels: Natural product classes")
    expect(page.locator(".mc-bars .mc-label").first).to_have_text("alkaloid")
    # The set as text, and one label rewritten.
    own = page.locator("#classify-labels textarea")
    page.locator("#classify-edit").click()
    page.wait_for_function(
        "document.querySelector('#classify-labels textarea').value.startsWith('alkaloid')"
    )
    assert own.input_value().splitlines()[1] == "flavonoid"
    own.fill("stimulant = keeps people awake | {a} in coffee\nsteroid")
    press(page, "#classify-start", "#classify-answer")
    page.locator(".mc-sentences summary").click()
    assert page.locator(".mc-sentences dd").all_inner_texts() == [
        "keeps people awake · a stimulant in coffee",
        "steroid · a steroid · The molecule is a steroid. · It has a role as a steroid.",
    ]
    check_accessibility(page)


def test_many_molecules_as_a_heat_map(page: Page, tmp_path: Path, artefacts: Path) -> None:
    classify(page, "morphine\nC1CC(\ncholesterol", "steroid\nopioid analgesic")
    rows = page.locator(".mc-table tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.nth(1)).to_contain_text("Not read.")
    expect(page.locator(".mc-heat")).to_be_hidden()
    check_accessibility(page)
    page.locator("#classify-view").get_by_text("heat map").click()
    page.locator(".mc-heat").wait_for()
    expect(page.locator(".mc-table")).to_be_hidden()
    check_accessibility(page)
    # The labels stand in the order of the molecules they belong to.
    heads = page.locator(".mc-heat thead th").all_inner_texts()
    assert heads == ["Molecule", "opioid analgesic", "steroid"]
    cells = page.locator(".mc-heat tbody tr").first.locator("td").all_inner_texts()
    assert float(cells[0]) > 95 > float(cells[1])
    page.screenshot(path=artefacts / "classify-heat.png", full_page=True)
    with download(page, "#classify-json", tmp_path).open(encoding="utf-8") as saved:
        records = [json.loads(line) for line in saved]
    assert [record["answer"] for record in records] == ["opioid analgesic", None, "steroid"]
    page.goto(page.url)
    page.locator(".mc-heat").wait_for()
    expect(page.locator(".mc-heat tbody tr")).to_have_count(3)


def test_upload_with_bad_rows(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "mine.csv"
    file.write_text(
        "name,smiles\n"
        "ibuprofen,CC(C)Cc1ccc(cc1)C(C)C(=O)O\n"
        "broken,C1CC(\n"
        f'"{ATTACK}",c1ccccc1\n'
        "nothing,\n"
        "=HYPERLINK(1),CCO\n",
        encoding="utf-8",
    )
    classify(page, labels="anti-inflammatory drug\nsolvent", file=file)
    page.locator(".mc-table").wait_for()
    rows = page.locator(".mc-table tbody tr")
    expect(rows).to_have_count(5)
    assert [rows.nth(n).locator("td").first.inner_text() for n in range(5)] == list("12345")
    assert [n for n in range(5) if "Not read." in rows.nth(n).inner_text()] == [1, 3]
    expect(page.locator("#classify-summary")).to_contain_text("5 rows, 2 could not be read")
    # The name of a molecule is text, whatever it looks like.
    expect(rows.nth(2)).to_contain_text("<img src=x onerror=window.hacked=1>")
    assert page.locator("#classify-answer img, #classify-answer script").count() == 0
    assert page.evaluate("window.hacked === undefined")

    with download(page, "#classify-csv", tmp_path).open(encoding="utf-8", newline="") as saved:
        table = list(csv.DictReader(saved))
    assert [row["row"] for row in table] == list("12345")
    assert [bool(row["failure"]) for row in table] == [False, True, False, True, False]
    assert table[0]["answer"] == "anti-inflammatory drug"
    assert table[1]["answer"] == ""
    assert table[1]["input"] == "C1CC("
    assert table[4]["name"] == "'=HYPERLINK(1)"
    assert 0 <= float(table[0]["percentile solvent"]) <= 100


# The slow ones take the same way; tests/unit/app/test_uploads.py has their sentences too.
@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("long.smi", b"CCO\n" * 2001, "more than 2,000 rows"),
        ("large.smi", b"C" * (6 * 1024 * 1024), "6.0 MB; this page takes 5 MB"),
        pytest.param(
            "packed.smi", gzip.compress(b"CCO\n"), "compressed with gzip", marks=pytest.mark.slow
        ),
        pytest.param("broken.xlsx", b"PK\x03\x04broken", "is damaged", marks=pytest.mark.slow),
        pytest.param("empty.csv", b"", "empty", marks=pytest.mark.slow),
    ],
)
def test_files_beyond_the_limits(
    page: Page, tmp_path: Path, name: str, content: bytes, sentence: str
) -> None:
    file = tmp_path / name
    file.write_bytes(content)
    classify(page, labels="solvent", file=file)
    said = error(page, "#classify-answer").inner_text()
    assert sentence in said
    # Where the server keeps its files is nobody's business.
    assert "/tmp" not in said
    assert "gradio" not in said
