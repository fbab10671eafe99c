"""Visitors' libraries: found by their secret only, and gone in time."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest
from molclip.app import own_libraries
from molclip.app.downloads import write_text
from molclip.app.own_libraries import CLOSED_SECONDS, IDLE_SECONDS, OwnLibraries, OwnLibrary

from molclip.errors import InputError


class Clock:
    now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def libraries(clock: Clock) -> OwnLibraries:
    return OwnLibraries(clock)


def _kept(libraries: OwnLibraries, session: str) -> tuple[str, Path]:
    folder = libraries.new_folder()
    (folder / "library").mkdir()
    nothing: Any = None
    own = OwnLibrary("mine.csv", folder, nothing, 1, [], [], [], 0.0)
    return libraries.keep(own, session), folder


def test_a_secret_opens_one_library_and_no_other(libraries: OwnLibraries) -> None:
    (first, folder), (second, other) = _kept(libraries, "a"), _kept(libraries, "b")
    assert first != second
    assert len(first) >= 32
    found = libraries.get(first, "a")
    assert found is not None
    assert found.folder == folder != other
    for guess in ("", "a", first[:-1], first.swapcase()):
        assert libraries.get(guess, "a") is None


def test_folders_are_private_and_not_where_files_are_served(libraries: OwnLibraries) -> None:
    folder = libraries.new_folder()
    for part in (folder, folder.parent):
        assert stat.S_IMODE(part.stat().st_mode) == 0o700
    assert not folder.is_relative_to(os.environ["GRADIO_TEMP_DIR"])
    libraries.drop_folder(folder)
    assert not folder.exists()


def test_removed_with_its_folder(libraries: OwnLibraries) -> None:
    (key, folder), (_, other) = _kept(libraries, "a"), _kept(libraries, "b")
    assert libraries.remove(key)
    assert not libraries.remove(key)
    assert libraries.get(key, "a") is None
    assert not folder.exists()
    assert other.exists()


def test_what_was_made_from_it_goes_with_it(libraries: OwnLibraries) -> None:
    key, _ = _kept(libraries, "a")
    own = libraries.get(key, "a")
    assert own is not None
    made = [write_text("x", name) for name in ("bad.csv", "hits.sdf")]
    other = write_text("x", "other.csv")
    assert all(libraries.attach(own, path) for path in made)
    libraries.remove(key)
    assert not any(Path(path).parent.exists() for path in made)
    assert Path(other).exists()
    # One that was being written meanwhile.
    assert not libraries.attach(own, other)
    assert not Path(other).exists()


def test_deleted_after_its_tab_was_closed(libraries: OwnLibraries, clock: Clock) -> None:
    (key, folder), (other, kept) = _kept(libraries, "a"), _kept(libraries, "b")
    libraries.close("a")
    clock.now += CLOSED_SECONDS - 1
    libraries.sweep()
    assert folder.exists()
    clock.now += 1
    libraries.sweep()
    assert not folder.exists()
    assert libraries.get(key, "a") is None
    assert kept.exists()
    assert libraries.get(other, "b") is not None


def test_a_reloaded_page_claims_it_again(libraries: OwnLibraries, clock: Clock) -> None:
    key, folder = _kept(libraries, "a")
    libraries.close("a")
    clock.now += 5
    assert libraries.get(key, "reloaded") is not None
    libraries.close("a")  # the browser says so once more, late
    clock.now += 2 * CLOSED_SECONDS
    libraries.sweep()
    assert folder.exists()


def test_deleted_when_it_is_not_used(libraries: OwnLibraries, clock: Clock) -> None:
    key, folder = _kept(libraries, "a")
    clock.now += IDLE_SECONDS - 1
    assert libraries.get(key, "a") is not None
    clock.now += IDLE_SECONDS - 1
    libraries.sweep()
    assert folder.exists()
    clock.now += 1
    libraries.sweep()
    assert not folder.exists()


def test_no_more_than_the_limit(
    libraries: OwnLibraries, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(own_libraries, "OWN_LIBRARIES", 2)
    _kept(libraries, "a")
    unfinished = libraries.new_folder()
    with pytest.raises(InputError, match="2 visitors have a library"):
        libraries.new_folder()
    libraries.drop_folder(unfinished)
    _kept(libraries, "b")
    with pytest.raises(InputError, match="as many as this page keeps"):
        libraries.new_folder()
    # Old ones make room.
    clock.now += IDLE_SECONDS
    assert libraries.new_folder().is_dir()
