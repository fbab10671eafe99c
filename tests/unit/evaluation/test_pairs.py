"""Reading the benchmark and a user's own pairs."""

import gzip

import pytest

from molclip.errors import InputError
from molclip.evaluation.pairs import load_chebi20, load_pairs


def _gzip(path, text):
    path.write_bytes(gzip.compress(text.encode()))


@pytest.fixture
def joined(tmp_path):
    _gzip(
        tmp_path / "chebi20_pool.tsv.gz",
        "cid\tsplit\tsmiles\n11\ttrain\tC/C=C\\C\n22\tvalidation\tCCO\n33\ttest\tC\n44\ttrain\tN\n",
    )
    _gzip(
        tmp_path / "chebi20_validation_text.tsv.gz",
        'cid\tsmiles\tdescription\n22\tOCC\tan alcohol, a 5"-ester and "so on\n',
    )
    _gzip(tmp_path / "chebi20_train_text.tsv.gz", "cid\tdescription\n11\tan alkene\n")
    return tmp_path


def test_text_and_pool_are_joined_by_cid_not_by_smiles(joined):
    data = load_chebi20(joined)
    # The text file writes ethanol another way; the pool's own row is the right answer.
    assert list(data.text_ids) == ["22"]
    assert dict(zip(data.pool_ids, data.pool_smiles, strict=True))["22"] == "CCO"
    assert list(data.pool_ids) == ["11", "22", "33", "44"]
    assert list(data.in_split) == [False, True, False, False]
    assert list(data.bank) == ["an alkene"]


def test_a_quotation_mark_in_a_description_does_not_swallow_the_next_row(joined):
    assert list(load_chebi20(joined).texts) == ['an alcohol, a 5"-ester and "so on']


def test_original_files_have_the_test_split_and_doubled_backslashes(tmp_path):
    header = "CID\tSMILES\tdescription\n"
    (tmp_path / "training.txt").write_text(header + "1\tC/C=C\\\\C\tan alkene\n")
    (tmp_path / "val.txt").write_text(header + "2\tCCO\tan alcohol\n")
    (tmp_path / "test.txt").write_text(header + '3\tC\tmethane\n4\tCC\t"ethane"\n')
    data = load_chebi20(tmp_path, "test")
    assert list(data.texts) == ["methane", "ethane"]
    assert list(data.pool_smiles) == ["C/C=C\\C", "CCO", "C", "CC"]
    assert list(data.in_split) == [False, False, True, True]
    assert list(data.bank) == ["an alkene"]


def test_missing_test_text_names_the_file_and_the_remedy(joined):
    with pytest.raises(InputError, match=r"chebi20_test_text\.tsv\.gz does not exist.*test\.txt"):
        load_chebi20(joined, "test")


def test_no_data_named_says_what_to_do(monkeypatch):
    monkeypatch.delenv("MOLCLIP_DATA", raising=False)
    with pytest.raises(InputError, match=r"--data.*MOLCLIP_DATA"):
        load_chebi20(None)


def test_data_folder_from_the_environment(joined, monkeypatch):
    monkeypatch.setenv("MOLCLIP_DATA", str(joined))
    assert load_chebi20(None).name == "ChEBI-20"


def test_text_without_molecule_in_the_pool_is_an_error_not_a_dropped_row(joined):
    _gzip(joined / "chebi20_validation_text.tsv.gz", "cid\tdescription\n22\tx\n99\ty\n")
    with pytest.raises(InputError, match=r"1 of 2 texts .* id 99"):
        load_chebi20(joined)


def test_own_pairs_with_several_texts_and_a_wider_pool(tmp_path):
    pairs, pool = tmp_path / "mine.csv", tmp_path / "pool.csv"
    pairs.write_text('id,smiles,text\na,CCO,"an alcohol, small"\na,CCO,grain spirit\nb,C,gas\n')
    pool.write_text("smiles,id\nCCC,c\nCCO,a\n")
    data = load_pairs(pairs, pool)
    assert list(data.texts) == ["an alcohol, small", "grain spirit", "gas"]
    assert list(data.pool_ids) == ["a", "b", "c"]
    assert list(data.in_split) == [True, True, False]


def test_one_id_for_two_structures_is_refused(tmp_path):
    pairs = tmp_path / "mine.csv"
    pairs.write_text("id,smiles,text\na,CCO,x\na,CCC,y\n")
    with pytest.raises(InputError, match=r"row 2: the id 'a' already stands"):
        load_pairs(pairs)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,smiles\na,C\n", "no column 'text'"),
        ("id,smiles,text\n", "has no texts"),
        ("id,smiles,text\na,C\n", "row 1 has 2 columns"),
        ("id,smiles,text\na,C,gas\nb,CC, \n", "empty text for id 'b'"),
    ],
)
def test_unusable_pairs_are_refused_with_the_reason(tmp_path, content, message):
    pairs = tmp_path / "mine.csv"
    pairs.write_text(content)
    with pytest.raises(InputError, match=message):
        load_pairs(pairs)


def test_sample_is_seeded_and_leaves_the_pool_alone(tmp_path):
    pairs = tmp_path / "mine.csv"
    pairs.write_text("id,smiles,text\n" + "".join(f"{n},{'C' * n},t{n}\n" for n in range(1, 30)))
    data = load_pairs(pairs)
    few = data.sample(5, seed=1)
    assert len(few.texts) == 5
    assert few.texts == data.sample(5, seed=1).texts
    assert few.texts != data.sample(5, seed=2).texts
    assert all(
        text == f"t{identifier}" for text, identifier in zip(few.texts, few.text_ids, strict=True)
    )
    assert few.pool_ids == data.pool_ids
