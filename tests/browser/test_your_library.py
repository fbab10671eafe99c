"""The tab of visitors' own libraries."""

from __future__ import annotations

import csv
import time
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from .steps import download, open_tab, overflow, press

CARDS = "#own-results .mc-card"
ATTACK = "<img src=x onerror=window.hacked=1><script>window.hacked=2</script>${window.hacked=3}"
MINE = (
    "name,smiles,batch,pIC50\n"
    "penicillin G,CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O,B-01,6.8\n"
    "broken,C1CC(,B-02,1.0\n"
    f'"{ATTACK}",c1ccccc1,B-03,2.0\n'
    "nothing,,B-04,\n"
    "=HYPERLINK(1),CCCCCC,=1+1,3.5\n"
)
YOURS = "smiles,name\nCN1CCC[C@H]1c1cccnc1,nicotine\nCC(C)Cc1ccc(cc1)C(C)C(=O)O,ibuprofen\n"


def _open(page: Page) -> None:
    open_tab(page, "Your library")
    page.locator("#own-file-drop input[type=file]").wait_for(state="attached")


def _drop(page: Page, file: Path) -> None:
    _open(page)
    page.locator("#own-file-drop input[type=file]").set_input_files(file)


def _written(folder: Path, name: str, content: str | bytes) -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def _search(page: Page, words: str) -> list[str]:
    page.locator("#own-words textarea").fill(words)
    press(page, "#own-start", "#own-results")
    return page.locator(f"{CARDS} h3").all_inner_texts()


def test_upload_with_bad_rows(page: Page, tmp_path: Path, artefacts: Path) -> None:
    _drop(page, _written(tmp_path, "mine.csv", MINE))
    status = page.locator("#own-status")
    status.get_by_text("mine.csv: 3 molecules to search. 5 rows, 2 could not be read.").wait_for()
    rows = status.locator(".mc-failures tbody tr")
    assert [rows.nth(n).locator("td").first.inner_text() for n in range(2)] == ["2", "4"]
    expect(rows.nth(0)).to_contain_text("C1CC(")
    page.screenshot(path=artefacts / "your-library-rows.png", full_page=True)

    found = _search(page, "beta-lactam antibiotic")
    assert found[0] == "penicillin G"
    assert set(found) == {"penicillin G", ATTACK, "=HYPERLINK(1)"}
    first = page.locator(CARDS).first.inner_text()
    assert "percentile 9" in first
    assert "B-01" in first
    # Names and cells of the file are text, whatever they look like.
    assert page.locator("#own-results img, #own-status img, #own-results script").count() == 0
    assert page.evaluate("window.hacked === undefined")
    page.screenshot(path=artefacts / "your-library.png", full_page=True)

    page.locator("#own-scope").select_option("all")
    with page.expect_download() as waiting:
        page.locator("#own-csv").click()
    waiting.value.save_as(tmp_path / "hits.csv")
    with (tmp_path / "hits.csv").open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    assert [row["batch"] for row in table if row["name"] == "penicillin G"] == ["B-01"]
    assert [row["batch"] for row in table if "HYPERLINK" in row["name"]] == ["'=1+1"]
    assert sorted(float(row["pIC50"]) for row in table) == [2.0, 3.5, 6.8]
    with download(page, "#own-bad", tmp_path).open(encoding="utf-8", newline="") as file:
        bad = list(csv.DictReader(file))
    assert [row["row"] for row in bad] == ["2", "4"]
    assert all(row["reason"] for row in bad)

    # A reloaded page has its library still; one that was removed is gone.
    page.reload()
    _open(page)
    status.get_by_text("mine.csv: 3 molecules to search").wait_for()
    assert _search(page, "antibiotic")[0] == "penicillin G"
    page.locator("#own-remove").click()
    status.get_by_text("and its file are deleted").wait_for()
    expect(page.locator("#own-search")).to_be_hidden()


def _status(page: Page, address: str) -> int:
    """What the server says to whoever asks for this file."""
    return page.request.get(address).status


