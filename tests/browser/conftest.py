"""A real server and a real browser, once for all tests; every page watches what it fetches.

`MOLCLIP_APP_URL` tests a server that runs already; `MOLCLIP_CHROMIUM` names the browser;
`MOLCLIP_ANSWER_SECONDS` is how long a test waits for an answer, more than 60 on a busy machine.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

ROOT = Path(__file__).parents[2]
ARTEFACTS = ROOT / "artefacts"
# What works does not wait for these.
START_SECONDS = 600
ANSWER_MS = 1000 * int(os.environ.get("MOLCLIP_ANSWER_SECONDS", "60"))
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--no-first-run",
]


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


@pytest.fixture(scope="session")
def image_weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder where the server looks for open_clip weights; a test may put some there."""
    told = os.environ.get("MOLCLIP_IMAGE_WEIGHTS")
    return Path(told) if told else tmp_path_factory.mktemp("weights") / "tiny"


@pytest.fixture(scope="session")
def url(tmp_path_factory: pytest.TempPathFactory, image_weights: Path) -> Iterator[str]:
    """Address of the page, warmed up."""
    running = os.environ.get("MOLCLIP_APP_URL")
    if running:
        yield running
        return
    folder = tmp_path_factory.mktemp("server")
    address = f"http://127.0.0.1:{(port := _free_port())}/"
    # From another folder, so that the installed package is what is tested.
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(
            [sys.executable, "-m", "molclip.app", "--port", str(port)],
            cwd=folder,
            env={**os.environ, "MOLCLIP_IMAGE_WEIGHTS": str(image_weights)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        try:
            end = time.monotonic() + START_SECONDS
            while not _answers(address):
                said = (folder / "log").read_text()
                assert server.poll() is None, f"The app ended at once:\n{said}"
                assert time.monotonic() < end, f"No page after {START_SECONDS} s:\n{said}"
                time.sleep(0.3)
            yield address
        finally:
            server.terminate()
            server.wait(20)
    said = (folder / "log").read_text()
    # Gradio logs a forged path (test_trust) as a traceback of its own.
    traces = said.split("Traceback (most recent call last):")[1:]
    unforeseen = [trace for trace in traces if "InvalidPathError: Cannot move" not in trace]
    assert not unforeseen, said


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    expect.set_options(timeout=ANSWER_MS)
    with sync_playwright() as running:
        yield running


@pytest.fixture(scope="session")
def browser(driver: Playwright) -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    found = os.environ.get("MOLCLIP_CHROMIUM") or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        reason = "no Chromium found; install it or name it in MOLCLIP_CHROMIUM"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    running = driver.chromium.launch(executable_path=found, args=ARGUMENTS)
    yield running
    running.close()


@pytest.fixture(scope="session")
def context(browser: Browser) -> Iterator[BrowserContext]:
    """One visitor's browser, so that scripts and styles are fetched once."""
    made = browser.new_context(accept_downloads=True)
    yield made
    made.close()


class Windows:
    """Opens the page in windows, and says afterwards what they did."""

    def __init__(self, browser: Browser, context: BrowserContext, url: str) -> None:
        self._browser = browser
        self._context = context
        self._url = url
        self._pages: list[Page] = []
        self._visitors: list[BrowserContext] = []
        self._fetched: list[str] = []
        self._broken: list[str] = []

    def open(
        self,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        at: str = "",
        stranger: bool = False,
    ) -> Page:
        """Open a window.

        Parameters
        ----------
        width, height
            In pixels.
        dark
            Whether the visitor's system asks for dark colours.
        at
            The rest of the address, such as `?tab=model`.
        stranger
            Another visitor, who shares nothing with the others.
        """
        context = self._context
        if stranger:
            context = self._browser.new_context(accept_downloads=True)
            self._visitors.append(context)
        page = context.new_page()
        self._pages.append(page)
        page.set_default_timeout(ANSWER_MS)
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if dark else "light")
        page.on("request", lambda request: self._fetched.append(request.url))
        page.on("pageerror", lambda error: self._broken.append(str(error)))
        page.goto(self._url + at)
        page.get_by_role("tab", name="Search", exact=True).wait_for()
        return page

    def close(self) -> None:
        """Close all and check that there was no toast, no request elsewhere and no broken script."""
        toasts = [page.locator(".toast-body").all_inner_texts() for page in self._pages]
        for closed in (*self._pages, *self._visitors):
            closed.close()
        assert not any(toasts), f"Toasts were shown: {toasts}"
        outside = {u for u in self._fetched if urlsplit(u).scheme in ("http", "https", "ws", "wss")}
        outside = {u for u in outside if urlsplit(u).hostname not in ("127.0.0.1", "localhost")}
        assert not outside, f"The page asked other hosts: {sorted(outside)}"
        assert not self._broken, f"Scripts failed: {self._broken}"


@pytest.fixture
def windows(browser: Browser, context: BrowserContext, url: str) -> Iterator[Windows]:
    opened = Windows(browser, context, url)
    yield opened
    opened.close()


@pytest.fixture(scope="module")
def lasting_windows(browser: Browser, context: BrowserContext, url: str) -> Iterator[Windows]:
    """Windows that stay open for all tests of a file, which must not change what others read."""
    opened = Windows(browser, context, url)
    yield opened
    opened.close()


@pytest.fixture
def open_page(windows: Windows) -> Callable[..., Page]:
    """Open the page in a window of its own: `Windows.open`."""
    return windows.open


@pytest.fixture
def page(windows: Windows) -> Page:
    return windows.open()


@pytest.fixture(scope="session")
def artefacts() -> Path:
    """Folder of screenshots, ignored by git."""
    ARTEFACTS.mkdir(exist_ok=True)
    return ARTEFACTS
