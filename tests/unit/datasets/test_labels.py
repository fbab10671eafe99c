"""Label columns become tasks and numbers; what cannot be used says where it stands."""

import numpy as np
import pytest

from molclip.datasets.labels import class_counts, read_benchmark, read_labelled
from molclip.errors import InputError

ROWS = """id,smiles,active,kind,dose,site,set
m1,CCO,1.0,low,0.5,a,train
m2,CCN,0,high,>100,b,valid
m3,CCC,,low,2,c,TEST
m4,not one,1,N/A,nan,a,
m5,CCCC,?,medium,-1e1,,train
"""


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "labels.csv"
    file.write_text(ROWS, encoding="utf-8")
    return file


def test_classes_are_cells_and_numbers_written_in_two_ways_are_one(path):
    data = read_labelled(path, ["active", "kind"])
    active, kind = data.tasks
    assert (active.kind, active.classes) == ("binary", ("0", "1"))
    assert (kind.kind, kind.classes) == ("multiclass", ("high", "low", "medium"))
    nan = np.nan
    np.testing.assert_equal(data.labels, [[1, 1], [0, 0], [nan, 1], [1, nan], [nan, 2]])
    assert class_counts(data.labels[:, 1], kind) == {"high": 1, "low": 2, "medium": 1}


def test_numbers_with_more_than_two_values_are_measured_and_a_bad_cell_is_named(path):
    data = read_labelled(path, ["dose"], task="regression")
    np.testing.assert_equal(data.labels[:, 0], [0.5, np.nan, 2, np.nan, -10])
    (problem,) = data.problems
    assert (problem.row, problem.id, problem.input) == (2, "m2", ">100")
    assert "'dose'" in problem.reason
    assert problem.file == str(path)


def test_auto_chooses_by_the_cells(tmp_path):
    file = tmp_path / "auto.csv"
    file.write_text("smiles,a,b,c\nC,0,1,1\nCC,1,2.5,2\nCCC,0,3,x\n", encoding="utf-8")
    kinds = [task.kind for task in read_labelled(file, ["a", "b", "c"]).tasks]
    assert kinds == ["binary", "regression", "multiclass"]
    numbers = read_labelled(file, ["b"], task="classification").tasks[0]
    assert numbers.classes == ("1", "2.5", "3")


def test_a_label_may_stand_in_the_column_that_is_read_as_id(path):
    data = read_labelled(path, ["id"], task="classification")
    assert data.tasks[0].classes == ("m1", "m2", "m3", "m4", "m5")


def test_titles_are_found_in_any_case_and_the_split_comes_along(path):
    data = read_labelled(path, ["ACTIVE"], split_column="Set")
    assert data.tasks[0].name == "active"
    assert data.split == ["train", "valid", "TEST", "", "train"]


@pytest.mark.parametrize(
    ("columns", "options", "words"),
    [
        (["activ"], {}, ["'activ'", "label", "active"]),
        (["active"], {"split_column": "sets"}, ["'sets'", "split", "set"]),
        (["site"], {"task": "regression"}, ["'site'", "no number", "'a'"]),
        ([], {}, ["label"]),
    ],
)
def test_what_cannot_be_asked_is_explained(path, columns, options, words):
    with pytest.raises(InputError) as caught:
        read_labelled(path, columns, **options)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["", "NaN"], "holds no label"),
        (["1", "1.0"], "every label .* is '1'"),
        ([f"c{n}" for n in range(101)], "101 different labels"),
    ],
)
def test_columns_without_a_question_are_refused(tmp_path, cells, words):
    file = tmp_path / "few.csv"
    lines = [f"{'C' * (n + 1)},{cell}" for n, cell in enumerate(cells)]
    file.write_text("smiles,y\n" + "\n".join(lines) + "\n", encoding="utf-8")
    with pytest.raises(InputError, match=words):
        read_labelled(file, ["y"])


def test_a_benchmark_is_read_with_all_its_tasks(tmp_path):
    import gzip

    from molclip.datasets.local import TABLES

    table = next(table for table in TABLES if table.name == "moleculenet-clintox")
    with gzip.open(tmp_path / table.file, "wt") as handle:
        handle.write("smiles\tFDA_APPROVED\tCT_TOX\nCCO\t1\t0\nCCN\t\t1\n")
    data = read_benchmark("clintox", str(tmp_path))
    assert [task.name for task in data.tasks] == ["FDA_APPROVED", "CT_TOX"]
    np.testing.assert_equal(data.labels, [[1, 0], [np.nan, 1]])
    assert [(r.file, r.row, r.text) for r in data.records] == [
        ("clintox", 1, "CCO"),
        ("clintox", 2, "CCN"),
    ]
    with pytest.raises(InputError, match="bbbp"):
        read_benchmark("clintoks")
