"""`molclip app` hands its options to the page."""

from __future__ import annotations

from typing import Any

import pytest
from cli_support import Run

from molclip.errors import InputError


def test_options_reach_the_page(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from molclip.app import main

    asked: dict[str, Any] = {}
    monkeypatch.setattr(main, "launch", lambda **options: asked.update(options))
    done = run(
        "app", "--host", "0.0.0.0", "--port", 8000, "--share", "--auth", "anna:a:b", "--auth",
        "ben:c", "--root-path", "/molclip", "--library", "mine",
    )  # fmt: skip
    assert done.exit_code == 0, done.output
    assert asked == {
        "host": "0.0.0.0",
        "port": 8000,
        "share": True,
        "auth": ["anna:a:b", "ben:c"],
        "root_path": "/molclip",
        "model": None,
        "library": "mine",
    }


def test_only_this_machine_unless_asked(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    from molclip.app import main

    asked: dict[str, Any] = {}
    monkeypatch.setattr(main, "launch", lambda **options: asked.update(options))
    monkeypatch.setenv("MOLCLIP_APP_AUTH", "anna:secret ben:b:c")
    assert run("app").exit_code == 0
    assert (asked["host"], asked["share"]) == ("127.0.0.1", False)
    assert asked["auth"] == ["anna:secret", "ben:b:c"]


def test_wrong_options_are_sentences(run: Run) -> None:
    done = run("app", "--auth", "anna")
    assert isinstance(done.exception, InputError | SystemExit)
    assert done.exit_code != 0
