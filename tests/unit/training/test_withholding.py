"""Withheld labels never reach the captions of a run, and what is claimed beside the weights."""

import gzip
import json
import random
from types import SimpleNamespace

import pytest
from rdkit import Chem

from molclip.text.captions import CaptionMaker, CaptionMix
from molclip.text.facts import MoleculeFacts
from molclip.text.withheld import FILE_NAME, Withheld, WithheldLabel
from molclip.training import withholding
from molclip.training.corpus import load_corpus
from molclip.training.withholding import list_in_force, main, mentions

FISHY = WithheldLabel("odour", "fishy", "fishy", ("fish",))
DYES = WithheldLabel("use", "Dyes", "Dyes", ("colourant",))
ROLE = WithheldLabel("chebi role", "CHEBI:9101", "tracer", ("label of atoms",))
LIST = Withheld((FISHY, DYES, ROLE))

SMILES = {"CHEBI:1": "[SiH3]CCCC(=O)O", "CHEBI:2": "[SiH3]CCC"}


def _tsv(path, *rows):
    path.write_bytes(gzip.compress("".join("\t".join(row) + "\n" for row in rows).encode()))


def _keys(smiles):
    return [Chem.MolToInchiKey(Chem.MolFromSmiles(text)) for text in smiles]


@pytest.fixture
def folder(tmp_path):
    """Sources that say every withheld label in another kind of text."""
    graph = [
        {
            "id": "CHEBI:1",
            "name": "silyl dye",
            "relations": {"is_a": ["CHEBI:9"], "has_role": ["CHEBI:9101"], "has_part": ["CHEBI:8"]},
        },
        {"id": "CHEBI:2", "name": "silane two", "relations": {"is_a": ["CHEBI:9"]}},
        {"id": "CHEBI:8", "name": "fish oil"},
        {"id": "CHEBI:9", "name": "silane"},
        {"id": "CHEBI:9101", "name": "tracer", "relations": {"is_a": ["CHEBI:9100"]}},
        {"id": "CHEBI:9100", "name": "probe"},
    ]
    (tmp_path / "chebi_graph.json.gz").write_bytes(gzip.compress(json.dumps(graph).encode()))
    _tsv(
        tmp_path / "chebi_molecules.tsv.gz",
        ("chebi_id", "name", "smiles", "chebi20_split", "stars3"),
        *((id_, {"CHEBI:1": "silyl dye"}.get(id_, "silane two"), text, "none", "1")
          for id_, text in SMILES.items()),
    )  # fmt: skip
    _tsv(
        tmp_path / "chebi_synonyms.tsv.gz",
        ("chebi_id", "synonym"),
        ("CHEBI:2", "Colourant 7"),
        ("CHEBI:2", "propylsilane"),
    )
    _tsv(
        tmp_path / "odour_gs_lf.tsv.gz",
        ("smiles", "descriptors"),
        (SMILES["CHEBI:2"], "fishy;green"),
        ("[SiH3]CCCCCC", "fishy"),
    )
    _tsv(
        tmp_path / "chebi_definitions.tsv.gz",
        ("chebi_id", "definition"),
        ("CHEBI:9100", "What is looked for with a dye."),
    )
    return tmp_path


def _texts(corpus):
    maker = CaptionMaker(
        corpus.terms,
        {"CHEBI:9100": ("label of atoms", "search aid"), "CHEBI:9": ("silicon hydride",)},
        corpus.definitions,
        CaptionMix(short=0.6),
        corpus.withheld,
    )
    found = mentions(((e.id, e.facts) for e in corpus.entries), maker, LIST)
    drawn = [
        maker.caption(entry.facts, random.Random(seed)).text
        for entry in corpus.entries
        for seed in range(500)
    ]
    return found, drawn


def test_without_a_list_every_kind_of_text_says_it(folder):
    found, drawn = _texts(load_corpus(folder, _keys, withheld=Withheld()))
    kinds = {(mention.source.partition(" ")[0], mention.phrase) for mention in found}
    assert kinds == {
        ("name", "dye"), ("name", "colourant"), ("has_part", "fish"), ("odour", "fishy"),
        ("name", "tracer"), ("everyday", "label of atom"), ("definition", "dye"),
    }  # fmt: skip
    assert any(LIST.is_withheld(text) for text in drawn)


def test_with_the_list_no_text_and_no_caption_says_it(folder):
    corpus = load_corpus(folder, _keys, withheld=LIST)
    found, drawn = _texts(corpus)
    assert found == []
    assert not [text for text in drawn if LIST.is_withheld(text)]
    said = " | ".join(drawn)
    for word in ("silane", "probe", "search aid", "green", "propylsilane"):
        assert word in said
    facts = {entry.id: entry.facts for entry in corpus.entries}
    # The ids stay: which of them can be said is decided by the caption maker.
    assert facts["CHEBI:1"].roles == ("CHEBI:9101",)
    # The molecule of which only a withheld odour was known has nothing left to be told about.
    assert set(facts) == set(SMILES)
    assert corpus.left_out["only withheld labels"] == 1


# -- the list beside the weights --------------------------------------------------------------


def _pairs(withheld=LIST, texts=()):
    if withheld is None:
        return SimpleNamespace(maker=None, facts=[MoleculeFacts(texts=tuple(texts))])
    return SimpleNamespace(maker=SimpleNamespace(withheld=withheld), facts=[])


def test_the_list_of_the_caption_maker_is_in_force_and_remembered(tmp_path):
    assert list_in_force(_pairs(), None, tmp_path) == LIST
    assert Withheld.read(tmp_path / FILE_NAME) == LIST


def test_a_run_that_goes_on_keeps_to_the_list_of_its_first_start(tmp_path):
    list_in_force(_pairs(Withheld((FISHY, ROLE))), None, tmp_path)
    assert list_in_force(_pairs(), None, tmp_path) == Withheld((FISHY, ROLE))
    assert list_in_force(_pairs(Withheld((ROLE, DYES))), None, tmp_path) == Withheld((ROLE,))


def test_a_run_older_than_the_list_claims_nothing(tmp_path):
    (tmp_path / "checkpoint.pt").touch()
    assert list_in_force(_pairs(), None, tmp_path) == Withheld()


def test_what_the_start_model_was_told_was_told(tmp_path):
    home = tmp_path / "start"
    home.mkdir()
    Withheld((FISHY,)).write(home)
    start = SimpleNamespace(folder=home)
    (tmp_path / "run").mkdir()
    assert list_in_force(_pairs(), start, tmp_path / "run") == Withheld((FISHY,))
    (tmp_path / "other").mkdir()
    assert list_in_force(_pairs(), SimpleNamespace(folder=None), tmp_path / "other") == Withheld()


def test_own_texts_are_looked_through(tmp_path, monkeypatch):
    monkeypatch.setattr(withholding, "load_withheld", lambda: LIST)
    pairs = _pairs(None, ["It smells fishy.", "A tracing agent."])
    assert list_in_force(pairs, None, tmp_path) == Withheld((DYES, ROLE))


def test_the_command_prints_what_it_found(folder, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("MOLCLIP_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(withholding, "load_withheld", lambda: LIST)
    monkeypatch.setattr("molclip.training.corpus.load_withheld", lambda: LIST)
    assert main([str(folder)]) == 0
    assert "3 withheld labels, 2 molecules, 0 texts mention one" in capsys.readouterr().out
    monkeypatch.setattr("molclip.training.corpus.load_withheld", lambda: Withheld((FISHY,)))
    assert main([str(folder)]) == 1
    assert "'dye' in name of CHEBI:1: silyl dye" in capsys.readouterr().out
    assert main([]) == 2
