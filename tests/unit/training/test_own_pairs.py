"""Pairs of a user's own file: what is left out, and that it is said."""

import pytest
from training_fakes import tiny_config

from molclip.errors import DataLeakError, InputError
from molclip.training.pairs import load_pairs

# Silanes, which no held-out split holds.
ROWS = [f"m{n},[SiH3]{'C' * n}O,alcohol of {n} carbons" for n in range(1, 6)]
QUININE = "COc1ccc2nccc([C@@H](O)[C@@H]3C[C@@H]4CCN3C[C@@H]4C=C)c2c1"


@pytest.fixture
def load(tmp_path):
    def loaded(rows, validation=None, **sections):
        def written(name, lines):
            path = tmp_path / name
            path.write_text("\n".join(["id,smiles,text", *lines]) + "\n", encoding="utf-8")
            return str(path)

        data = {"pairs": written("pairs.csv", rows)}
        if validation is not None:
            data["validation_pairs"] = written("validation.csv", validation)
        config = tiny_config(tmp_path / "run", data=data, **sections)
        return load_pairs(config, tmp_path / "cache")

    return loaded


def test_rows_that_cannot_be_used_are_counted(load):
    with pytest.warns(UserWarning, match=r"2 rows without .* 1 of 6 structures"):
        pairs = load([*ROWS, "x,C1CC,a broken ring", "y,[SiH3]CN,", "z,,a text"])
    assert pairs.ids == ["m1", "m2", "m3", "m4", "m5"]


def test_molecules_of_the_validation_file_are_kept_from_training(load):
    # The same molecule written another way, under another id and with another text.
    with pytest.warns(UserWarning, match="1 of 5 training molecules"):
        pairs = load(ROWS, ["other,OCC[SiH3],two carbons", "new,[SiH3]CCCCCCCCO,eight carbons"])
    assert pairs.ids == ["m1", "m3", "m4", "m5"]
    assert [facts.texts for facts in pairs.facts][1] == ("alcohol of 3 carbons",)
    assert len(pairs.feature_rows) == len(pairs.chances) == len(pairs.repeats) == 4


def test_a_validation_file_that_is_the_training_file_is_refused(load):
    with pytest.raises(InputError, match="validation pairs of other molecules"):
        load(ROWS, ROWS)


def test_a_held_out_molecule_is_named_by_its_row_in_the_file(load):
    with pytest.raises(DataLeakError, match=r"row 7 \(id q1\)"):
        load([ROWS[0], ROWS[0], *ROWS[1:], f"q1,{QUININE},bitter"])


def test_the_digest_tells_texts_and_molecules_apart(load):
    same = load(ROWS).digest
    assert load(ROWS).digest == same
    assert load([*ROWS[:-1], ROWS[-1] + "!"]).digest != same
    assert load([*ROWS[:-1], "m5,[SiH3]CCCCCCO,alcohol of 5 carbons"]).digest != same


def test_keys_for_made_captions_are_named(load):
    with pytest.warns(UserWarning, match=r"captions\.short have no effect"):
        load(ROWS, captions={"short": 0.1})
