"""`molclip join`: folders in, a folder out that knows what its members' trainings left behind."""

from __future__ import annotations

import pytest
from cli_support import MOLECULES, Run
from model_fakes import tiny_model

from molclip import MolCLIP
from molclip.datasets.facts import load_facts
from molclip.search.seen import SEEN_FILE, SeenMolecules, write_seen
from molclip.text.withheld import Withheld, WithheldLabel
from molclip.training.joining import training_molecules

DYE, WAX = (WithheldLabel("use", name, name) for name in ("dye", "wax"))


@pytest.fixture
def folders(tmp_path):
    made = []
    for seed, (seen, words, withheld) in enumerate(
        ((("A", "B"), "bitter\nsweet\n", (DYE, WAX)), (("B", "C"), "sour\nsweet\n", (DYE,)))
    ):
        folder = tmp_path / f"m{seed}"
        tiny_model(seed).save_pretrained(folder)
        write_seen(seen, folder / SEEN_FILE)
        (folder / "words.txt").write_text(words, encoding="utf-8")
        Withheld(withheld).write(folder)
        made.append(folder)
    return made


@pytest.fixture
def molecules(tmp_path):
    path = tmp_path / "mine.csv"
    rows = (f"{id_},{smiles}" for id_, _, smiles, _ in MOLECULES)
    path.write_text("\n".join(("id,smiles", *rows)) + "\n", encoding="utf-8")
    return path


def test_join(run: Run, folders, molecules, tmp_path):
    out = tmp_path / "joined"
    result = run(
        *("join", *folders, "-o", out, "--dimension", 6, "--storage", "int8"),
        *("--molecules", molecules, "--workers", 1, "--weights", "2,1"),
    )
    assert result.exit_code == 0, result.stderr
    assert result.stdout.strip() == str(out)
    model = MolCLIP.from_pretrained(out)
    assert model.dimension == 6
    assert model.encode_text(["a bitter alkaloid"]).shape == (1, 6)
    # Seen or known by either, withheld from both.
    seen = SeenMolecules.beside(out)
    assert seen is not None
    assert [key in seen for key in "ABCD"] == [True, True, True, False]
    assert model.known_words == {"bitter", "sour", "sweet"}
    assert Withheld.beside(out).labels == (DYE,)


def test_what_was_seen_stays_unknown_where_a_member_has_no_list(
    run: Run, folders, molecules, tmp_path
):
    (folders[1] / SEEN_FILE).unlink()
    (folders[1] / "words.txt").unlink()
    out = tmp_path / "joined"
    result = run("join", *folders, "-o", out, "--dimension", 6, "--molecules", molecules)
    assert result.exit_code == 0, result.stderr
    assert SeenMolecules.beside(out) is None
    assert MolCLIP.from_pretrained(out).known_words is None


def test_one_model_is_not_enough(run: Run, folders, molecules, tmp_path):
    result = run("join", folders[0], "-o", tmp_path / "joined", "--molecules", molecules)
    assert result.exit_code != 0
    assert "nothing to join" in result.stderr


def test_the_space_is_found_with_training_molecules(tmp_path):
    table = load_facts().table
    keys = table.column("inchikey").to_pylist()[:50]
    write_seen(keys, tmp_path / SEEN_FILE)
    seen = SeenMolecules.load(tmp_path / SEEN_FILE)
    found = training_molecules([seen], 20)
    assert len(found) == 20
    assert set(found) <= set(table.column("smiles").to_pylist()[:50])


@pytest.mark.parametrize("weights", ["2,x", "2", "2,0"])
def test_weights_that_are_none_are_refused(run: Run, folders, molecules, tmp_path, weights):
    result = run(
        *("join", *folders, "-o", tmp_path / "joined", "--dimension", 6, "--workers", 1),
        *("--molecules", molecules, "--weights", weights),
    )
    assert result.exit_code != 0
    assert "no weights" in " ".join(result.stderr.split())
    assert not (tmp_path / "joined").exists()