def test_no_file_is_left(page: Page, tmp_path: Path, url: str) -> None:
    uploads: list[str] = []
    page.on(
        "response",
        lambda reply: uploads.extend(reply.json()) if "/upload?" in reply.url else None,
    )
    file = _written(tmp_path, "left.csv", MINE + "hexane,CCCCCC,B-05,9.1\n")
    # Another tab may have the same file, which the server keeps once.
    open_tab(page, "Classify")
    page.locator("#classify-file input[type=file]").set_input_files(file)
    page.locator("#classify-file").get_by_text("left").first.wait_for()
    _drop(page, file)
    status = page.locator("#own-status")
    status.get_by_text("left.csv: 4 molecules to search.").wait_for()
    mine = f"{url}gradio_api/file={uploads[-1]}"
    assert uploads[0] == uploads[-1]
    assert _status(page, mine) == 200
    open_tab(page, "Classify")
    page.locator("#classify-file").get_by_label("Clear").click()
    _gone(page, mine)

    _open(page)
    _search(page, "antibiotic")
    made = []
    for button in ("#own-csv", "#own-bad"):
        with page.expect_download() as waiting:
            page.locator(button).click()
        made.append(waiting.value.url)
    assert [_status(page, address) for address in made] == [200, 200]
    page.locator("#own-remove").click()
    status.get_by_text("and its file are deleted").wait_for()
    assert all(_status(page, address) in (403, 404) for address in made)

    # A file that nobody else has goes as soon as it is embedded.
    _drop(page, _written(tmp_path, "alone.csv", YOURS + "CCCCCCC,heptane\n"))
    status.get_by_text("alone.csv: 3 molecules to search.").wait_for()
    _gone(page, f"{url}gradio_api/file={uploads[-1]}")


def _gone(page: Page, address: str) -> None:
    end = time.monotonic() + 30
    while _status(page, address) == 200:
        assert time.monotonic() < end
        page.wait_for_timeout(200)


def test_two_visitors_at_once(open_page: Callable[..., Page], tmp_path: Path) -> None:
    first = open_page()
    second, third = open_page(375, 800, stranger=True), open_page(stranger=True)
    _drop(first, _written(tmp_path, "mine.csv", MINE))
    _drop(second, _written(tmp_path, "yours.csv", YOURS))
    _open(third)
    for page, name in ((first, "mine.csv"), (second, "yours.csv")):
        page.locator("#own-status").get_by_text(f"{name}: ").wait_for()
    assert overflow(second) == 0
    assert set(_search(second, "antibiotic")) == {"nicotine", "ibuprofen"}
    assert _search(first, "alkaloid of tobacco").count("nicotine") == 0
    assert overflow(second) == 0
    expect(third.locator("#own-search")).to_be_hidden()
    assert "mine.csv" not in third.locator("body").inner_text()


def test_what_is_refused_is_not_sent(page: Page, tmp_path: Path) -> None:
    sent: list[str] = []
    page.on("request", lambda request: sent.append(request.url))
    for name, content, said in (
        ("large.smi", b"C" * (11 * 1024 * 1024), "11.0 MB; this page takes 10 MB."),
        ("program.exe", b"MZ", "of a kind this page does not read"),
        ("nothing.csv", b"", "nothing.csv is empty."),
    ):
        _drop(page, _written(tmp_path, name, content))
        page.locator("#own-refused .mc-error").get_by_text(said).wait_for()
    assert not [url for url in sent if "/upload" in url]
    # What the browser cannot know, the server says.
    _drop(page, _written(tmp_path, "long.smi", b"CCO\n" * 10_001))
    page.locator("#own-status .mc-error").get_by_text("more than 10,000 rows").wait_for()
    expect(page.locator("#own-refused .mc-error")).to_have_count(0)
    assert "/tmp" not in page.locator("#own-status").inner_text()


def test_cancel(page: Page, tmp_path: Path) -> None:
    chains = "".join(f"{'C' * (1 + n % 40)} chain{n}\n" for n in range(9_000))
    _drop(page, _written(tmp_path, "chains.smi", chains))
    page.get_by_role("progressbar", name="Embedding").wait_for()
    page.locator("#own-cancel").click()
    page.locator("#own-status").get_by_text("Cancelled; nothing was kept.").wait_for()
    expect(page.locator("#own-search")).to_be_hidden()
    expect(page.locator("#own-cancel")).to_be_hidden()
