"""Every row of a source is accounted for, through adding, killing and starting again."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from search_fakes import FakeModel

from molclip.chem.parse import parse_molecule
from molclip.errors import InputError, LibraryError
from molclip.search import builder
from molclip.search.library import Library
from molclip.search.locking import exclusive

HERE = Path(__file__).parent


def ids(library):
    return sorted(r["id"] for r in library.search("x", k=1000))


def test_every_row_is_added_replaced_or_a_failure(library):
    report = library.info().report
    assert (report.rows_read, report.added, report.replaced, report.failed) == (8, 6, 1, 1)
    assert report.rows_read == report.added + report.updated + report.replaced + report.failed
    (failure,) = library.failures()
    assert (failure["row"], failure["id"], failure["input"]) == (2, "A2", "c1cc1")
    assert "kekulized" in failure["reason"]
    assert any("'A1'" in warning for warning in report.warnings)


@pytest.mark.parametrize("empty", [None, float("nan")])
def test_an_empty_cell_of_a_data_frame_costs_its_own_row(tmp_path, model, empty):
    rows = [
        {"smiles": "CCO", "id": "a"},
        {"smiles": empty, "id": "b"},
        {"smiles": "C", "id": empty},
    ]
    for name, source in (("dicts", rows), ("column", [row["smiles"] for row in rows])):
        library = Library.build(tmp_path / name, source, model=model)
        (failure,) = library.failures()
        assert (failure["row"], failure["input"]) == (2, "")
        assert failure["reason"].startswith("empty:")
        assert len(library) == 2
        assert library.get("nan") is None


def test_the_manifest_says_what_the_library_was_made_with(library, model):
    import rdkit

    import molclip

    info = library.info()
    assert info.model_hash == model.model_hash
    assert info.rdkit_version == rdkit.__version__
    assert info.molclip_version == molclip.__version__
    assert info.standardisation == "none"
    assert info.source.endswith("molecules.csv")
    assert info.rows == len(library) == 6


def test_types_of_own_columns_are_found(library):
    columns = library.columns
    assert columns["LogD"] == "double"
    assert columns["batch"] == "string"  # 007 is a code
    assert columns["input_logp"] == "string"  # logp is what molclip calculates
    record = library.get("A3")
    assert (record["LogD"], record["batch"], record["formula"]) == (3.0, "009", "C9H8O4")
    assert record["mol_weight"] == pytest.approx(180.159)
    assert library.get("A2") is None


def test_adding_inserts_updates_and_names_what_has_no_id(own_library, tmp_path, model):
    report = own_library.add(
        [
            {"id": "A3", "smiles": "CCN", "LogD": "9", "new column": 4},
            {"id": "N1", "smiles": "CCO", "name": "ethanol"},
            "CCCC",
            "no structure at all!",
            {"id": "N1", "smiles": "CCCO", "name": "propanol"},
        ]
    )
    assert (report.rows_read, report.added, report.updated) == (5, 2, 1)
    assert (report.replaced, report.failed, report.ids_given) == (1, 1, 1)
    for library in (own_library, Library.open(tmp_path / "own", model)):
        assert ids(library) == sorted(["A1", "A3", "B7", "B8", "B9", "N1", "molecule:1", "ü ✓"])
        assert len(library) == 8
        changed = library.get("A3")
        assert (changed["smiles"], changed["name"], changed["LogD"]) == ("CCN", None, 9.0)
        assert library.get("N1")["name"] == "propanol"
        # The table for filters holds the same rows as the search.
        assert [r["id"] for r in library.search("x", where='"new column" = 4')] == ["A3"]
        assert len(library.search("x", where="name = 'aspirin'")) == 0
        assert len(library.search("aspirin", mode="name")) == 0
        assert library.info().version == 2
        assert [f["input"] for f in library.failures()] == ["c1cc1", "no structure at all!"]
    own_library.add(["CCCCC"])
    assert own_library.get("molecule:2")["smiles"] == "CCCCC"


def test_rows_of_files_without_id_are_named_by_file_and_row(tmp_path, model):
    source = tmp_path / "plain.smi"
    source.write_text("CCO\nCCN\n")
    library = Library.build(tmp_path / "lib", source, model=model)
    assert ids(library) == ["plain.smi:1", "plain.smi:2"]
    assert library.info().report.ids_given == 2
    assert library.add(source).updated == 2
    assert len(library) == 2


def test_molecules_and_failures_may_be_given(tmp_path, model):
    items = [parse_molecule("CCO", row=1, id="m"), parse_molecule("C(", row=2, id="f")]
    library = Library.build(tmp_path / "lib", items, model=model)
    assert ids(library) == ["m"]
    assert next(library.failures())["id"] == "f"


def test_nothing_but_failures_and_nothing_at_all(tmp_path, model):
    for number, items in enumerate((["C(", "x y z"], [])):
        library = Library.build(tmp_path / f"lib{number}", items, model=model)
        assert len(library) == 0
        result = library.search("anything", where="mol_weight < 3")
        assert len(result) == 0
        assert result.query.warnings[-1] == "The library is empty."
        assert len(library.search("anything", mode="hybrid")) == 0
        library.add([{"id": "a", "smiles": "CC"}])
        assert [r["id"] for r in library.search("x", where="heavy_atoms = 2")] == ["a"]


@pytest.mark.parametrize(("rule", "kept"), [("keep", 1), ("skip", 0)])
def test_rules_for_bad_rows(tmp_path, molecules_file, model, rule, kept):
    library = Library.build(tmp_path / "lib", molecules_file, model=model, on_invalid=rule)
    assert len(list(library.failures())) == kept
    assert library.info().failed == 1


def test_raise_stops_at_the_bad_row(tmp_path, molecules_file, model):
    with pytest.raises(InputError, match="row 2, id A2"):
        Library.build(tmp_path / "lib", molecules_file, model=model, on_invalid="raise")
    assert not (tmp_path / "lib").exists()


def test_standardisation_applies_to_rows_additions_and_questions(tmp_path, model):
    salt = "CC(=O)[O-].[Na+]"
    library = Library.build(
        tmp_path / "lib", [{"id": "s", "smiles": salt}], model=model, standardise="parent"
    )
    assert library.get("s")["smiles"] == "CC(=O)O"
    library.add([{"id": "t", "smiles": "CCC(=O)[O-].[Na+]"}])
    assert library.get("t")["smiles"] == "CCC(=O)O"
    result = library.search(smiles=salt)
    assert result[0]["id"] == "s"
    assert result[0]["similarity"] == 1.0
    assert Library.open(tmp_path / "lib", model).info().standardisation == "parent"
    with pytest.raises(InputError, match="profile"):
        Library.build(tmp_path / "other", [salt], model=model, standardise="clean")


def test_a_library_is_not_overwritten_unless_said(tmp_path, model):
    Library.build(tmp_path / "lib", ["CC", "CO"], model=model)
    with pytest.raises(LibraryError, match="there already"):
        Library.build(tmp_path / "lib", ["CN"], model=model)
    assert len(Library.open(tmp_path / "lib", model)) == 2
    assert len(Library.build(tmp_path / "lib", ["CN"], model=model, overwrite=True)) == 1


def test_missing_file_and_wrong_item(tmp_path, model):
    with pytest.raises(InputError, match="absent"):
        Library.build(tmp_path / "lib", tmp_path / "absent.csv", model=model)
    with pytest.raises(InputError, match="Item 2 is a int"):
        Library.build(tmp_path / "lib", ["CC", 3], model=model)
    with pytest.raises(InputError, match="no key 'smiles'"):
        Library.build(tmp_path / "lib", [{"mol": "CC"}], model=model)


KILLED = """
import sys
sys.path.insert(0, {here!r})
from search_fakes import FakeModel
from molclip.search.library import Library

