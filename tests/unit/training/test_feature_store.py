"""The store of training features: content, disk, graphs, and what a change of codes does."""

import numpy as np
import pytest
from rdkit import Chem

from molclip.chem import features as chem_features
from molclip.chem import graphs
from molclip.chem.inputs import input_of
from molclip.errors import InputError
from molclip.training import features, graph_cache
from molclip.training.features import FeatureStore
from molclip.training.shards import Shards, content_keys

SMILES = [
    "CCO",
    "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1",
    "[Na+].[Cl-]",
    "N->[Cu+2]<-N",
    "no structure",
    r"C/C=C\C",
]
READABLE = [text for text in SMILES if text != "no structure"]


def same_graph(one, other):
    return all(
        np.array_equal(getattr(one, name), getattr(other, name))
        and getattr(one, name).dtype == getattr(other, name).dtype
        for name in ("atoms", "bonds", "bond_fields")
    )


def test_rows_are_found_again_in_any_order(tmp_path):
    store = FeatureStore(tmp_path)
    rows = store.rows(SMILES)
    assert sorted(rows.tolist()) == list(range(len(SMILES)))
    assert store.rows([SMILES[3], SMILES[0], SMILES[3]]).tolist() == rows[[3, 0, 3]].tolist()
    assert store.smiles(rows) == SMILES


def test_features_are_those_of_the_molecule(tmp_path):
    store = FeatureStore(tmp_path)
    dense = store.dense(store.rows(SMILES))
    assert dense.shape == (len(SMILES), chem_features.WIDTH)
    for text, row in zip(SMILES, dense, strict=True):
        mol = Chem.MolFromSmiles(text) if text in READABLE else None
        expected = np.zeros_like(row) if mol is None else chem_features.featurize(mol)
        np.testing.assert_array_equal(row, expected)


def test_keys_and_properties(tmp_path):
    store = FeatureStore(tmp_path)
    assert store.keys(["CCO", "no structure"]) == ["LFQSCWFLJHTTHZ-UHFFFAOYSA-N", ""]
    rows = store.rows(["[Na+].[Cl-]", "CCO", "C1CC1[NH3+]"])
    assert store.column("charge")[rows].tolist() == [0, 0, 1]
    assert store.column("rings")[rows].tolist() == [0, 0, 1]
    assert store.column("mol_weight")[rows][1] == pytest.approx(46.069, abs=1e-3)
    assert store.inchikeys[int(rows[1])] == "LFQSCWFLJHTTHZ-UHFFFAOYSA-N"
    assert len(store.inchikeys) == len(store) == 4


def test_a_second_store_computes_nothing(tmp_path, monkeypatch):
    first = FeatureStore(tmp_path)
    rows = first.rows(SMILES)
    first.prepare(rows, "graph")

    def refuse(*_):
        raise AssertionError("computed again")

    monkeypatch.setattr(features, "computed", refuse)
    monkeypatch.setattr(graph_cache, "computed", refuse)
    second = FeatureStore(tmp_path)
    again = second.rows(SMILES)
    np.testing.assert_array_equal(second.dense(again), first.dense(rows))
    assert all(
        same_graph(*pair)
        for pair in zip(second.inputs(again, "graph"), first.inputs(rows, "graph"), strict=True)
    )


def test_the_store_grows_by_what_is_new(tmp_path):
    FeatureStore(tmp_path).rows(SMILES[:2])
    store = FeatureStore(tmp_path)
    store.rows(SMILES[:4])
    assert len(store) == 4
    assert len(FeatureStore(tmp_path)) == 4
    assert len(list(store.folder.glob("*.shard"))) == 2


def test_many_structures_go_to_disk_in_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(features, "SHARD_ROWS", 3)
    store = FeatureStore(tmp_path)
    store.rows(["C" * n for n in range(1, 9)])
    assert len(list(store.folder.glob("*.shard"))) == 3
    assert store.smiles(store.rows(["CCC", "CCCCCCCC"])) == ["CCC", "CCCCCCCC"]


