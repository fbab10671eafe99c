"""Entries of ChEBI are found by structure."""

from __future__ import annotations

from typing import Any

from molclip.chem.parse import parse_molecule
from molclip.datasets.ontology import Ontology
from molclip.describe.recorded import find, relative


def _molecule(smiles: str) -> Any:
    return parse_molecule(smiles)


def test_a_structure_drawn_another_way_is_the_same_entry() -> None:
    found = find(_molecule("Cn1cnc2c1c(=O)n(C)c(=O)n2C"))
    assert found is not None
    assert found.record.id == "CHEBI:27732"
    assert found.record.name == "caffeine"
    assert found.exact
    ontology = Ontology.load()
    names = {ontology.name(id_) for id_ in found.terms(ontology)}
    assert {"alkaloid", "purine alkaloid", "central nervous system drug", "caffeine"} <= names
    assert "steroid" not in names
    roles = dict(found.roles(ontology))
    assert roles["CHEBI:35337"] is None  # central nervous system stimulant, of caffeine itself


def test_roles_of_classes_say_which_class() -> None:
    found = find(_molecule("C=C[C@H]1CN2CC[C@H]1C[C@H]2[C@H](O)c1ccnc2ccc(OC)cc12"))
    assert found is not None
    assert found.record.name == "quinine"
    ontology = Ontology.load()
    through = {ontology.name(id_): via for id_, via in found.roles(ontology)}
    assert through["antimalarial"] is None
    assert through["metabolite"] == "alkaloid"


def test_strangers_and_their_relatives() -> None:
    stranger = _molecule("O=C(Nc1ccc(Br)cc1)c1ccncc1F")
    assert find(stranger) is None
    assert relative(stranger) is None
    # Quinine with one centre turned round is neither quinine nor quinidine.
    turned = _molecule("C=C[C@@H]1CN2CC[C@H]1C[C@H]2[C@H](O)c1ccnc2ccc(OC)cc12")
    assert find(turned) is None
    near = relative(turned)
    assert near is not None
    assert near.curated
    assert near.inchikey.startswith("LOUPRKONTZGTKE-")
