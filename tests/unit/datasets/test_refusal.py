"""The refusal list: hashes, file form, and the gate."""

import hashlib

import pytest

from molclip.datasets import RefusalList
from molclip.errors import DataLeakError, InputError

QUININE = "LOUPRKONTZGTKE-WZBLMQSHSA-N"  # in the ChEBI-20 test split
QUINIDINE = "LOUPRKONTZGTKE-LHHVKLHASA-N"  # its diastereomer, not in the test split
BENZENE = "UHOVQNZJYSORNB-UHFFFAOYSA-N"


def test_shipped_list_holds_quinine_and_knows_its_diastereomer_by_skeleton() -> None:
    refused = RefusalList.load()
    assert refused.contains(QUININE)
    assert refused.contains_skeleton(QUINIDINE)
    assert not refused.contains(BENZENE)


def test_shipped_list_covers_both_splits() -> None:
    # 3,296 distinct test keys and 3,301 validation rows, some of which share a key.
    refused = RefusalList.load()
    assert 6500 < refused.n_keys <= 3296 + 3301
    assert refused.n_blocks < refused.n_keys


def test_file_is_sorted_truncated_sha256(tmp_path) -> None:
    path = tmp_path / "list.bin"
    RefusalList.from_inchikeys([QUININE, QUINIDINE]).save(path)
    data = path.read_bytes()
    assert data[:8] == b"MOLCLIPR"
    assert [int.from_bytes(data[i : i + 4], "big") for i in (8, 12, 16)] == [1, 2, 1]
    keys = sorted(hashlib.sha256(f"key:{k}".encode()).digest()[:8] for k in (QUININE, QUINIDINE))
    block = hashlib.sha256(b"block:LOUPRKONTZGTKE").digest()[:8]
    assert data[20:] == b"".join(keys) + block


def test_same_keys_in_any_order_give_the_same_bytes_and_come_back(tmp_path) -> None:
    one, two = tmp_path / "one.bin", tmp_path / "two.bin"
    RefusalList.from_inchikeys([QUININE, BENZENE]).save(one)
    RefusalList.from_inchikeys([BENZENE, QUININE, BENZENE]).save(two)
    assert one.read_bytes() == two.read_bytes()
    assert RefusalList.load(one) == RefusalList.from_inchikeys([QUININE, BENZENE])


def test_skeletons_matter_only_where_asked() -> None:
    refused = RefusalList.from_inchikeys([QUININE])
    assert not refused.refuses(QUINIDINE, skeleton=False)
    assert refused.refuses(QUINIDINE, skeleton=True)
    assert not refused.refuses("", skeleton=True)
    assert not refused.refuses(None, skeleton=True)


def test_check_names_source_row_and_id() -> None:
    refused = RefusalList.from_inchikeys([QUININE])
    refused.check([BENZENE, QUINIDINE], "mine.csv")
    with pytest.raises(DataLeakError) as error:
        refused.check([BENZENE, QUININE, QUININE], "mine.csv", ids=["a", "b", "c"])
    assert "mine.csv, row 2 (id b)" in str(error.value)
    assert QUININE in str(error.value)
    assert "2 rows in all" in str(error.value)
    with pytest.raises(DataLeakError, match=r"mine\.csv, row 41:.*skeleton"):
        refused.check([BENZENE, QUINIDINE], "mine.csv", rows=[40, 41], skeleton=True)


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: b"X" + d[1:], lambda d: d[:5]])
def test_damaged_list_stops_instead_of_letting_all_through(tmp_path, damage) -> None:
    path = tmp_path / "list.bin"
    RefusalList.from_inchikeys([QUININE]).save(path)
    path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(InputError, match="not a refusal list"):
        RefusalList.load(path)


def test_missing_list_is_an_error(tmp_path) -> None:
    with pytest.raises(InputError, match="Cannot read"):
        RefusalList.load(tmp_path / "none.bin")