def test_progress_counts_over_all_parts(tmp_path, monkeypatch):
    monkeypatch.setattr(features, "SHARD_ROWS", 6)
    monkeypatch.setattr("molclip.training.computing._TELL_EVERY", 4)
    told = []
    store = FeatureStore(tmp_path)
    rows = store.rows(["C" * n for n in range(1, 11)], lambda *numbers: told.append(numbers))
    assert told == [(4, 10), (10, 10)]
    told.clear()
    store.prepare(rows, "graph", lambda *numbers: told.append(numbers))
    assert told == [(4, 10), (10, 10)]


def test_processes_give_the_same_rows_in_order(tmp_path):
    smiles = [f"{'C' * (1 + n % 40)}{'N' * (n // 40)}O" for n in range(120)]
    store = FeatureStore(tmp_path, workers=2)
    rows = store.rows(smiles)
    for text, row in list(zip(smiles, store.dense(rows), strict=True))[::17]:
        np.testing.assert_array_equal(row, chem_features.featurize(Chem.MolFromSmiles(text)))


@pytest.mark.parametrize("kind", ["graph", "hybrid"])
def test_inputs_are_those_of_the_molecule(tmp_path, kind):
    store = FeatureStore(tmp_path)
    rows = store.rows(SMILES)[::-1]
    for text, made in zip(SMILES[::-1], store.inputs(rows, kind), strict=True):
        graph = made.graph if kind == "hybrid" else made
        mol = Chem.MolFromSmiles(text if text in READABLE else "*")
        assert same_graph(graph, graphs.graph_of(mol)), text
        if kind == "hybrid" and text in READABLE:
            np.testing.assert_array_equal(made.counts, input_of(mol).astype(np.uint8))


def test_fingerprint_runs_make_no_graphs(tmp_path):
    store = FeatureStore(tmp_path)
    rows = store.rows(SMILES)
    np.testing.assert_array_equal(store.inputs(rows), store.dense(rows))
    store.prepare(rows, "fingerprint")
    assert [path.name for path in tmp_path.iterdir()] == [store.folder.name]


def test_graphs_of_other_codes_are_not_read(tmp_path, monkeypatch):
    store = FeatureStore(tmp_path)
    before = store.inputs(store.rows(["CCO"]), "graph")[0]
    monkeypatch.setitem(graphs._HYBRIDS, Chem.HybridizationType.SP3, 5)
    store = FeatureStore(tmp_path)
    after = store.inputs(store.rows(["CCO"]), "graph")[0]
    assert before.atoms[0, 4] == 4
    assert after.atoms[0, 4] == 5
    assert len(list(tmp_path.glob("graphs-*"))) == 2
    assert len(list(tmp_path.glob("features-*"))) == 1


def test_two_processes_may_write_at_once(tmp_path):
    one, other = FeatureStore(tmp_path), FeatureStore(tmp_path)
    one.rows(["CCO", "CCN"])
    other.rows(["CCN", "CCC"])
    both = FeatureStore(tmp_path)
    assert both.smiles(both.rows(["CCC", "CCO", "CCN"])) == ["CCC", "CCO", "CCN"]


def test_a_killed_write_leaves_the_rest_readable(tmp_path, monkeypatch):
    store = FeatureStore(tmp_path)
    store.rows(SMILES[:2])

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(np, "savez", full)
        with pytest.raises(InputError, match=r"No space left.*MOLCLIP_CACHE"):
            store.rows(["CCCC"])
    assert len(FeatureStore(tmp_path)) == 2
    assert FeatureStore(tmp_path).rows(["CCCC"]).tolist() == [2]


def test_texts_that_share_half_a_hash_are_told_apart(tmp_path):
    shards = Shards(tmp_path / "s")
    keys = np.array([[7, 1], [7, 3], [7, 2], [9, 1]], dtype=np.uint64)
    shards.append(keys, [b"a", b"bc", b"", b"d"], {"x": np.arange(4)})
    asked = np.array([[7, 2], [7, 4], [9, 1], [7, 1], [8, 1], [10, 0]], dtype=np.uint64)
    assert shards.find(asked).tolist() == [2, -1, 3, 0, -1, -1]
    assert [shards.record(row).tobytes() for row in (1, 2, 3)] == [b"bc", b"", b"d"]


def test_content_keys_are_blake2b():
    import hashlib

    digest = hashlib.blake2b(b"CCO", digest_size=16).digest()
    assert content_keys(["CCO"]).tobytes() == digest
    assert content_keys([]).shape == (0, 2)
