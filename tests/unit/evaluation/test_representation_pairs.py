"""Pairs that a representation is looked at on."""

import gzip

from molclip.datasets.facts import load_facts
from molclip.datasets.ontology import Ontology
from molclip.datasets.refusal import RefusalList
from molclip.evaluation.representation_pairs import chebi20_pairs, library_pairs

ASPIRIN = "CC(=O)Oc1ccccc1C(=O)O"


def test_library_molecules_are_those_that_no_training_may_see():
    pairs = library_pairs(40, seed=2)
    facts, refused, ontology = load_facts(), RefusalList.load(), Ontology.load()
    assert len(pairs) == len(set(pairs.ids)) == 40
    assert "no training may see" in pairs.name
    for place, id_ in enumerate(pairs.ids):
        fact = facts[facts.row_of_id[id_]]
        assert refused.contains(fact.inchikey)
        assert (pairs.names[place], pairs.smiles[place]) == (fact.name, fact.smiles)
        assert pairs.classes[place] == ontology.closure(fact.classes)
        assert set(fact.classes) <= pairs.classes[place]
    # Whole descriptions, not labels.
    assert all(len(text.split()) >= 5 for text in pairs.texts)
    assert pairs.texts == library_pairs(40, seed=2).texts
    assert pairs.ids != library_pairs(40, seed=3).ids


def test_chebi20_pairs_get_names_and_classes_from_the_library(tmp_path):
    def write(name, text):
        with gzip.open(tmp_path / name, "wt", encoding="utf-8") as handle:
            handle.write(text)

    write(
        "chebi20_pool.tsv.gz",
        f"cid\tsplit\tsmiles\n1\tvalidation\t{ASPIRIN}\n2\ttrain\tCCO\n"
        "3\tvalidation\t[SiH3]CCCCCCCCCCCBr\n4\tvalidation\tC1CC\n",
    )
    write(
        "chebi20_validation_text.tsv.gz",
        "cid\tdescription\n3\tA silane.\n1\tA salicylate.\n4\tBroken.\n",
    )
    pairs = chebi20_pairs(tmp_path, 10)
    place = {id_: row for row, id_ in enumerate(pairs.ids)}
    assert set(place) == {"1", "3", "4"}
    assert pairs.names[place["1"]] == "acetylsalicylic acid"
    assert pairs.texts[place["1"]] == "A salicylate."
    assert pairs.smiles[place["1"]] == ASPIRIN
    # Benzoic acids, CHEBI:22723, are above the salicylates.
    assert "CHEBI:22723" in pairs.classes[place["1"]]
    for unknown in ("3", "4"):
        assert pairs.names[place[unknown]] == unknown
        assert pairs.classes[place[unknown]] == frozenset()
    assert len(chebi20_pairs(tmp_path, 2, seed=1)) == 2
