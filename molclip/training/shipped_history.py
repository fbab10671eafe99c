"""The history of a run as a small file that is shipped beside the weights.

`history.json` is ``{"model_hash": …, "records": [{"epoch": 1, "step": 340, "loss": 2.1, …}, …]}``:
one record per epoch with those of `KEPT` that the epoch has.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

from molclip.errors import InputError
from molclip.training.history_log import LOG, read_log

SHIPPED = "history.json"
TABLE = "history.parquet"
KEPT = (
    "epoch",
    "step",
    "loss",
    "objective_loss",
    "accuracy",
    "information_bound",
    "temperature",
    "learning_rate",
    "validation hits@1",
    "validation hits@10",
    "validation mrr",
    "alignment",
    "uniformity_text",
    "uniformity_molecule",
    "effective_rank_text",
    "effective_rank_molecule",
    "modality_gap",
    "hardest_negative",
    "effective_negatives",
)
"""Names as the log of a run has them (`training.history`)."""
_DIGITS = 5

Record = dict[str, float]


def run_records(source: Path) -> list[Record]:
    """Records of a run, in the order of its epochs.

    Parameters
    ----------
    source
        `history.jsonl` or `history.parquet`, or the folder of a run or of its model.

    Raises
    ------
    InputError
        When there is no history, or it cannot be read.
    """
    files = [source / LOG, source / TABLE, source / SHIPPED] if source.is_dir() else [source]
    path = next((file for file in files if file.is_file()), None)
    if path is None:
        raise InputError(
            f"{source} holds no history of a run.",
            f"Give the folder that `molclip train` wrote {LOG} into.",
        )
    try:
        found = _read(path)
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise InputError(
            f"The history {path} cannot be read: {str(error).splitlines()[0]}.", "Copy it again."
        ) from error
    records = [
        {name: record[name] for name in KEPT if _number(record.get(name))} for record in found
    ]
    records = [record for record in records if "epoch" in record]
    if not records:
        raise InputError(f"The history {path} has no epochs.", "Is it the right file?")
    return sorted(records, key=lambda record: record["epoch"])


def write_shipped(source: Path, folder: Path, model_hash: str) -> Path:
    """Write `history.json` into a model folder; return its path.

    Parameters
    ----------
    source
        As in `run_records`.
    folder
        Of the model.
    model_hash
        Of the weights in that folder, so that a history of others is noticed.

    Raises
    ------
    InputError
        As `run_records`.
    """
    records = [
        {name: _rounded(value) for name, value in record.items()} for record in run_records(source)
    ]
    lines = ",\n".join(json.dumps(record) for record in records)
    target = folder / SHIPPED
    draft = target.with_name(f"{SHIPPED}.part")
    draft.write_text(
        f'{{"model_hash": {json.dumps(model_hash)}, "records": [\n{lines}\n]}}\n', encoding="utf-8"
    )
    draft.replace(target)
    return target


def _read(path: Path) -> list[dict[str, Any]]:
    if path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            rows: list[dict[str, Any]] = pq.read_table(path).to_pylist()
        except pa.ArrowException as error:
            raise ValueError(str(error)) from error
        return rows
    if path.suffix == ".json":
        return list(json.loads(path.read_text(encoding="utf-8"))["records"])
    return read_log(path)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _rounded(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.{_DIGITS}g}")
