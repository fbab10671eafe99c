"""A page of its own for a benchmark, and calls to it with the standard library alone."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def page(url: str | None = None, limit: float = 600.0) -> Iterator[tuple[str, float | None]]:
    """Address of a page and seconds until it answered; starts one where no address is given."""
    if url is not None:
        yield url.rstrip("/") + "/", None
        return
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}/"
    started = time.perf_counter()
    server = subprocess.Popen(
        [sys.executable, "-m", "molclip.app", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not _answers(address):
            if server.poll() is not None or time.perf_counter() - started > limit:
                raise SystemExit("The page did not start; run python -m molclip.app to see why.")
            time.sleep(0.05)
        yield address, time.perf_counter() - started
    finally:
        server.terminate()
        server.wait(30)


def call(address: str, name: str, arguments: dict[str, Any]) -> Any:
    """Answer of one function of the page; raises RuntimeError with its sentence where it fails."""
    route = f"{address}gradio_api/call/v2/{name}"
    asked = urllib.request.Request(
        route, json.dumps(arguments).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(asked, timeout=600) as reply:
        event = json.load(reply)["event_id"]
    with urllib.request.urlopen(f"{route}/{event}", timeout=600) as reply:
        said = reply.read().decode()
    if "event: complete" not in said:
        raise RuntimeError(said)
    return json.loads(said.split("data: ")[-1])[0]


def _answers(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5) as reply:
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False
