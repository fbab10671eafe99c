"""One bad record spoils no other, and no data field is lost."""

import gzip

import pytest

from molclip.chem.molecule import ParseFailure
from molclip.chem.readers import read_molecules, read_records
from molclip.errors import InputError

END = "M  END\n"


def block(title: str, *, atom: str = "C", counts: str = "  1  0") -> str:
    """Mol block of one atom, the letters of V2000's fixed columns written out."""
    return (
        f"{title}\n  hand-made\n\n{counts}  0  0  0  0            999 V2000\n"
        f"    0.0000    0.0000    0.0000 {atom:<3} 0  0\n{END}"
    )


def field(name: str, value: str) -> str:
    return f">  <{name}>\n{value}\n\n"


@pytest.fixture
def sdf(tmp_path):
    def write(text: str):
        path = tmp_path / "a.sdf"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def smiles(path, **options) -> list:
    return [
        item.kind if isinstance(item, ParseFailure) else item.smiles
        for item in read_molecules(path, **options)
    ]


def test_records_names_ids_and_fields(sdf):
    path = sdf(
        block("methane") + field("ID", "A1") + field("note", "one\ntwo") + "$$$$\n"
        + block("CHEMBL7", atom="O") + field("PREF_NAME", "water") + "$$$$\n"
    )  # fmt: skip
    first, second = read_molecules(path)
    assert (first.row, first.id, first.name, first.smiles) == (1, "A1", "methane", "C")
    assert first.properties == {"note": "one\ntwo"}
    assert (second.row, second.id, second.name, second.smiles) == (2, "CHEMBL7", "water", "O")


def test_fields_can_be_named(sdf):
    path = sdf(block("x") + field("Key", "k1") + field("Trivial", "marsh gas") + "$$$$\n")
    (found,) = read_molecules(path, id="key", name="Trivial")
    assert (found.id, found.name, found.properties) == ("k1", "marsh gas", {})
    with pytest.raises(InputError, match="no column 'Kay'") as caught:
        read_records(path, id="Kay")
    assert "Did you mean Key?" in caught.value.hint
    with pytest.raises(InputError, match="is an SD file"):
        read_records(path, structure="Key")


def test_broken_records_keep_their_numbers(sdf):
    path = sdf(
        block("one") + "$$$$\n"
        + block("two", counts="  9  9") + "$$$$\n"
        + block("three", atom="Qq") + "$$$$\n"
        + "four\n\n\nrubbish\n" + END + "$$$$\n"
        + "$$$$\n"
        + block("six", atom="O") + "$$$$\n"
    )  # fmt: skip
    found = list(read_molecules(path))
    assert [item.row for item in found] == [1, 2, 3, 4, 5, 6]
    assert [isinstance(item, ParseFailure) for item in found] == [
        False, True, True, True, True, False,
    ]  # fmt: skip
    assert found[4].kind == "empty"
    assert found[5].smiles == "O"
    assert found[1].name == "two"


def test_missing_separator_at_the_end(sdf):
    assert smiles(sdf(block("one") + "$$$$\n" + block("two", atom="O"))) == ["C", "O"]
    assert smiles(sdf(block("one") + "$$$$\n\n\n")) == ["C"]


def test_missing_separator_between_records(sdf):
    path = sdf(block("one") + field("a", "1") + block("two", atom="O") + field("a", "2") + "$$$$\n")
    first, second = read_molecules(path)
    assert (first.smiles, first.properties) == ("C", {"a": "1"})
    assert (second.smiles, second.name, second.properties) == ("O", "two", {"a": "2"})
    assert any("$$$$" in warning for warning in second.warnings)


def test_record_cut_off_before_its_end(sdf):
    cut = block("one", counts="  2  1").replace(END, "")
    path = sdf(cut + block("two", atom="O") + "$$$$\n")
    first, second = read_molecules(path)
    assert isinstance(first, ParseFailure)
    assert "M  END" in first.hint
    assert (second.row, second.smiles) == (2, "O")


def test_mol_block_in_a_field_is_no_record(sdf):
    path = sdf(block("one") + field("reactant", block("r", atom="N").rstrip()) + "$$$$\n")
    (found,) = read_molecules(path)
    assert found.smiles == "C"
    assert "V2000" in found.properties["reactant"]


def test_field_without_name_is_kept_and_warned_of(sdf):
    """rdkit#9068: the fields after it got lost."""
    path = sdf(block("x") + field("", "nameless") + field("", "two") + field("b", "2") + "$$$$\n")
    (found,) = read_molecules(path)
    assert found.properties == {"(no name)": "nameless", "(no name) (2)": "two", "b": "2"}
    assert any("no name" in warning for warning in found.warnings)


def test_odd_fields(sdf):
    path = sdf(
        block("x") + "> 25 <MELTING.POINT> (MD-0) DT12\n7\n\n" + field("twice", "1")
        + field("twice", "2") + field("gap", "up\n\ndown") + ">  <close>\n1\n>  <next>\n2\n\n"
        + field("empty", "") + "$$$$\n"
    )  # fmt: skip
    (found,) = read_molecules(path)
    assert found.properties == {
        "MELTING.POINT": "7",
        "twice": "1",
        "twice (2)": "2",
        "gap": "up\n\ndown",
        "close": "1",
        "next": "2",
        "empty": "",
    }
    assert any("more than once" in warning for warning in found.warnings)
    assert any("empty line" in warning for warning in found.warnings)


def test_carriage_returns(sdf, tmp_path):
    path = tmp_path / "a.sdf"
    text = block("one") + field("a", "1") + "$$$$\n" + block("two", atom="O") + "$$$$\n"
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert smiles(path) == ["C", "O"]


def test_truncated_gzip(tmp_path):
    record = block("one") + field("noise", "{}") + "$$$$\n"
    text = "".join(record.format(i * 7919 % 10007) for i in range(400))
    path = tmp_path / "a.sdf.gz"
    path.write_bytes(gzip.compress(text.encode())[:-30])
    *kept, last = read_molecules(path)
    assert len(kept) > 200
    assert {item.smiles for item in kept} == {"C"}
    assert (last.row, "cut off" in last.reason) == (len(kept) + 1, True)


def test_not_an_sd_file(sdf):
    (found,) = read_molecules(sdf("CCO ethanol\nC methane\n"))
    assert isinstance(found, ParseFailure)
    assert "mol block" in found.reason
