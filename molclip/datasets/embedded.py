"""The embedded library as a `datasets.Dataset`."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING

from molclip.datasets.facts import load_facts
from molclip.datasets.tables import Column, description

if TYPE_CHECKING:
    from datasets import Dataset

COLUMNS: tuple[Column, ...] = (
    Column("chebi_id", "string", "ChEBI id"),
    Column("name", "string", "ChEBI name"),
    Column("smiles", "string", "canonical isomeric SMILES"),
    Column("inchikey", "string", "standard InChIKey"),
    Column("curated", "flag", "checked by ChEBI's curators (three stars)"),
    Column("classes", "list", "ids of direct is_a parents"),
    Column("roles", "list", "ids of roles"),
    Column("relations", "list", "type and target id of other relations"),
    Column("synonyms", "list", "other names"),
    Column("merged_ids", "list", "other ChEBI entries with the same SMILES"),
    Column("structure_source", "string", "pubchem, repaired or inchi"),
)


def read_library(path: str | PathLike[str] | None) -> Dataset:
    """The shipped table, or a Parquet file of the same columns, with typed features."""
    from datasets import Dataset, DatasetInfo, Features, Value

    table = load_facts(path).table
    text = Value("string")
    types = Features(
        {
            "chebi_id": text,
            "name": text,
            "smiles": text,
            "inchikey": text,
            "curated": Value("bool"),
            "classes": [text],
            "roles": [text],
            "relations": [{"type": text, "target": text}],
            "synonyms": [text],
            "merged_ids": [text],
            "structure_source": text,
        }
    )
    info = DatasetInfo(
        description=description("Molecules of ChEBI with the facts recorded there.", COLUMNS),
        citation="ChEBI (Hastings et al., Nucleic Acids Res. 2016, 44, D1214)",
        license="CC BY 4.0",
        features=types,
    )
    plain = table.replace_schema_metadata(None)
    return Dataset(plain, info=info)
