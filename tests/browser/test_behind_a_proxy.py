"""`molclip app` with a password, under a path of a proxy, on a port of its own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookiejar import CookieJar, DefaultCookiePolicy
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from .conftest import ANSWER_MS, START_SECONDS
from .steps import CARDS, open_tab, search

PREFIX = "/molclip"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a page with a small library, a password and a root path."""
    from molclip import Library

    folder = tmp_path_factory.mktemp("proxied")
    library = folder / "library"
    rows = [("ethanol", "CCO"), ("benzene", "c1ccccc1"), ("glycine", "NCC(=O)O")]
    Library.build(library, [{"name": name, "smiles": smiles} for name, smiles in rows])
    command = [
        sys.executable, "-m", "molclip.cli", "app", "--port", "0", "--root-path", PREFIX,
        "--library", str(library),
    ]  # fmt: skip
    log = folder / "log"
    with log.open("w") as stream:
        running = subprocess.Popen(
            command,
            cwd=folder,
            stdout=stream,
            stderr=subprocess.STDOUT,
            env=os.environ | {"MOLCLIP_APP_AUTH": "anna:se:cret"},
        )
    try:
        end = time.monotonic() + START_SECONDS
        while not (
            found := re.search(r"molclip is at (http://127\.0\.0\.1:\d+/)", log.read_text())
        ):
            assert running.poll() is None, log.read_text()
            assert time.monotonic() < end, log.read_text()
            time.sleep(0.3)
        yield found.group(1)
    finally:
        running.terminate()
        running.wait(20)


@pytest.fixture(scope="module")
def proxied(server: str) -> Iterator[str]:
    """Address of a proxy that serves the page under `PREFIX` and takes that off."""
    import httpx
    import uvicorn
    from starlette.applications import Starlette
    from starlette.background import BackgroundTask
    from starlette.requests import Request
    from starlette.responses import StreamingResponse
    from starlette.routing import Route

    # A proxy keeps no cookies: one visitor's login is not the next one's.
    none = CookieJar(DefaultCookiePolicy(allowed_domains=[]))
    client = httpx.AsyncClient(base_url=server, timeout=120, cookies=none)

    async def forward(request: Request) -> StreamingResponse:
        asked = client.build_request(
            request.method,
            request.path_params["path"],
            params=request.url.query,
            headers=request.headers.raw,
            content=await request.body(),
        )
        reply = await client.send(asked, stream=True)
        answer = StreamingResponse(
            reply.aiter_raw(), reply.status_code, background=BackgroundTask(reply.aclose)
        )
        answer.raw_headers = reply.headers.raw
        return answer

    app = Starlette(
        routes=[Route(f"{PREFIX}/{{path:path}}", forward, methods=["GET", "POST", "HEAD"])]
    )
    proxy = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=proxy.run, daemon=True)
    thread.start()
    while not proxy.started:
        assert thread.is_alive()
        time.sleep(0.05)
    port = proxy.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}{PREFIX}/"
    # The event stream of a page never ends by itself.
    proxy.should_exit = proxy.force_exit = True
    thread.join(20)


@pytest.mark.parametrize(
    "path",
    ["config", "gradio_api/info", "gradio_api/openapi.json", "gradio_api/file=/etc/hostname"],
)
def test_without_password_nothing_is_told(server: str, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(server + path, timeout=60)
    assert refused.value.code == 401


def test_calls_need_the_password(server: str) -> None:
    request = urllib.request.Request(
        f"{server}gradio_api/call/v2/library_info", b"{}", {"Content-Type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)
    assert refused.value.code == 401
    # MCP knows no passwords, so it is not there.
    request = urllib.request.Request(
        f"{server}gradio_api/mcp/", b"{}", {"Content-Type": "application/json"}
    )
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(request, timeout=60)
    assert refused.value.code in (404, 405)


def test_calls_through_the_proxy(proxied: str) -> None:
    from gradio_client import Client

    client = Client(proxied, auth=("anna", "se:cret"), verbose=False)
    assert client.predict(api_name="/library_info")["rows"] == 3
    found = client.predict(text="amino acid", count=3, api_name="/search")
    assert {hit["name"] for hit in found["hits"]} == {"ethanol", "benzene", "glycine"}


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """An empty window of somebody who has never been here."""
    context = browser.new_context()
    yield context.new_page()
    context.close()


def test_a_visitor_behind_the_proxy(visitor: Page, proxied: str, artefacts: Path) -> None:
    page = visitor
    page.set_default_timeout(ANSWER_MS)
    page.goto(proxied)
    page.get_by_role("button", name="Login").wait_for()
    assert page.get_by_role("tab").count() == 0
    page.get_by_label("username").fill("anna")
    page.get_by_label("password").fill("se:cret")
    page.screenshot(path=artefacts / "login.png")
    page.get_by_role("button", name="Login").click()
    page.get_by_role("tab", name="Search").wait_for()
    search(page, "ethanol")
    expect(page.locator(CARDS)).to_have_count(3)
    open_tab(page, "API")
    shown = page.locator("#api-functions code").all_inner_texts()
    assert any(f'Client("{proxied}"' in code for code in shown)
