"""What strangers name as a file is this server's own, or nothing."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest
from gradio import routes
from molclip.app import own_files
from starlette.responses import PlainTextResponse

FORGED = {"path": "http://10.0.0.1/x", "meta": {"_type": "gradio.FileData"}}


@pytest.fixture
def fetched(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Web addresses that the server would have fetched."""
    asked: list[str] = []

    async def stream(address: str, _: Any) -> PlainTextResponse:
        asked.append(address)
        return PlainTextResponse("fetched")

    async def download(address: str, _: str) -> str:
        asked.append(address)
        raise ValueError("not in a test")

    monkeypatch.setattr(routes, "secure_url_stream_response", stream)
    monkeypatch.setattr("gradio.processing_utils.async_ssrf_protected_download", download)
    return asked


@pytest.fixture(scope="module")
def client(launch: Any) -> httpx.Client:
    with gr.Blocks() as page:
        words, file, said = gr.Textbox(), gr.File(), gr.Textbox()
        words.submit(lambda text, _: f"{text}!", [words, file], said, api_name="call", queue=False)
    return launch(page, own_files.middleware())


@pytest.mark.parametrize(
    "path",
    [
        "/gradio_api/file=http://10.0.0.1/x", "/gradio_api/file/http://10.0.0.1/x",
        "/gradio_api/file=HTTPS://10.0.0.1/x", "/gradio_api/file/https://10.0.0.1/x",
        "/gradio_api/file%2fhttp://10.0.0.1/x", "/gradio_api/proxy=http://10.0.0.1/x",
    ],
)  # fmt: skip
def test_no_web_address_is_served_as_a_file(
    client: httpx.Client, fetched: list[str], path: str
) -> None:
    assert client.get(path).status_code == 403
    assert fetched == []


@pytest.mark.parametrize(
    "body",
    [
        json.dumps({"data": ["x", FORGED]}),
        json.dumps({"data": ["x", {"deep": [[FORGED]]}]}),
        json.dumps({"data": ["x", FORGED | {"path": " HTTPS://a/x"}]}),
        '{"data": ["x", {"p\\u0061th": "http:\\/\\/10.0.0.1/x"}]}',
        # Which of the two would count is not for us to guess.
        '{"data": ["x", {"path": "http://10.0.0.1/x", "path": "a.csv"}]}',
        json.dumps({"data": ["x", FORGED]}).encode("utf-16"),
    ],
)
def test_no_web_address_is_fetched_for_a_call(
    client: httpx.Client, fetched: list[str], body: str | bytes
) -> None:
    for route in ("run/call", "call/call", "call/v2/call", "queue/join"):
        reply = client.post(
            f"/gradio_api/{route}", content=body, headers={"content-type": "application/json"}
        )
        assert reply.status_code == 403, route
    assert fetched == []


def test_other_calls_come_through_unharmed(client: httpx.Client) -> None:
    words = "a path to http://10.0.0.1/ — é 🧪"
    reply = client.post("/gradio_api/run/call", json={"data": [words, None]})
    assert reply.json()["data"] == [f"{words}!"]
    # Browsers say so of a file they have uploaded; it is this server's own address.
    sent = client.post("/gradio_api/upload", files={"files": ("a.csv", b"smiles\nCCO\n")})
    (path,) = sent.json()
    assert Path(path).read_bytes() == b"smiles\nCCO\n"
    file = {"path": path, "url": f"http://127.0.0.1/file={path}", "meta": FORGED["meta"]}
    reply = client.post("/gradio_api/run/call", json={"data": ["x", file]})
    assert reply.json()["data"] == ["x!"]
    reply = client.post(
        "/gradio_api/run/call", content=b"{", headers={"content-type": "application/json"}
    )
    assert reply.status_code == 422


def _served(kind: bytes, parts: list[bytes]) -> tuple[list[Any], list[int]]:
    """Messages that reach the app behind, and how many had been taken by then."""
    messages = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    messages += [{"type": "http.request", "body": b"", "more_body": False}]
    coming = iter([*messages, {"type": "http.disconnect"}])
    taken = 0
    reached: list[Any] = []
    when: list[int] = []

    async def receive() -> Any:
        nonlocal taken
        taken += 1
        return next(coming)

    async def behind(_: Any, receive: Any, __: Any) -> None:
        while not reached or reached[-1]["type"] != "http.disconnect":
            reached.append(await receive())
            when.append(taken)

    async def send(_: Any) -> None:
        pytest.fail("answered")

    scope = {
        "type": "http", "method": "POST", "path": "/x", "headers": [(b"content-type", kind)],
    }  # fmt: skip
    asyncio.run(own_files.OwnFilesOnly(behind)(scope, receive, send))
    assert reached == [*messages, {"type": "http.disconnect"}]
    return reached, when


def test_uploads_are_not_held_back() -> None:
    _, when = _served(b"multipart/form-data; boundary=x", [b"a", b"b", b"c"])
    assert when == [1, 2, 3, 4, 5]
    # What is read first is handed on as it came, and so is that the visitor left.
    _, when = _served(b"application/json", [b'{"a":', b" 1}"])
    assert when == [3, 3, 3, 4]


def _file_that_goes(sent: list[Any], path: str) -> None:
    """A file route that finds its file, and cannot open it any more."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise FileNotFoundError(2, "No such file or directory", "left.csv")

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "GET", "path": path, "headers": []}
    asyncio.run(own_files.OwnFilesOnly(app)(scope, receive, send))


def test_a_file_deleted_while_it_is_asked_for_is_not_found() -> None:
    sent: list[Any] = []
    _file_that_goes(sent, "/gradio_api/file=/private/left.csv")
    assert [message.get("status") for message in sent] == [404, None]


def test_a_missing_file_of_another_route_is_an_error() -> None:
    with pytest.raises(FileNotFoundError):
        _file_that_goes([], "/gradio_api/call/search")
