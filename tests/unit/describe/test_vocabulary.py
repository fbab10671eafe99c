"""What a molecule is compared with, on an ontology small enough to count by hand."""

from __future__ import annotations

import pyarrow as pa
import pytest

from molclip.datasets.facts import Facts
from molclip.datasets.ontology import Ontology, Term
from molclip.describe.vocabulary import RAREST_USE, definitions, held, labels

ONTOLOGY = Ontology(
    {
        term.id: term
        for term in (
            Term("c:1", "compound", "class"),
            Term("c:2", "alkaloid", "class", parents=("c:1",), roles=("r:2",)),
            Term("c:3", "ester", "class", parents=("c:1",)),
            Term("r:1", "drug", "role"),
            Term("r:2", "sedative", "role", parents=("r:1",)),
            Term("r:3", "pharmacological role", "role"),
        )
    }
)


def _facts(*rows: tuple[list[str], list[str], bool]) -> Facts:
    columns = zip(*rows, strict=True)
    names = ("classes", "roles", "curated")
    types = (pa.list_(pa.string()), pa.list_(pa.string()), pa.bool_())
    arrays = [pa.array(list(c), t) for c, t in zip(columns, types, strict=True)]
    return Facts(pa.table(arrays, names=list(names)))


def test_shares_are_of_curated_molecules_and_follow_the_ontology() -> None:
    facts = _facts(
        (["c:2"], [], True),
        (["c:2"], [], True),
        (["c:2", "c:3"], ["r:1"], True),
        (["c:3"], ["r:3"], True),
        (["c:3"], ["r:3"], True),
        (["c:3"], ["r:3"], True),
        (["c:1"], [], True),
        (["c:1"], [], True),
        (["c:2"], [], False),
    )
    found = {label.id: label for label in labels(facts, ONTOLOGY) if label.kind != "use"}
    # Eight curated ones: all are compounds, three alkaloids (which are sedatives, so drugs too),
    # four esters. "Pharmacological role" only sorts roles.
    assert {id_: label.share for id_, label in found.items()} == {
        "c:1": 1.0,
        "c:2": 3 / 8,
        "c:3": 4 / 8,
        "r:1": 3 / 8,
        "r:2": 3 / 8,
    }
    assert found["r:2"].kind == "role"
    assert found["r:2"].name == "sedative"


def test_what_two_molecules_have_is_left_out() -> None:
    facts = _facts((["c:2"], [], True), (["c:2"], [], True), (["c:3"], [], True))
    kinds = {label.id for label in labels(facts, ONTOLOGY) if label.kind != "use"}
    assert kinds == {"c:1"}


def test_held() -> None:
    assert held(ONTOLOGY, ("c:2",), ()) == {"c:1", "c:2", "r:1", "r:2"}
    assert held(ONTOLOGY, (), ("r:2",)) == {"r:1", "r:2"}


def test_uses_are_no_more_frequent_than_two_percent() -> None:
    uses = [label for label in labels(_facts((["c:1"], [], True)), ONTOLOGY) if label.kind == "use"]
    shares = {label.name: label.share for label in uses}
    assert len(shares) == len(uses) > 250
    assert max(shares.values()) == RAREST_USE
    # As the table says; the largest share of all would be 0.85 ("industrial chemicals").
    assert shares["wetting agents"] == pytest.approx(0.013327)


def test_definitions_are_those_of_their_sources() -> None:
    written = definitions()
    assert written["CHEBI:22315"].name == "alkaloid"
    assert written["CHEBI:22315"].text.startswith("Any of the naturally occurring, basic nitrogen")
    assert written["CHEBI:22315"].source == "definition in ChEBI"
    acaricides = written["ChemFuncT:func_0003"]
    assert acaricides.text == "Chemical substances used to kill ticks and mites."
    assert acaricides.source == "description in ChemFuncT"
    assert all(entry.text == " ".join(entry.text.split()) for entry in written.values())
