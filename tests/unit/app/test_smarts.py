"""Patterns that would keep the server busy for ever are refused in time."""

from __future__ import annotations

import gc
import weakref
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from molclip.app import smarts
from molclip.app.smarts import check_smarts

from molclip.errors import InputError

# Buckminsterfullerene: its 60 atoms have more paths of 24 atoms than a year of counting finds.
C60 = (
    "c12c3c4c5c1c1c6c7c2c2c8c3c3c9c4c4c%10c5c5c1c1c6c6c%11c7c2c2c7c8c3c3c8c9c4c4c9c%10c5c5c1c1c6c6"
    "c%11c2c2c7c3c3c8c4c4c9c5c1c1c6c2c3c41"
)


class Library:
    """Rows of SMILES."""

    def __init__(self, *smiles: str) -> None:
        rows = SimpleNamespace(value=lambda row, _: smiles[row])
        self._index = SimpleNamespace(alive=np.ones(len(smiles), dtype=bool), rows=rows)


def opened(*smiles: str) -> Any:
    return Library(*smiles)


def test_quick_patterns_pass_and_are_tried_once(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[str] = []
    usual = smarts._in_time

    def counted(pattern: str, *rest: Any) -> bool:
        tried.append(pattern)
        return usual(pattern, *rest)

    monkeypatch.setattr(smarts, "_in_time", counted)
    mine = opened("CCO", "c1ccccc1")
    check_smarts("[#6][OH]", mine)
    check_smarts("[#6][OH]", mine)
    assert tried == ["[#6][OH]"]


def test_a_library_that_is_removed_leaves_memory() -> None:
    mine = opened("CCO", "c1ccccc1")
    check_smarts("[#6][OH]", mine)
    gone = weakref.ref(mine)
    del mine
    gc.collect()
    assert gone() is None


def test_the_oldest_patterns_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smarts, "_in_time", lambda *_: True)
    monkeypatch.setattr(smarts, "REMEMBERED", 2)
    mine = opened("CCO")
    for pattern in ("C", "CC", "CCC"):
        check_smarts(pattern, mine)
    assert list(smarts._libraries[mine].quick) == ["CC", "CCC"]


def test_a_pattern_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smarts, "SECONDS", 1)
    endless = "~".join(["*"] * 24) + "~[U]"
    with pytest.raises(InputError, match="takes longer than 1 s to compare with 1 molecules"):
        check_smarts(endless, opened(C60))


def test_what_is_no_smarts_is_said_as_ever() -> None:
    with pytest.raises(InputError, match="cannot be read"):
        check_smarts("C1CC", opened("CCO"))
