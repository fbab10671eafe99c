"""Arguments of the search functions, and what they say of an input."""

from __future__ import annotations

from typing import Any

import pytest
from molclip.app.api_search import SearchFunctions
from molclip.app.service import Service
from rdkit import Chem

from molclip.errors import InputError
from molclip.search.result import QueryInfo, SearchResult


class Library:
    """No molecules; remembers what was asked."""

    def __init__(self) -> None:
        self.columns = {"name": "string", "rings": "int64", "logp": "double"}
        self.asked: dict[str, Any] = {}

    def search(self, *_: Any, **asked: Any) -> SearchResult:
        self.asked = asked
        return SearchResult(QueryInfo(), [])


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> Library:
    monkeypatch.setattr(Service, "knows", lambda *_: False)
    monkeypatch.setattr(Service, "identifier", lambda *_: None)
    monkeypatch.setattr(Service, "similar_names", lambda *_: [])
    return Library()


@pytest.fixture
def functions(library: Library) -> SearchFunctions:
    return SearchFunctions(Service(library))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("bounds", "condition"),
    [
        ({"rings": [1.5, 2.5]}, "rings >= 2 AND rings <= 2"),
        ({"rings": [-0.5, None]}, "rings >= 0"),
        ({"rings": [1, 2.0]}, "rings >= 1 AND rings <= 2"),
        ({"logp": [1.5, 2.5]}, "logp >= 1.5 AND logp <= 2.5"),
    ],
)
def test_bounds_of_whole_numbers_are_whole(
    functions: SearchFunctions, library: Library, bounds: Any, condition: str
) -> None:
    functions.search("dye", bounds=bounds)
    assert library.asked["where"] == condition


def test_bounds_with_no_whole_number_between(functions: SearchFunctions) -> None:
    with pytest.raises(InputError, match="No value of rings is above 2 and below 1"):
        functions.search("dye", bounds={"rings": [1.2, 1.8]})


def test_only_recorded_molecules(functions: SearchFunctions, library: Library) -> None:
    functions.search("dye", recorded_only=True)
    assert library.asked["recorded"] is True
    functions.search("dye")
    assert library.asked["recorded"] is False
    with pytest.raises(InputError, match="recorded_only"):
        functions.search("dye", recorded_only="yes")  # type: ignore[arg-type]


def test_what_else_an_input_could_be_is_said(functions: SearchFunctions) -> None:
    read = functions.read_input("CNS")
    assert (read["kind"], read["read_as"]) == (
        "words", "Read as words; it would also parse as SMILES (C, N, S).",
    )  # fmt: skip
    assert functions.read_input("bitter alkaloid")["read_as"] == "Read as words."


def test_identifiers_are_looked_up(
    functions: SearchFunctions, library: Library, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Service, "identifier", lambda *_: "the formula H2O4S")
    read = functions.read_input("H2SO4")
    assert (read["kind"], read["read_as"]) == ("identifier", "Read as the formula H2O4S.")
    assert read["smiles"] is None
    functions.search("H2SO4")
    assert library.asked["mode"] == "name"


def test_a_mol_block_without_a_title(functions: SearchFunctions, library: Library) -> None:
    block = Chem.MolToMolBlock(Chem.MolFromSmiles("CCO"))
    read = functions.read_input(block)
    assert (read["kind"], read["smiles"]) == ("molblock", "CCO")
    functions.search(block)
    assert library.asked["smiles"].smiles == "CCO"
