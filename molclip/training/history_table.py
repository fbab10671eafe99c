"""The records of a run as a Parquet table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from molclip.training.config import TrainingConfig

CONFIG_KEY = b"molclip.config"
"""Key of the table's metadata under which the configuration stands, as JSON."""

_WHOLE = frozenset({"epoch", "step", "dimension", "diagnosed_pairs"})


def write_table(path: Path, records: Sequence[dict[str, Any]], config: TrainingConfig) -> None:
    """Write one row per epoch, replaced in one move.

    A number that an epoch lacks (no validation was due) is null. `warnings` is a list of text,
    everything else a number.

    Parameters
    ----------
    path
        File.
    records
        As `History` keeps them.
    config
        The run; stands in the table's metadata.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    names = ["epoch", "step"]
    for record in records:
        names += [name for name in record if name not in names and name != "warnings"]
    fields = [pa.field(name, pa.int64() if name in _WHOLE else pa.float64()) for name in names]
    fields.append(pa.field("warnings", pa.list_(pa.string())))
    described = json.dumps(config.model_dump(mode="json")).encode()
    schema = pa.schema(fields, metadata={CONFIG_KEY: described})
    rows = [{**record, "warnings": record.get("warnings", [])} for record in records]
    part = path.with_name(f"{path.name}.part")
    pq.write_table(pa.Table.from_pylist(rows, schema=schema), part)
    part.replace(path)
