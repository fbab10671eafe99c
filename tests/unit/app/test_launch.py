"""What reaches the server of what was asked for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from molclip.app import main, mcp_answers
from molclip.app.passwords import read_root_path, read_users

from molclip.errors import InputError


class Page:
    """A page that is not served; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: dict[str, Any] = {}

    def queue(self, **_: Any) -> None:
        pass

    def launch(self, **options: Any) -> tuple[None, str, None]:
        self.asked = options
        return None, "http://127.0.0.1:8000/", None

    def block_thread(self) -> None:
        pass


class Service:
    """Nothing to load."""

    def warm(self) -> None:
        pass


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Page:
    page = Page()
    monkeypatch.setattr(main.Service, "open", lambda *_: Service())
    monkeypatch.setattr(main, "_laid_out", lambda _: page)
    monkeypatch.setattr(main, "check_address", lambda *_: None)
    monkeypatch.setattr(main, "describing_of", lambda _: SimpleNamespace(start=lambda: None))
    return page


def test_usual_settings(page: Page) -> None:
    main.launch(block=False)
    assert (page.asked["server_name"], page.asked["server_port"]) == ("127.0.0.1", 7860)
    assert page.asked["share"] is False
    assert page.asked["auth"] is None
    assert page.asked["root_path"] == ""
    assert page.asked["mcp_server"] is mcp_answers.available()
    assert page.asked["ssr_mode"] is False
    assert "allowed_paths" not in page.asked


def test_what_was_asked_for(page: Page, capsys: pytest.CaptureFixture[str]) -> None:
    main.launch(
        "0.0.0.0", 0, True, auth=["anna:se:cret"], root_path="/molclip/", block=False, debug=True
    )
    assert (page.asked["server_name"], page.asked["server_port"]) == ("0.0.0.0", None)
    assert page.asked["share"] is True
    assert page.asked["auth"] == [("anna", "se:cret")]
    assert page.asked["root_path"] == "/molclip"
    assert page.asked["debug"] is True
    # MCP tools would be open to everybody.
    assert page.asked["mcp_server"] is False
    # The page that is not served has no public address either.
    assert "No public address could be made" in capsys.readouterr().err


def test_nothing_is_loaded_for_options_that_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(main.Service, "open", lambda *_: pytest.fail("loaded"))
    with pytest.raises(InputError, match="has no name or no password"):
        main.launch(auth=["anna"])
    with pytest.raises(InputError, match="does not begin with a slash"):
        main.launch(root_path="molclip")


def test_only_a_server_that_has_the_process_to_itself_takes_its_signal(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[bool] = []
    monkeypatch.setattr(main, "end_on_sigterm", lambda: taken.append(True))
    main.launch(block=False)
    assert taken == []
    main.launch()
    assert taken == [True]


def test_users() -> None:
    assert read_users(None) == []
    assert read_users(("anna", "secret")) == [("anna", "secret")]
    assert read_users(["a:b:c", ("d", "e")]) == [("a", "b:c"), ("d", "e")]
    for wrong in (["a:"], [":b"], [("", "b")]):
        with pytest.raises(InputError):
            read_users(wrong)
    with pytest.raises(InputError, match="'a' is given twice") as raised:
        read_users(["a:secret", "a:hidden"])
    assert "secret" not in str(raised.value)


def test_root_paths() -> None:
    assert [read_root_path(p) for p in ("", "/", "/a/b/", "https://x.example/m/")] == [
        "", "", "/a/b", "https://x.example/m",
    ]  # fmt: skip
