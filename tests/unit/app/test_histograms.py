"""Counts of a column's values, against counts made by hand."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
from molclip.app.histograms import histograms


def _library(columns: dict[str, list[Any]], kinds: dict[str, str], alive: Any = None) -> Any:
    table = pa.table(columns)
    count = table.num_rows
    index = SimpleNamespace(
        rows=SimpleNamespace(tables=[table.slice(0, count // 2), table.slice(count // 2)]),
        alive=np.ones(count, dtype=bool) if alive is None else np.asarray(alive),
    )
    return SimpleNamespace(columns=kinds, _index=index)


def test_whole_numbers_have_a_bar_each() -> None:
    rings = [0, 0, 1, 2, 2, 2, 4]
    found = histograms(_library({"rings": rings}, {"rings": "int64"}))[0]
    assert (found.low, found.high) == (0, 4)
    assert found.middles == (0, 1, 2, 3, 4)
    assert found.counts == (2, 1, 3, 0, 1)
    assert found.quartiles == (0.5, 2, 2)


def test_outliers_count_in_the_last_bar() -> None:
    # 1,000 values 0 to 9 in turn, and one far off: less than one percent.
    values = [n % 10 for n in range(1000)] + [5000]
    found = histograms(_library({"hbd": values}, {"hbd": "int64"}))[0]
    assert found.high == 9
    assert found.counts == (100,) * 9 + (101,)


def test_numbers_between_round_ends() -> None:
    values = [float(n) for n in range(101)]
    found = histograms(_library({"mol_weight": values}, {"mol_weight": "double"}))[0]
    # The inner 98 percent, 1 to 99, in steps of 5: the next round one above 98/36.
    assert (found.low, found.high, len(found.counts)) == (0, 100, 20)
    # 0 to 4, 5 to 9 and so on; 100 lies at the upper end.
    assert found.counts == (5,) * 19 + (6,)
    assert found.middles[:2] == (2.5, 7.5)


def test_rows_that_are_gone_and_missing_values_do_not_count() -> None:
    library = _library(
        {"logp": [1.0, None, 3.0, 2.0, float("nan"), 9.0]},
        {"logp": "double"},
        alive=[True, True, True, True, True, False],
    )
    assert sum(histograms(library)[0].counts) == 3


def test_columns_that_tell_nothing_apart_are_left_out() -> None:
    library = _library(
        {"rings": [1, 1], "activity": [0.5, 7.0], "name": ["a", "b"]},
        {"rings": "int64", "activity": "double", "name": "string"},
    )
    found = histograms(library)
    assert [(h.column, h.label) for h in found] == [("activity", "activity")]
