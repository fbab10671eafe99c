"""Types of the user's own columns, found while the rows stream by."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from molclip.chem.descriptors import PROPERTY_COLUMNS
from molclip.search.rows import IDENTITY

if TYPE_CHECKING:
    import pyarrow as pa

_INTEGER = re.compile(r"[+-]?(0|[1-9][0-9]{0,17})")
_FLOAT = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_LEADING_ZERO = re.compile(r"[+-]?0[0-9]")
_MISSING = frozenset(("", "na", "n/a", "nan", "null", "none", "-"))

BASE_TYPES: dict[str, str] = {
    **dict.fromkeys(IDENTITY, "string"),
    "formula": "string",
    "mol_weight": "double",
    "logp": "double",
    "tpsa": "double",
    **dict.fromkeys(PROPERTY_COLUMNS[4:], "int64"),
}
"""Columns every library has."""

RESERVED = frozenset(
    (
        *BASE_TYPES,
        *("rank", "score", "position", "match_level", "percentile_true", "percentile_nonsense"),
        *("evidence", "recorded_terms", "seen", "similarity", "text_score", "structure_score"),
        *("matched_name", "matched_by"),
    )
)


def column_name(name: str) -> str:
    """Name under which a column of the user is kept.

    What molclip itself calls by that name goes before: the user's `logp` becomes `input_logp`.
    Dots, which the table does not take, become underscores.
    """
    clean = " ".join(name.replace(".", "_").split()) or "column"
    if clean.lower() in RESERVED or clean.startswith("_"):
        return f"input_{clean.lstrip('_')}"
    return clean


def kind_of(value: Any) -> str:
    """Type of one value: `null`, `bool`, `int64`, `double`, `string` or a list type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "bool"
    if isinstance(value, int):
        return "int64" if -(2**63) <= value < 2**63 else "string"
    if isinstance(value, float):
        return "double"
    if isinstance(value, (list, tuple)):
        whole = bool(value) and all(isinstance(v, int) for v in value)
        return "list<int32>" if whole else "list<string>"
    text = str(value).strip()
    if text.casefold() in _MISSING:
        return "null"
    if _INTEGER.fullmatch(text):
        return "int64"
    # 007 and 00123 are codes, not numbers.
    if _FLOAT.fullmatch(text) and not _LEADING_ZERO.match(text):
        return "double"
    return "string"


def join_kinds(first: str, second: str) -> str:
    """Narrowest type that holds both."""
    if second in (first, "null"):
        return first
    if first == "null":
        return second
    if {first, second} == {"int64", "double"}:
        return "double"
    if {first, second} == {"list<int32>", "list<string>"}:
        return "list<string>"
    return "string"


def convert(value: Any, kind: str) -> Any:
    """A value as its column holds it; None where it does not fit.

    In a text column every text stays as it was, "NA" too; only the empty one is missing.
    """
    if value is None or kind == "null":
        return None
    if kind == "string":
        return str(value) if value != "" else None
    if kind.startswith("list"):
        if not isinstance(value, (list, tuple)):
            return None
        return list(value) if kind == "list<int32>" else [str(part) for part in value]
    if kind == "bool":
        return value if isinstance(value, bool) else None
    found = kind_of(value)
    if found == "int64":
        return int(value) if kind == "int64" else float(value)
    return float(value) if found == "double" and kind == "double" else None


def arrow_type(kind: str) -> pa.DataType:
    """Arrow type of a column type; columns without any value are text."""
    import pyarrow as pa

    types = {
        "bool": pa.bool_(),
        "int64": pa.int64(),
        "double": pa.float64(),
        "list<string>": pa.list_(pa.string()),
        "list<int32>": pa.list_(pa.int32()),
    }
    return types.get(kind, pa.string())
