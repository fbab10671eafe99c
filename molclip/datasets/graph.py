"""The ChEBI ontology as it was exported, one row per entry."""

from __future__ import annotations

import gzip
import json
from os import PathLike
from typing import TYPE_CHECKING, Any

from molclip.datasets.local import folder
from molclip.datasets.tables import Column, description
from molclip.errors import InputError

if TYPE_CHECKING:
    from datasets import Dataset

FILE = "chebi_graph.json.gz"

COLUMNS: tuple[Column, ...] = (
    Column("id", "string", "ChEBI id"),
    Column("name", "string", "ChEBI name"),
    Column("alt_ids", "list", "secondary ids"),
    Column("relations", "list", "type and target id, is_a and has_role included"),
)


def read_graph(path: str | PathLike[str] | None) -> Dataset:
    """Read the exported ontology from the user's folder.

    Raises
    ------
    molclip.errors.InputError
        When folder or file is missing, or the file is no such export.
    """
    from datasets import Dataset, DatasetInfo, Features, Value

    file = folder(path, "chebi-graph") / FILE
    try:
        with gzip.open(file, "rt", encoding="utf-8") as handle:
            entries = json.load(handle)
        table: dict[str, list[Any]] = {
            "id": [entry["id"] for entry in entries],
            "name": [entry["name"] for entry in entries],
            "alt_ids": [entry.get("alt_ids", []) for entry in entries],
            "relations": [
                [
                    {"type": kind, "target": target}
                    for kind, targets in entry.get("relations", {}).items()
                    for target in targets
                ]
                for entry in entries
            ],
        }
    except FileNotFoundError as error:
        raise InputError(f"{file.parent} holds no {FILE}.", "Check the folder.") from error
    except (OSError, EOFError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(f"Cannot read {file}: {error}.", "The file may be damaged.") from error
    text = Value("string")
    types = Features(
        {
            "id": text,
            "name": text,
            "alt_ids": [text],
            "relations": [{"type": text, "target": text}],
        }
    )
    info = DatasetInfo(
        description=description("Entries of the ChEBI ontology.", COLUMNS),
        citation="ChEBI (Hastings et al., Nucleic Acids Res. 2016, 44, D1214)",
        license="CC BY 4.0",
        features=types,
    )
    return Dataset.from_dict(table, features=types, info=info)
