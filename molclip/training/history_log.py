"""The file that a run's records are appended to; it survives a kill at any moment."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from molclip.errors import ConfigError

LOG = "history.jsonl"

Record = dict[str, Any]


def read_log(path: Path) -> list[Record]:
    """Return the records of a log, the last one of each epoch, in order.

    A last line that a kill cut off is left out.
    """
    if not path.is_file():
        return []
    records: dict[int, Record] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        try:
            record = json.loads(line)
            records[int(record["epoch"])] = record
        except (ValueError, KeyError, TypeError):
            continue
    return [records[epoch] for epoch in sorted(records)]


def append_log(path: Path, record: Record) -> None:
    """Add a line and wait until it is on the disk.

    Raises
    ------
    ConfigError
        When it cannot be written.
    """
    try:
        torn = path.is_file() and path.stat().st_size and not path.read_bytes().endswith(b"\n")
        with path.open("a", encoding="utf-8") as handle:
            handle.write(("\n" if torn else "") + json.dumps(record) + "\n")
            handle.flush()
            os.fsync(handle.fileno())
    except OSError as error:
        raise _unwritable(path, error) from error


def rewrite_log(path: Path, records: Iterable[Record]) -> None:
    """Replace the log in one move.

    Raises
    ------
    ConfigError
        When it cannot be written; the old log is still there.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with part.open("w", encoding="utf-8") as handle:
            handle.writelines(json.dumps(record) + "\n" for record in records)
            handle.flush()
            os.fsync(handle.fileno())
        part.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: OSError) -> ConfigError:
    return ConfigError(
        f"The log {path} cannot be written: {error.strerror or error}.",
        "Free some space or make it writable; the run goes on from its last checkpoint.",
    )
