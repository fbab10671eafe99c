"""How quickly the web demo starts, paints, and answers.

`python benchmarks/app_speed.py` starts a page on this machine and opens it in Chromium, in a fresh
profile each time; `--url` takes a page that runs. Run it on an idle machine.

- first paint: from the request to the first text on the screen (`first-contentful-paint`);
- ready: until the search field can be typed into;
- search, server: what the library says the search took (the line above the results);
- search, whole: request to answer through HTTP and the queue.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import statistics
import time
from typing import Any

from app_server import call, page
from rich.console import Console
from rich.table import Table

WORDS = (
    "beta-lactam antibiotic", "bitter alkaloid from cinchona bark used against malaria",
    "statin that inhibits HMG-CoA reductase", "omega-3 polyunsaturated fatty acid",
    "benzodiazepine used as an anxiolytic", "plant flavonol with antioxidant activity",
    "organophosphate insecticide", "conjugate base of acetic acid", "caffeine", "azo dye",
)  # fmt: skip
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def paints(address: str, times: int) -> dict[str, list[float]]:
    """Seconds of first paint and of readiness, each in a fresh profile."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("MOLCLIP_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )
    if found is None:
        raise SystemExit("No Chromium was found; install it or name it in MOLCLIP_CHROMIUM.")
    made: dict[str, list[float]] = {"first paint": [], "ready": []}
    with sync_playwright() as driver:
        for _ in range(times):
            browser = driver.chromium.launch(
                executable_path=found, args=["--no-sandbox", "--disable-gpu"]
            )
            window = browser.new_page(viewport={"width": 1280, "height": 900})
            window.set_default_timeout(300_000)
            started = time.perf_counter()
            window.goto(address, wait_until="commit")
            window.locator("#search-words textarea").wait_for()
            made["ready"].append(time.perf_counter() - started)
            made["first paint"].append(_first_paint(window) / 1000)
            browser.close()
    return made


def _first_paint(window: Any) -> float:
    """Milliseconds since the request."""
    return float(
        window.evaluate(
            "performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN"
        )
    )


def searches(address: str, rounds: int) -> dict[str, list[float]]:
    """Seconds of searches as a client sees them, after one round that warms up."""
    made: dict[str, list[float]] = {"search, whole": []}
    for number in range(rounds + 1):
        for words in WORDS:
            started = time.perf_counter()
            call(address, "search", {"text": words, "count": 12})
            if number:
                made["search, whole"].append(time.perf_counter() - started)
    return made


def server_times(address: str) -> list[float]:
    """Seconds that the page says its searches took, read off the page."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("MOLCLIP_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )
    said = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        window = browser.new_page()
        window.set_default_timeout(300_000)
        window.goto(address)
        for words in WORDS:
            window.locator("#search-words textarea").fill(words)
            before = window.locator("#search-summary").inner_text()
            window.locator("#search-start").click()
            window.wait_for_function(
                "(old) => { const now = document.querySelector('#search-summary').innerText;"
                " return now !== old && / ms/.test(now); }",
                arg=before,
            )
            found_ms = re.search(r"([\d,.]+) ms", window.locator("#search-summary").inner_text())
            assert found_ms is not None
            said.append(float(found_ms.group(1).replace(",", "")) / 1000)
        browser.close()
    return said


def main() -> None:
    """Print one table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--url", help="a page that runs; one is started when left out")
    parser.add_argument("--paints", type=int, default=3, help="fresh browsers")
    parser.add_argument("--rounds", type=int, default=3, help="of the ten questions")
    options = parser.parse_args()
    rows: list[tuple[str, list[float], str]] = []
    with page(options.url) as (address, start):
        if start is not None:
            rows.append(("start, until it answers", [start], ""))
        made = paints(address, options.paints) | searches(address, options.rounds)
        made["search, server"] = server_times(address)
        targets = {"first paint": "2", "search, server": "0.3"}
        rows += [(name, values, targets.get(name, "")) for name, values in made.items()]
    table = Table("", "median, s", "worst, s", "at most")
    for name, values, target in rows:
        table.add_row(name, f"{statistics.median(values):.3f}", f"{max(values):.3f}", target)
    Console().print(table)


if __name__ == "__main__":
    main()
