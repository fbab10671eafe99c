"""Sources joined into training molecules, on files written here."""

import gzip
import json

from molclip.training.corpus import is_held_out, load_corpus
from molclip.training.features import FeatureStore


def test_partners_are_kept_by_id_and_other_relations_by_name(tmp_path):
    smiles = {"CHEBI:1": "[SiH3]CCCC(=O)O", "CHEBI:2": "[SiH3]CCCC(=O)[O-]", "CHEBI:3": "[SiH3]CC"}
    graph = [
        {
            "id": "CHEBI:1",
            "name": "acid",
            "relations": {
                "is_a": ["CHEBI:9"],
                "is_conjugate_acid_of": ["CHEBI:2"],
                "has_functional_parent": ["CHEBI:3"],
                "is_tautomer_of": ["CHEBI:4"],
            },
        },
        {"id": "CHEBI:2", "name": "anion", "relations": {"is_conjugate_base_of": ["CHEBI:1"]}},
        {"id": "CHEBI:3", "name": "parent"},
        {"id": "CHEBI:4", "name": "tautomer"},
        {"id": "CHEBI:9", "name": "silane"},
    ]
    with gzip.open(tmp_path / "chebi_graph.json.gz", "wt", encoding="utf-8") as handle:
        json.dump(graph, handle)
    columns = ["chebi_id", "name", "smiles", "chebi20_split", "stars3"]
    rows = [[id_, id_, text, "none", "1"] for id_, text in smiles.items()]
    with gzip.open(tmp_path / "chebi_molecules.tsv.gz", "wt", encoding="utf-8") as handle:
        handle.writelines("\t".join(cells) + "\n" for cells in [columns, *rows])
    store = FeatureStore(tmp_path / "cache", workers=1)
    assert not any(is_held_out(key) for key in store.keys(list(smiles.values())))
    corpus = load_corpus(tmp_path, store.keys)
    facts = {entry.id: entry.facts for entry in corpus.entries}
    assert sorted(facts) == sorted(smiles)
    assert set(facts["CHEBI:1"].partners) == {"CHEBI:2", "CHEBI:4"}
    assert facts["CHEBI:2"].partners == ("CHEBI:1",)
    assert facts["CHEBI:3"].partners == ()
    assert set(facts["CHEBI:1"].relations) == {
        ("is_conjugate_acid_of", "anion"),
        ("has_functional_parent", "parent"),
        ("is_tautomer_of", "tautomer"),
    }
