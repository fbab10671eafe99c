"""What strangers may try: paths of the server, files of others, markup, formulas, forged calls."""

from __future__ import annotations

import csv
import http.client
import io
import json
import tempfile
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest
from playwright.sync_api import Page, expect

from .steps import classify, download

TIMEOUT = 120
MARKED = b"molclip-private-content"


def raw(url: str, path: str) -> tuple[int, dict[str, str], bytes]:
    """One GET with the path exactly as it is written."""
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=TIMEOUT)
    try:
        connection.putrequest("GET", path, skip_accept_encoding=True)
        connection.endheaders()
        reply = connection.getresponse()
        headers = {key.lower(): value for key, value in reply.getheaders()}
        return reply.status, headers, reply.read()
    finally:
        connection.close()


def post(url: str, body: object) -> Any:
    request = urllib.request.Request(
        url, json.dumps(body).encode(), {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
        return json.load(reply)


def call(url: str, name: str, arguments: dict[str, Any]) -> Any:
    """Answer of a function of the programming interface."""
    event = post(f"{url}gradio_api/call/v2/{name}", arguments)["event_id"]
    route = f"{url}gradio_api/call/v2/{name}/{event}"
    with urllib.request.urlopen(route, timeout=TIMEOUT) as reply:
        said = reply.read().decode()
    assert "event: complete" in said, said
    return json.loads(said.split("data: ")[-1])[0]


def upload(url: str, name: str, content: bytes) -> str:
    """Send a file as the page does; return where the server put it."""
    edge = "molclipedge"
    head = f'--{edge}\r\nContent-Disposition: form-data; name="files"; filename="{name}"\r\n\r\n'
    body = head.encode() + content + f"\r\n--{edge}--\r\n".encode()
    request = urllib.request.Request(
        f"{url}gradio_api/upload", body, {"Content-Type": f"multipart/form-data; boundary={edge}"}
    )
    with urllib.request.urlopen(request, timeout=TIMEOUT) as reply:
        return str(json.load(reply)[0])


@pytest.fixture
def secret(tmp_path: Path) -> Path:
    """A file that this user can read and the page must not serve."""
    path = tmp_path / "secret.txt"
    path.write_bytes(MARKED)
    return path


@pytest.mark.parametrize(
    "shape",
    [
        "/gradio_api/file={path}",
        "/gradio_api/file=/{path}",
        "/gradio_api/file={dots}{path}",
        "/gradio_api/file={encoded_dots}{encoded}",
        "/gradio_api/file={twice}",
        "/gradio_api/file=file://{path}",
        "/gradio_api/file={folder}/uploads/{dots}{path}",
        "/gradio_api/file={path}%00.csv",
        "/gradio_api/file/{path}",
        "/file={path}",
        "/static/{dots}{path}",
        "/static/{encoded_dots}{encoded}",
        "/assets/{encoded_dots}{encoded}",
        "/svelte/{encoded_dots}{encoded}",
        "/gradio_api/custom_component/0/client/component/{encoded_dots}{encoded}",
        "/gradio_api/stream/x/y/{encoded_dots}{encoded}",
    ],
)
def test_no_file_of_the_server_is_served(url: str, secret: Path, shape: str) -> None:
    dots, once = "../" * 12, quote(str(secret), safe="")
    path = shape.format(
        path=secret,
        encoded=once,
        twice=quote(once, safe=""),
        dots=dots,
        encoded_dots=quote(dots, safe="").replace(".", "%2e"),
        folder=tempfile.gettempdir(),
    )
    status, _, body = raw(url, path)
    assert MARKED not in body
    assert status in (400, 403, 404, 405, 500), f"{status} for {path}"


def test_a_link_in_the_upload_folder_leads_nowhere(url: str, secret: Path) -> None:
    mine = Path(upload(url, "a.csv", b"smiles\nCCO\n"))
    # Names that are paths lose them.
    for name in ("../../../evil.csv", "..%2f..%2fevil.csv", "/etc/evil.csv", "a\\..\\evil.csv"):
        put = Path(upload(url, name, b"smiles\nCCO\n"))
        assert put.parent.parent == mine.parent.parent
        assert put.parent.name == mine.parent.name
    if mine.exists():  # the server may run elsewhere
        link = mine.with_name("link.csv")
        link.symlink_to(secret)
        _, _, body = raw(url, f"/gradio_api/file={link}")
        assert MARKED not in body


def test_what_is_uploaded_is_never_run_by_a_browser(url: str) -> None:
    for name in ("evil.html", "evil.svg", "evil.xhtml", "evil.js"):
        put = upload(url, name, b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>")
        status, headers, _ = raw(url, f"/gradio_api/file={put}")
        if status == 200:
            assert headers["content-disposition"].startswith("attachment"), name
            assert headers["content-type"].startswith("application/octet-stream"), name
            assert headers["x-content-type-options"] == "nosniff"


def test_files_of_others_cannot_be_found(url: str) -> None:
    mine = Path(upload(url, "mine.csv", b"smiles,note\nCCO,only mine\n"))
    # The folder is named by the content's hash: who does not have the file cannot name it.
    assert len(mine.parent.name) == 64
    for guess in (mine.parent, mine.parent.parent, mine.parent.with_name("0" * 64) / mine.name):
        for path in (f"/gradio_api/file={guess}", f"/gradio_api/file={guess}/"):
            status, _, body = raw(url, path)
            assert status in (403, 404)
            assert b"only mine" not in body
    if mine.exists():
        assert mine.parents[1].stat().st_mode & 0o077 == 0, "others of this machine may look"


def test_a_forged_upload_is_refused(url: str, secret: Path) -> None:
    config = json.loads(urllib.request.urlopen(f"{url}config", timeout=TIMEOUT).read())
    files = {c["id"] for c in config["components"] if c["type"] == "file"}
    event = next(e for e in config["dependencies"] if e["backend_fn"] and files & set(e["inputs"]))
    defaults = {c["id"]: c["props"].get("value") for c in config["components"]}
    for path in (str(secret), f"{tempfile.gettempdir()}/../{secret}", "/etc/passwd"):
        forged = {"path": path, "meta": {"_type": "gradio.FileData"}, "orig_name": "a.csv"}
        data = [forged if id_ in files else defaults.get(id_) for id_ in event["inputs"]]
        body = {"data": data, "fn_index": event["id"], "session_hash": "forged"}
        post(f"{url}gradio_api/queue/join", body)
        route = f"{url}gradio_api/queue/data?session_hash=forged"
        said = b""
        with urllib.request.urlopen(route, timeout=TIMEOUT) as reply:
            for line in reply:
                said += line
                if b"process_completed" in line or b"close_stream" in line:
                    break
        assert MARKED not in said
        assert b"root:" not in said
        assert b'"success":false' in said.replace(b" ", b""), said[:500]


def test_a_file_that_is_too_large_is_refused_at_the_door(url: str) -> None:
    with pytest.raises((urllib.error.HTTPError, ConnectionError, urllib.error.URLError)) as refused:
        upload(url, "large.csv", b"C" * (21 * 1024 * 1024))
    if isinstance(refused.value, urllib.error.HTTPError):
        assert refused.value.code == 413


HOSTILE = "<svg onload=window.hacked=1><b>x</b>{{7*7}}${window.hacked=2}'\"</script>"


def test_hostile_names_stay_text_everywhere(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "h.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        table = csv.writer(stream)
        table.writerow(["name", "smiles"])
        table.writerows([[HOSTILE, "CCO"], ["=1+1", "c1ccccc1"], ["x;=cmd|'/C calc'!A0", "CC"]])
    classify(page, labels=f"{HOSTILE}\nsolvent", file=file)
    page.locator(".mc-table").wait_for()
    expect(page.locator(".mc-table tbody tr").first).to_contain_text(HOSTILE)
    page.locator("#classify-view").get_by_text("heat map").click()
    page.locator(".mc-heat").wait_for()
    expect(page.locator(".mc-heat tbody th").first).to_contain_text(HOSTILE)
    page.locator(".mc-sentences summary").click()
    assert page.locator("#classify-answer :is(b, script, svg[onload])").count() == 0
    assert page.evaluate("window.hacked === undefined")
    saved = download(page, "#classify-csv", tmp_path).read_text(encoding="utf-8")
    rows = list(csv.DictReader(io.StringIO(saved)))
    assert [row["name"] for row in rows] == [HOSTILE, "'=1+1", "x;'=cmd|'/C calc'!A0"]
    assert f"percentile {HOSTILE}" in rows[0]


def test_twenty_at_once_get_their_own_answers(url: str) -> None:
    """Everybody asks something else; the answers are those they get alone."""
    chains = ["C" * (n + 2) for n in range(10)]
    asked: list[tuple[str, dict[str, Any]]] = [
        ("embed_molecules", {"molecules": [chain]}) for chain in chains
    ]
    words = ("steroid", "dye", "solvent", "alkaloid", "vitamin", "statin", "sweetener", "wax",
             "explosive", "pheromone")  # fmt: skip
    asked += [("search", {"text": word, "count": 5}) for word in words]
    alone = [call(url, *question) for question in asked]
    assert len({json.dumps(answer) for answer in alone}) == 20
    with ThreadPoolExecutor(20) as crowd:
        for _ in range(2):
            assert list(crowd.map(lambda question: call(url, *question), asked)) == alone
