"""Lists of molecules that programs send: in time, in order."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from molclip.app import limits
from molclip.app.api_base import Functions
from molclip.app.api_knowing import KnowingFunctions

from molclip.chem.molecule import ParseFailure


class Model:
    """Remembers what it was asked, and fails at everything."""

    def __init__(self) -> None:
        self.asked: list[tuple[list[Any], dict[str, float]]] = []

    def encode_molecules(self, items: list[Any], **limits: float) -> Any:
        self.asked.append((items, limits))
        return [ParseFailure(None, n, None, "", "no: none.") for n, _ in enumerate(items, 1)]


@pytest.fixture
def service() -> Any:
    library = SimpleNamespace(model=Model(), judge=SimpleNamespace(judge=list))
    return SimpleNamespace(library=library, knows=lambda _: False)


TIMES = {"time_limit": limits.MOLECULE_SECONDS, "total_limit": limits.SECONDS}


def test_molecules_are_embedded_in_time(service: Any) -> None:
    Functions(service)._embedded(["CCO", "*" * 301, "C" * 2001])
    ((items, given),) = service.library.model.asked
    assert given == TIMES
    assert [getattr(item, "reason", item)[:9] for item in items[1:]] == ["too large", "too long:"]


def test_molecules_are_judged_in_time(service: Any) -> None:
    answer: Any = KnowingFunctions(service).applicability(["CCO", "CCN"])
    assert service.library.model.asked[0][1] == TIMES
    assert [failure["row"] for failure in answer["failures"]] == [1, 2]
