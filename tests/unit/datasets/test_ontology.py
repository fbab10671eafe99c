"""The ontology's closure, on a hand-made one and on real terms."""

import pytest

from molclip.datasets import Ontology, Term, load_facts
from molclip.errors import InputError


@pytest.fixture(scope="module")
def small() -> Ontology:
    """drug ── analgesic ── opioid analgesic        (roles)
    amine ── alkaloid ── morphinan               (classes; morphinans have the opioid role)"""
    return Ontology(
        {
            term.id: term
            for term in (
                Term("R:1", "drug", "role"),
                Term("R:2", "analgesic", "role", ("R:1",)),
                Term("R:3", "opioid analgesic", "role", ("R:2",), (), ("painkiller",)),
                Term("C:1", "amine", "class"),
                Term("C:2", "alkaloid", "class", ("C:1",)),
                Term("C:3", "morphinan", "class", ("C:2",), ("R:3",)),
            )
        }
    )


def test_closure(small: Ontology) -> None:
    assert small.ancestors("C:3") == {"C:2", "C:1"}
    assert small.ancestors("C:1") == frozenset()
    assert small.descendants("R:1") == {"R:2", "R:3"}
    assert small.children("R:1") == ("R:2",)
    assert small.closure(["C:2", "R:2"]) == {"C:2", "C:1", "R:2", "R:1"}
    assert small.inherited_roles(["C:3"]) == {"R:3", "R:2", "R:1"}
    assert small.ancestors("unknown") == frozenset()


def test_records(small: Ontology) -> None:
    assert small.records(["C:3"], [], "C:1")
    assert not small.records(["C:2"], [], "C:3")  # an alkaloid need not be a morphinan
    assert small.records([], ["R:3"], "R:2")
    assert not small.records([], ["R:2"], "R:3")
    assert small.records(["C:3"], [], "R:2")  # what the class has, its members have
    assert not small.records(["C:3"], [], "R:2", inherit_roles=False)
    assert not small.records([], ["R:3"], "C:1")
    assert not small.records(["C:3"], ["R:3"], "unknown")


def test_a_cycle_ends() -> None:
    ring = Ontology({"A": Term("A", "a", "class", ("B",)), "B": Term("B", "b", "class", ("A",))})
    assert ring.ancestors("A") == {"B"}
    assert ring.descendants("A") >= {"B"}


def test_lookup(small: Ontology) -> None:
    assert small.lookup("Opioid-Analgesics") == ("R:3",)
    assert small.lookup("painkiller") == ("R:3",)
    assert small.lookup("alkaloid", kind="role") == ()
    assert small.lookup("nothing of the kind") == ()


@pytest.mark.parametrize(
    ("molecule", "term", "recorded"),
    [
        ("quinine", "alkaloid", True),
        ("quinine", "antimalarial", True),
        ("quinine", "drug", True),  # antimalarial is below drug
        ("quinine", "steroid", False),
        ("testosterone", "steroid", True),
        ("testosterone", "hormone", True),
        ("cholesterol", "lipid", True),
        ("benzylpenicillin", "beta-lactam antibiotic", True),
        ("caffeine", "antibacterial agent", False),
    ],
)
def test_real_terms(molecule: str, term: str, recorded: bool) -> None:
    ontology, facts = Ontology.load(), load_facts()
    row = facts[facts.column("name").index(molecule)]
    ids = ontology.lookup(term)
    assert ids
    assert any(ontology.records(row.classes, row.roles, id_) for id_ in ids) is recorded


def test_role_of_a_molecule_is_never_a_class() -> None:
    ontology = Ontology.load()
    assert ontology.kind(ontology.lookup("antimalarial")[0]) == "role"
    assert ontology.kind(ontology.lookup("alkaloid")[0]) == "class"


def test_missing_file(tmp_path) -> None:
    with pytest.raises(InputError, match="Cannot read the ontology"):
        Ontology.load(tmp_path / "none.parquet")
