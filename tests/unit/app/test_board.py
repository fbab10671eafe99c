"""What the drawing board serves, and what it opens with."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from molclip.app import board
from molclip.app.board import PATH, routes, smiles_of
from starlette.applications import Starlette
from starlette.testclient import TestClient

JSME = Path(board.__file__).parent / "static" / "jsme"


@pytest.fixture
def client() -> TestClient:
    return TestClient(Starlette(routes=routes()))


def test_the_editor_is_served_with_its_licence(client: TestClient) -> None:
    assert "jsme.nocache.js" in client.get(f"{PATH}/board.html").text
    assert client.get(f"{PATH}/jsme.nocache.js").status_code == 200
    assert "Redistribution and use" in client.get(f"{PATH}/license.txt").text


@pytest.mark.parametrize(
    "path", ["../app.css", "%2e%2e/app.css", "..%2fapp.css", "", "../../main.py"]
)
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(f"{PATH}/{path}").status_code == 404


def test_the_board_may_load_its_own_files_only() -> None:
    page = (JSME / "board.html").read_text(encoding="utf-8")
    (policy,) = re.findall(r'content="(default-src[^"]*)"', page)
    assert policy.startswith("default-src 'self' ")
    assert "http" not in policy
    assert "*" not in policy


def test_every_build_that_the_loader_may_choose_for_a_browser_of_today_is_there() -> None:
    loader = (JSME / "jsme.nocache.js").read_text(encoding="utf-8")
    # `h([S,…,Kb],lc)`: standards mode (S) with WebKit (Kb) or Gecko (Qb) runs the build lc or mc.
    constants = dict(re.findall(r"([A-Za-z]+)='([0-9A-F]{32})'", loader))
    chosen = {
        constants[name]
        for agent in ("Kb", "Qb")
        for name in re.findall(rf"h\(\[S,[^\]]*,{agent}\],(\w+)", loader)
    }
    assert len(chosen) == 2
    for build in chosen:
        assert (JSME / f"{build}.cache.js").is_file()
        assert len(list((JSME / "deferredjs" / build).glob("*.cache.js"))) == 11


class Service:
    def knows(self, name: str) -> bool:
        return name == "ethanol"

    def identifier(self, text: str) -> None:
        return None

    def structure_of(self, name: str) -> str:
        return "CCO"


@pytest.mark.parametrize(
    ("field", "smiles"),
    [("OCC", "CCO"), ("ethanol", "CCO"), ("InChI=1S/CH4/h1H4", "C"), ("no such", ""), ("", "")],
)
def test_the_board_opens_with_what_the_field_holds(field: str, smiles: str) -> None:
    assert smiles_of(field, Service()) == smiles  # type: ignore[arg-type]
