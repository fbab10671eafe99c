"""What became of the rows of a source, and what a library is made of."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class BuildReport:
    """What became of every input row: `rows_read = added + updated + replaced + failed`."""

    rows_read: int = 0
    added: int = 0
    """Rows that are in the library under a new id."""
    updated: int = 0
    """Rows that took the place of one that was in the library before."""
    replaced: int = 0
    """Rows of this source that a later row with the same id took the place of."""
    failed: int = 0
    ids_given: int = 0
    """Rows without id, which got one."""
    warnings: list[str] = field(default_factory=list)
    remarks: dict[str, int] = field(default_factory=dict)
    """How many embedded rows carry each kind of warning about their structure."""

    def to_dict(self) -> dict[str, Any]:
        """Return the counts as a plain dict."""
        return asdict(self)


@dataclass
class LibraryInfo:
    """What a library is made of."""

    path: str
    embedded: bool
    rows: int
    curated_rows: int | None
    """Rows checked by curators; None where the library has no such column."""
    failed: int
    failures_file: str | None
    dimension: int
    vector_type: str
    """Storage type of the vectors: `float16` or `int8`."""
    model_name: str
    model_hash: str
    standardisation: str
    feature_version: str
    rdkit_version: str
    molclip_version: str
    source: str
    created: str
    """ISO 8601, UTC."""
    columns: dict[str, str]
    version: int
    """Counts up with every `add`."""
    report: BuildReport
    """Sums over building and every `add`."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a plain dict."""
        return asdict(self)
