"""ChEBI-20 from its text files, from a hub-like folder and from a joined folder."""

import gzip
from pathlib import Path

import pytest

from molclip import datasets
from molclip.errors import InputError

HEADER = "CID\tSMILES\tdescription\n"


@pytest.fixture
def original(tmp_path: Path) -> Path:
    (tmp_path / "training.txt").write_text(
        HEADER
        + "702\tCCO\tThe molecule is a primary alcohol.\n"
        + "5280450\tC/C=C\\\\C\tA double bond, cis.\n"  # two backslashes in the file
        + 'x9\tC\t"It is called ""methane"" by all."\n'
        + "11\tc1cncn1\tCannot be kekulized.\n"
        + "12\tCC\n"
        + '13\tCCC\t"It is called ""propane"" by all."\n',
        encoding="utf-8",
    )
    (tmp_path / "validation.txt").write_text(HEADER + "1\tC\tMethane.\n", encoding="utf-8")
    (tmp_path / "test.txt").write_text(HEADER + "2\tN\tAmmonia.\n", encoding="utf-8")
    return tmp_path


def test_original_files(original: Path) -> None:
    rows = datasets.load("chebi20", original)
    assert rows["split"][:] == ["train"] * 6 + ["validation", "test"]
    assert rows["smiles"][1] == "C/C=C\\C"
    assert rows["cid"][:2] == [702, 5280450]
    assert rows["description"][5] == 'It is called "propane" by all.'
    assert str(rows.features["cid"].dtype) == "int64"


def test_bad_rows_stay_and_say_why(original: Path) -> None:
    rows = datasets.load("chebi20", original, split="train")
    assert rows["valid"][:] == [True, True, False, False, False, True]
    assert "'x9' is no CID" in rows["failure"][2]
    assert "training.txt, row 4" in rows["failure"][3]
    assert "2 of 3 cells" in rows["failure"][4]
    assert rows["smiles"][3] == "c1cncn1"
    assert rows["failure"][0] is None


def test_one_split_opens_one_file(original: Path) -> None:
    (original / "training.txt").unlink()
    assert datasets.load("chebi20", original, split="test")["description"][:] == ["Ammonia."]
    with pytest.raises(InputError, match=r"no training\.txt"):
        datasets.load("chebi20", original)


def test_another_table_is_refused(tmp_path: Path) -> None:
    (tmp_path / "test.txt").write_text("a\tb\tc\n1\tC\tx\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"test\.txt does not begin with the columns"):
        datasets.load("chebi20", tmp_path, split="test")


def test_hub(tmp_path: Path) -> None:
    # A folder laid out like a repository of the hub; the hub itself is not asked in tests.
    for split in ("train", "validation", "test"):
        (tmp_path / f"{split}.csv").write_text(
            f'CID,SMILES,description\n7,C/C=C\\C,"{split}, text"\n8,c1cncn1,bad\n',
            encoding="utf-8",
        )
    rows = datasets.load("chebi20", hub_id=str(tmp_path))
    assert len(rows) == 6
    assert rows["description"][0] == "train, text"
    assert rows["smiles"][0] == "C/C=C\\C"
    assert rows["valid"][:] == [True, False] * 3


def test_a_hub_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Cannot read the split 'test'"):
        datasets.load("chebi20", split="test", hub_id=str(tmp_path / "none"))


def test_joined_folder(tmp_path: Path) -> None:
    def write(name: str, text: str) -> None:
        (tmp_path / name).write_bytes(gzip.compress(text.encode()))

    write("chebi20_pool.tsv.gz", "cid\tsplit\tsmiles\n1\ttrain\tC\n2\tvalidation\tN\n3\ttest\tO\n")
    write("chebi20_train_val.tsv.gz", "cid\tsplit\tchebi_id\tname\tsmiles\n1\ttrain\tX:1\tm\tC\n")
    write("chebi20_train_text.tsv.gz", "cid\tdescription\n1\tMethane.\n")
    write("chebi20_validation_text.tsv.gz", "cid\tsmiles\tdescription\n2\tN\tAmmonia.\n")
    pool = datasets.load("chebi20", tmp_path)
    assert pool["description"][:] == ["Methane.", "Ammonia.", None]
    assert pool["chebi_id"][:] == ["X:1", None, None]
    text = datasets.load("chebi20-text", tmp_path)
    assert text[0] == {"cid": 1, "split": "train", "smiles": "C", "description": "Methane."}
    assert datasets.load("chebi20-text", tmp_path, split="validation")["cid"][:] == [2]
    assert len(datasets.load("chebi20-text", tmp_path, split="test")) == 0


def test_a_folder_without_it_says_what_to_look_for(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"neither training\.txt"):
        datasets.load("chebi20", tmp_path)