model = FakeModel()
model.pause = 0.3
Library.build({target!r}, {source!r}, model=model, batch_size=20, workers=1)
"""


def test_a_killed_build_goes_on_where_it_was(tmp_path, model):
    source = tmp_path / "many.csv"
    rows = [f"r{n},{'C' * (n % 30 + 1)}{'O' if n % 7 else '('}" for n in range(200)]
    source.write_text("id,smiles\n" + "\n".join(rows) + "\n")
    target = tmp_path / "lib"
    script = textwrap.dedent(KILLED).format(here=str(HERE), target=str(target), source=str(source))
    process = subprocess.Popen([sys.executable, "-c", script], start_new_session=True)
    state = tmp_path / "lib.partial" / "staging" / "state.json"
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        if state.is_file() and len(json.loads(state.read_text())["batches"]) >= 3:
            break
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    done = json.loads(state.read_text())["rows_read"]
    assert 60 <= done < 200
    with pytest.raises(LibraryError, match="not finished"):
        Library.open(target, model)
    # What a kill in the middle of a batch leaves behind must not count.
    with (state.parent / "failures.jsonl").open("a") as file:
        file.write('{"row": 1, "rea')
    again = FakeModel()
    library = Library.build(target, source, model=again, batch_size=20, workers=1)
    bad = [n for n in range(200) if n % 7 == 0]
    assert again.encoded_rows == len([n for n in range(done, 200) if n % 7])
    assert len(library) == 200 - len(bad)
    assert [f["id"] for f in library.failures()] == [f"r{n}" for n in bad]
    fresh = Library.build(tmp_path / "fresh", source, model=model)
    assert [r["id"] for r in fresh.search("x", k=200)] == [
        r["id"] for r in library.search("x", k=200)
    ]
    assert not (tmp_path / "lib.partial").exists()


def test_another_source_starts_anew(tmp_path, model, monkeypatch):
    first, second = tmp_path / "a.smi", tmp_path / "b.smi"
    first.write_text("".join(f"{'C' * n} a{n}\n" for n in range(1, 9)))
    second.write_text("CCO b1\n")

    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(builder, "commit", stop)
        with pytest.raises(KeyboardInterrupt):
            Library.build(tmp_path / "lib", first, model=model)
    library = Library.build(tmp_path / "lib", second, model=model)
    assert len(library) == 1
    assert library.info().report.rows_read == 1


def test_a_source_that_cannot_be_read_leaves_nothing(tmp_path, model):
    with pytest.raises(InputError, match="no file"):
        Library.build(tmp_path / "lib", tmp_path / "typo.csv", model=model)
    assert list(tmp_path.iterdir()) == []


def test_a_mistyped_source_does_not_cost_the_work_of_an_earlier_build(
    tmp_path, model, molecules_file, monkeypatch
):
    def stop(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(builder, "commit", stop)
        with pytest.raises(KeyboardInterrupt):
            Library.build(tmp_path / "lib", molecules_file, model=model)
    with pytest.raises(InputError, match="no file"):
        Library.build(tmp_path / "lib", tmp_path / "typo.csv", model=model)
    again = FakeModel()
    assert len(Library.build(tmp_path / "lib", molecules_file, model=again)) == 6
    assert again.encoded_rows == 0


def test_readers_see_a_whole_version(own_library, tmp_path, model, monkeypatch):
    before = Library.open(tmp_path / "own", model)
    seen = []

    def look(doing, done, total):
        if doing == "rows written":
            seen.append(len(Library.open(tmp_path / "own", model)))

    own_library.add([{"id": "A3", "smiles": "CCN"}, {"id": "N", "smiles": "CN"}], progress=look)
    assert seen == [6, 7]
    # A library that is open keeps its version, in search and filters alike.
    assert len(before) == 6
    assert before.search("aspirin", mode="name")[0]["id"] == "A3"
    assert len(before.search("x", where="formula = 'C9H8O4'")) == 1
    assert len(Library.open(tmp_path / "own", model).search("x", where="formula = 'C9H8O4'")) == 0


def test_a_writer_that_died_before_the_manifest_leaves_nothing(own_library, tmp_path, model):
    def die(*_):
        raise KeyboardInterrupt

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("molclip.search.manifest.Manifest.write", die)
        with pytest.raises(KeyboardInterrupt):
            own_library.add([{"id": "A3", "smiles": "CCN"}, {"id": "lost", "smiles": "CN"}])
    library = Library.open(tmp_path / "own", model)
    assert len(library.search("x", where="id = 'lost'")) == 0
    assert library.search("x", where="id = 'A3'")[0]["formula"] == "C9H8O4"
    library.add([{"id": "kept", "smiles": "CCCN"}])
    assert {r["id"] for r in library.search("x", where="heavy_atoms < 5")} == {"A1", "kept"}


def test_two_writers_do_not_mix(own_library, tmp_path):
    with (
        exclusive(tmp_path / "own" / builder.LOCK_FILE),
        pytest.raises(LibraryError, match="Another process"),
    ):
        own_library.add(["CC"])
    assert own_library.add(["CC"]).added == 1


def test_background_vectors(library, model):
    every = library.vectors()
    assert every.shape == (6, model.dimension)
    assert every.dtype == "float32"
    assert (every**2).sum(axis=1) == pytest.approx(1, abs=1e-5)
    some = library.vectors(3, seed=1)
    assert some.shape == (3, model.dimension)
    assert all(any((row == full).all() for full in every) for row in some)


def test_a_number_that_its_column_cannot_hold_is_refused_and_nothing_is_added(tmp_path, model):
    folder = tmp_path / "prices"
    rows = [{"smiles": "CCO", "id": "a", "price": 3}, {"smiles": "CCN", "id": "b", "price": 4}]
    library = Library.build(folder, rows, model=model)
    with pytest.raises(LibraryError, match="'price' holds int64"):
        library.add([{"smiles": "CCC", "id": "c", "price": 12.5}])
    again = Library.open(folder, model)
    assert len(again) == 2
    assert again.search("x", where="price > 2").query.rows_searched == 2
