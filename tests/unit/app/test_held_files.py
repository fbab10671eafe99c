"""Uploads are deleted when the last who works with them lets go."""

from __future__ import annotations

from pathlib import Path

import pytest
from molclip.app.environment import private_folder
from molclip.app.held_files import HeldFiles, present

from molclip.errors import InputError


@pytest.fixture
def held() -> HeldFiles:
    return HeldFiles()


@pytest.fixture
def upload(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("GRADIO_TEMP_DIR", str(tmp_path / "private"))
    return _put("0123", "mine.csv")


def _put(hash: str, name: str) -> Path:
    path = private_folder() / hash / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("smiles\nCCO\n")
    return path


def test_deleted_with_its_folder(held: HeldFiles, upload: Path) -> None:
    held.hold("a", str(upload))
    held.hold("a", str(upload))
    assert upload.exists()
    held.release("a")
    assert not upload.parent.exists()
    held.release("a")


def test_kept_while_another_holds_it(held: HeldFiles, upload: Path) -> None:
    held.hold("a", str(upload))
    held.hold("b", str(upload))
    held.release("a")
    assert upload.exists()
    held.release("b")
    assert not upload.exists()


def test_the_next_file_takes_the_place_of_the_last(held: HeldFiles, upload: Path) -> None:
    # The same content under another name lies beside it.
    other = _put("0123", "renamed.csv")
    held.hold("a", str(upload))
    held.hold("a", str(other))
    assert not upload.exists()
    assert other.exists()


def test_nothing_else_is_deleted(held: HeldFiles, upload: Path, tmp_path: Path) -> None:
    mine = tmp_path / "mine.txt"
    mine.write_text("x")
    for path in (mine, upload.parent / ".." / ".." / "mine.txt", upload.parent, tmp_path / "no"):
        held.hold("a", str(path))
        held.release("a")
    link = private_folder() / "link.txt"
    link.symlink_to(mine)
    held.hold("a", str(link))
    held.release("a")
    assert mine.exists()
    assert upload.exists()


def test_a_file_that_is_gone_is_said(upload: Path) -> None:
    assert present(str(upload)) == upload
    upload.unlink()
    with pytest.raises(InputError, match="is no longer on the server"):
        present(str(upload))
