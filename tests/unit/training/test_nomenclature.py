"""Names with structures: rows stay aligned, seeds are kept, what is refused stays out."""

import csv
import gzip
import shutil

import pytest

from molclip.datasets.refusal import RefusalList
from molclip.errors import InputError
from molclip.training import nomenclature
from molclip.training.corpus import NOMENCLATURE, is_held_out, load_corpus
from molclip.training.features import FeatureStore


def _reads_acids(names, processes=2):
    """A reader that knows acids of one carbon to ten."""
    stems = ("meth", "eth", "prop", "but", "pent", "hex", "hept", "oct", "non", "dec")
    known = {f"{stem}anoic acid": "C" * place + "C(=O)O" for place, stem in enumerate(stems)}
    return [known.get(name, "") for name in names]


def test_a_seed_that_is_read_gives_several_relatives(monkeypatch):
    monkeypatch.setattr(nomenclature, "read_names", _reads_acids)
    made = list(nomenclature.relatives([("a", "hexanoic acid"), ("b", "gibberish")], seed=3))
    assert made
    assert {origin for _, _, origin in made} == {"a"}
    names = [name for _, name, _ in made]
    assert len(names) == len(set(names))
    assert "hexanoic acid" not in names
    for smiles, name, _ in made:
        assert [smiles] == _reads_acids([name])


def test_fewer_seeds_and_catalogue_names_are_used_where_asked_for(tmp_path, monkeypatch):
    monkeypatch.setattr(nomenclature, "read_names", _reads_acids)
    others = [("[SiH3]C" + "C" * n + "O", f"silyl alcohol {n}") for n in range(6)]
    monkeypatch.setattr(nomenclature, "catalogue", lambda: iter(others))
    monkeypatch.setenv("MOLCLIP_DATA", str(tmp_path))
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    with gzip.open(tmp_path / "chebi_graph.json.gz", "wt", encoding="utf-8") as handle:
        handle.write("[]")
    with gzip.open(tmp_path / "chebi_molecules.tsv.gz", "wt", encoding="utf-8") as handle:
        handle.write("chebi_id\tname\tsmiles\tchebi20_split\tstars3\n")
        for number, stem in enumerate(("eth", "prop", "but", "pent", "hex", "hept", "oct", "non")):
            smiles, name = f"[GeH3]C{'C' * number}C(=O)O", f"{stem}anoic acid"
            handle.write(f"CHEBI:{number}\t{name}\t{smiles}\tnone\t1\n")
    file = tmp_path / "names.tsv.gz"
    arguments = ["nomenclature", str(file), "--seeds", "5", "--catalogue", "2"]
    monkeypatch.setattr(nomenclature.sys, "argv", arguments)
    nomenclature.main()
    with gzip.open(file, "rt", encoding="utf-8", newline="") as handle:
        rows = list(csv.DictReader(handle, delimiter="\t"))
    assert 1 <= len({row["seed"] for row in rows if row["seed"]}) <= 5
    assert len([row for row in rows if row["name"].startswith("silyl alcohol")]) == 2


def test_partners_name_what_they_relate_to():
    rows = list(nomenclature.partners([("CCC(=O)O", "propanoic acid", "a"), ("CC", "ethane", "b")]))
    assert rows == [("CCC(=O)[O-]", "propanoate", "a", "is_conjugate_base_of", "propanoic acid")]


def test_without_opsin_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(nomenclature.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InputError, match="OPSIN") as caught:
        nomenclature.read_names(["ethane"])
    assert "py2opsin" in caught.value.hint


def test_opsin_itself_keeps_rows_aligned():
    pytest.importorskip("py2opsin")
    if shutil.which("java") is None:
        pytest.skip("no Java")
    assert nomenclature.read_names(["hexanoic acid", "no such name", "ethane"]) == [
        "C(CCCCC)(=O)O",
        "",
        "CC",
    ]


def test_held_out_molecules_of_such_a_file_are_refused(tmp_path):
    held_out = "CCCCCCCCCCCCCCCCCCCCCCCCCCCC(=O)[O-]"  # of the validation split of ChEBI-20
    store = FeatureStore(tmp_path / "cache", workers=1)
    assert RefusalList.load().refuses(store.keys([held_out])[0], skeleton=True)
    with gzip.open(tmp_path / "chebi_graph.json.gz", "wt", encoding="utf-8") as handle:
        handle.write("[]")
    with gzip.open(tmp_path / "chebi_molecules.tsv.gz", "wt", encoding="utf-8") as handle:
        handle.write("chebi_id\tname\tsmiles\tchebi20_split\tstars3\n")
    fine = (
        "[SiH3]CCCC(=O)[O-]",
        "4-silylbutanoate",
        "",
        "is_conjugate_base_of",
        "4-silylbutanoic acid",
    )
    assert not is_held_out(store.keys([fine[0]])[0])
    file = tmp_path / "names.tsv"
    with file.open("w", encoding="utf-8", newline="") as handle:
        writer = csv.writer(handle, delimiter="\t")
        writer.writerow(nomenclature.COLUMNS)
        writer.writerow((held_out, "octacosanoate", "", "", ""))
        writer.writerow(fine)
        writer.writerow(("no structure", "nothing", "", "", ""))
    corpus = load_corpus(tmp_path, store.keys, nomenclature=file)
    (entry,) = corpus.entries
    assert entry.source == NOMENCLATURE
    assert entry.facts.names == ("4-silylbutanoate",)
    assert entry.facts.relations == (("is_conjugate_base_of", "4-silylbutanoic acid"),)
    assert corpus.left_out["validation or test molecule"] == 1
    assert corpus.left_out["unreadable structure"] == 1
