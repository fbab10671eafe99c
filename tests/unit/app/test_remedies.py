"""Rows that cannot be read come with a remedy that visitors have."""

from __future__ import annotations

from molclip.app.api_answers import failures_of, labelled_of
from molclip.app.remedies import here

from molclip.chem.molecule import ParseFailure
from molclip.chem.parse import parse_molecule


def test_no_command_is_named() -> None:
    bad = parse_molecule('cocoon "x"')
    assert isinstance(bad, ParseFailure)
    # The sentence to be replaced is molclip's own.
    assert "molclip search" in bad.hint
    (failure,) = failures_of([bad])
    assert failure["reason"] == bad.reason
    assert failure["hint"].endswith("Search for the name here: the hit has its structure.")
    assert "molclip" not in failure["hint"]
    record = {"row": 1, "input": "x", "smiles": None, "answer": None, "labels": []}
    said = labelled_of(record | {"failure": f"{bad.reason} {bad.hint}"})["failure"]
    assert said == f"{bad.reason} {failure['hint']}"
    assert labelled_of(record | {"failure": None})["failure"] is None


def test_other_remedies_stay() -> None:
    assert here("Close the ring.") == "Close the ring."
    assert here("") == ""
