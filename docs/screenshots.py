"""Make the screenshots of README and docs: `python docs/screenshots.py`.

A page is started on this machine, unless `--url` names one that runs. Each picture is the state of
an address, so that a reader can open it: wide and light, wide and dark, and as wide as a phone.
`MOLCLIP_CHROMIUM` names the browser where it is not found.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
from app_server import page as served

FOLDER = Path(__file__).parent / "images"
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_PENICILLIN = "CC1(C)S[C@@H]2[C@H](NC(=O)Cc3ccccc3)C(=O)N2[C@H]1C(=O)O"


@dataclass(frozen=True)
class Shot:
    """One picture."""

    name: str
    state: dict[str, str]
    """Keys of the address."""
    ready: str
    """Selector of what has to be there."""
    width: int = 1280
    height: int = 900
    dark: bool = False


_SEARCH = {"tab": "search", "q": "bitter alkaloid from cinchona bark"}
_SIX = {
    "tab": "classify",
    "smiles": "morphine\ncholesterol\nquercetin\nmenthol\nDDT\nfluoxetine",
    "labels": "opioid analgesic\nsteroid\nflavonoid\nterpenoid\ninsecticide\nantidepressant",
    "view": "heat map",
}
SHOTS = (
    Shot("search", _SEARCH, "#search-results .mc-card"),
    Shot("search-dark", _SEARCH, "#search-results .mc-card", dark=True),
    Shot("search-phone", _SEARCH, "#search-results .mc-card", 375, 800),
    Shot(
        "classify",
        {"tab": "classify", "smiles": "caffeine", "set": "natural-products"},
        ".mc-bars",
        height=1150,
    ),
    Shot("classify-many", _SIX, ".mc-heat", height=1250),
    Shot("classify-phone", _SIX, ".mc-heat", 375, 800),
    Shot("describe", {"tab": "describe", "smiles": "caffeine"}, "#describe-json", height=1200),
    Shot(
        "why",
        {"tab": "why", "smiles": _PENICILLIN, "text": "beta-lactam antibiotic"},
        "#why-svg",
        height=1200,
    ),
    Shot(
        "model",
        {"tab": "model", "q": "steroid hormone"},
        "#model-nearest .mc-map-card",
        height=1200,
    ),
    Shot("api", {"tab": "api"}, ".mc-function"),
)


def take(address: str, shots: tuple[Shot, ...], folder: Path, seconds: float) -> None:
    """Write one PNG for each."""
    from playwright.sync_api import sync_playwright

    found = os.environ.get("MOLCLIP_CHROMIUM") or next(
        filter(None, map(shutil.which, _NAMES)), None
    )
    if found is None:
        raise SystemExit("No Chromium was found; install it or name it in MOLCLIP_CHROMIUM.")
    folder.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=found, args=["--no-sandbox", "--disable-gpu"]
        )
        for shot in shots:
            window: Any = browser.new_page(
                viewport={"width": shot.width, "height": shot.height},
                color_scheme="dark" if shot.dark else "light",
            )
            window.set_default_timeout(1000 * seconds)
            window.goto(f"{address}?{urlencode(shot.state)}")
            window.locator(shot.ready).first.wait_for()
            # What still moves.
            window.wait_for_timeout(1000)
            path = folder / f"{shot.name}.png"
            window.screenshot(path=path)
            print(path)
            window.close()
        browser.close()


def main() -> None:
    """Command line; see the text at the top of the file."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--url", help="a page that runs; one is started when left out")
    parser.add_argument("--only", nargs="+", choices=[shot.name for shot in SHOTS])
    parser.add_argument("--out", type=Path, default=FOLDER)
    parser.add_argument("--wait", type=float, default=120, help="most seconds for one picture")
    options = parser.parse_args()
    wanted = tuple(s for s in SHOTS if not options.only or s.name in options.only)
    with served(options.url) as (address, _):
        take(address, wanted, options.out, options.wait)


if __name__ == "__main__":
    main()
