"""The history that is shipped with weights, from all that a run writes."""

import json

import pytest

from molclip.errors import InputError
from molclip.training.history_log import LOG, append_log
from molclip.training.history_table import write_table
from molclip.training.shipped_history import SHIPPED, run_records, write_shipped

RECORDS = [
    {"epoch": 1, "step": 10, "loss": 2.3456789, "temperature": 0.07, "gradient_norm": 3.0},
    {
        "epoch": 2,
        "step": 20,
        "loss": 1.5,
        "temperature": 0.05,
        "validation mrr": 0.25,
        "warnings": ["x"],
        "accuracy": float("nan"),
    },
]


@pytest.fixture
def run(tmp_path):
    for record in RECORDS:
        append_log(tmp_path / LOG, record)
    return tmp_path


def test_what_is_kept(run):
    records = run_records(run)
    assert records == run_records(run / LOG)
    assert [sorted(record) for record in records] == [
        ["epoch", "loss", "step", "temperature"],
        ["epoch", "loss", "step", "temperature", "validation mrr"],
    ]


def test_the_shipped_file(run, tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    path = write_shipped(run, folder, "0123")
    told = json.loads(path.read_text())
    assert path.name == SHIPPED
    assert told["model_hash"] == "0123"
    assert told["records"][0] == {"epoch": 1, "step": 10, "loss": 2.3457, "temperature": 0.07}
    assert run_records(folder) == told["records"]
    assert [file.name for file in folder.iterdir()] == [SHIPPED]


def test_the_table_of_a_run_says_the_same(run, tmp_path):
    from molclip.training.config import TrainingConfig

    plain = [{k: v for k, v in record.items() if v == v} for record in RECORDS]
    table = tmp_path / "history.parquet"
    write_table(table, plain, TrainingConfig(output=tmp_path))
    assert run_records(table) == run_records(run)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("none", None, "holds no history"),
        ("history.parquet", b"no", "cannot be read"),
        ("history.json", b"{}", "cannot be read"),
        (LOG, b"\n", "no epochs"),
    ],
)
def test_what_cannot_be_read(tmp_path, name, content, said):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(InputError, match=said) as raised:
        run_records(tmp_path if content is None else tmp_path / name)
    assert raised.value.hint
