"""What a search gives back: hits in order, and how the question was read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas as pd

Mode = Literal["vector", "name", "hybrid"]

TESTED = 500
"""So many recorded rows are looked at for a substructure; of more only the fingerprints are."""


@dataclass
class QueryInfo:
    """How a query was read and what it was compared with."""

    text: str | None = None
    smiles: str | None = None
    """Canonical SMILES of the structure asked for."""
    mode: Mode = "vector"
    score: str = "cosine of text and molecule"
    """What the column `score` is, in words."""
    weight: float | None = None
    """Share of the text in the score; set when text and structure are combined."""
    k: int = 10
    offset: int = 0
    where: str | None = None
    smarts: str | None = None
    curated_only: bool = False
    rows_in_library: int = 0
    rows_searched: int = 0
    """Rows left after the curated, SQL and (as far as it was followed) substructure filters."""
    asked_terms: list[dict[str, str]] = field(default_factory=list)
    """Classes and roles of the source found in the text: `id`, `name`, `kind`, `phrase`."""
    unlinked_words: list[str] = field(default_factory=list)
    """Words of the text that name no class or role of the source."""
    recorded_only: bool = False
    rows_recorded: int | None = None
    """Rows, of those that were to be searched, of which the source states all that is asked; None
    where no class or role of the source is asked for, and in mode `name`. Where there are more than
    `TESTED`, a substructure is counted by fingerprint."""
    recorded_as: str = ""
    """What `rows_recorded` are, in the source's words."""
    conditions: list[dict[str, str]] = field(default_factory=list)
    """Bounds on properties that the text states: `phrase`, and what it is in SQL as `where`. Rows that
    miss one are not searched, and the model reads the text without them."""
    words: str | None = None
    """What the model reads: the text without those bounds."""
    left_out: list[dict[str, Any]] = field(default_factory=list)
    """What the text excludes: `phrase`, `terms` (names), `elements` (symbols), and how many `rows`
    that were to be searched it took away."""
    match_level: str | None = None
    """Level of the best hit (see `match_level.LEVELS`); None where it has no meaning."""
    text_applicability: dict[str, Any] | None = None
    """Whether the model can read the text (`TextApplicability.to_dict`)."""
    structure_applicability: dict[str, Any] | None = None
    """Whether the model knows the kind of the structure (`MoleculeApplicability.to_dict`)."""
    notes: list[str] = field(default_factory=list)
    """Sentences on how the question was read: conditions, what is left out, what the source records."""
    warnings: list[str] = field(default_factory=list)
    """Sentences on what is wrong with it: text cut off, unknown words, nothing found."""
    seconds: float = 0.0


def recorded_remark(query: QueryInfo, records: Sequence[dict[str, Any]]) -> str | None:
    """A sentence where hits the model predicts stand before molecules that the source records.

    Parameters
    ----------
    query
        Whose `k` hits are shown, from the first on; only a ranking by vectors has a remark.
    records
        The hits.

    Returns
    -------
    How many rows are recorded, and how many of the hits; None where no more of them could be hits.
    """
    if query.mode != "vector" or query.offset or query.recorded_only or not query.rows_recorded:
        return None
    count = sum(record["evidence"] == "recorded" for record in records)
    if count >= min(query.k, query.rows_recorded):
        return None
    at_most = "up to " if query.smarts and query.rows_recorded > TESTED else ""
    return (
        f"The source records {at_most}{query.rows_recorded:,} of the molecules searched as "
        f"{query.recorded_as}; {count or 'none'} of them {'is' if count <= 1 else 'are'} among "
        "these hits."
    )


@dataclass
class SearchResult:
    """Ranked molecules.

    Every record has `rank` (from 1, counted through pages), `id`, `name`, `smiles`, `score`,
    `match_level` (`strong`, `plausible`, `weak`, `none` or None), `percentile_true`,
    `percentile_nonsense` (0 to 100, or None), `evidence` (`recorded` or `predicted`),
    `recorded_terms` (names of the classes and roles the source states), `seen` (True, False, or
    None where nothing is known), `similarity` (count Tanimoto; only for structure queries),
    `text_score` and `structure_score` (cosines; where they were computed), `matched_name` and
    `matched_by` (only for name hits), then `inchikey` and every other column of the library.
    """

    query: QueryInfo
    records: list[dict[str, Any]]

    def __len__(self) -> int:
        return len(self.records)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self.records)

    def __getitem__(self, index: int) -> dict[str, Any]:
        return self.records[index]

    def to_dict(self, orient: Literal["records", "all"] = "records") -> Any:
        """Return the hits as a list of dicts, or with `"all"` a dict of `query` and `records`.

        Raises
        ------
        ValueError
            For any other `orient`.
        """
        records = [dict(record) for record in self.records]
        if orient == "records":
            return records
        if orient == "all":
            return {"query": asdict(self.query), "records": records}
        raise ValueError(f"orient must be 'records' or 'all', not {orient!r}")

    def to_pandas(self) -> pd.DataFrame:
        """Return the hits as a data frame (needs pandas)."""
        import pandas as pd

        return pd.DataFrame(self.records)
