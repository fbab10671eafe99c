"""What the functions of the programming interface answer: typed JSON, made from library results.

No `from __future__ import annotations`: Gradio makes the schema from the annotations themselves.
"""

from typing import Any, TypedDict

from molclip.chem.molecule import ParseFailure

from .remedies import here

_PROPERTIES = (
    "formula", "mol_weight", "logp", "tpsa", "hbd", "hba", "rings", "rotatable_bonds",
    "formal_charge", "heavy_atoms",
)  # fmt: skip


class Failure(TypedDict):
    """A row without an answer."""

    row: int
    input: str
    reason: str
    hint: str


class Hit(TypedDict):
    """A molecule of the library."""

    rank: int
    id: str | None
    name: str | None
    smiles: str
    inchikey: str | None
    score: float
    match_level: str | None
    evidence: str | None
    recorded_terms: list[str]
    seen_in_training: bool | None
    similarity: float | None
    properties: dict[str, Any]


class Hits(TypedDict):
    """Answer of `search`."""

    read_as: str
    score: str
    rows_searched: int
    remarks: list[str]
    similar_names: list[str]
    more: bool
    hits: list[Hit]


class LabelScore(TypedDict):
    """How well a label fits a molecule."""

    label: str
    percentile: float
    score: float


class LabelledMolecule(TypedDict):
    """Labels of one molecule, best first."""

    row: int
    input: str
    smiles: str | None
    answer: str | None
    labels: list[LabelScore]
    failure: str | None


class Labels(TypedDict):
    """Answer of `classify`."""

    threshold: float
    background: int
    sentences: dict[str, list[str]]
    remarks: list[str]
    molecules: list[LabelledMolecule]


class Vectors(TypedDict):
    """Answer of `embed_text` and `embed_molecules`."""

    model: str
    dimension: int
    vectors: list[list[float] | None]
    failures: list[Failure]


class Ranked(TypedDict):
    """One of the molecules given, and how well it fits."""

    row: int
    input: str
    smiles: str
    score: float
    percentile: float


class Ranking(TypedDict):
    """Answer of `rank_molecules`."""

    text: str
    molecules: list[Ranked]
    failures: list[Failure]


class InputReading(TypedDict):
    """Answer of `read_input`."""

    kind: str
    read_as: str
    smiles: str | None
    inchikey: str | None
    name: str | None
    similar_names: list[str]


class Counter(TypedDict):
    """A neighbour without the match."""

    id: str | None
    name: str | None
    smiles: str
    similarity: float
    score: float
    score_of_the_molecule: float
    deviation: float
    only_in_the_molecule: list[list[Any]]
    only_in_the_counter_example: list[list[Any]]


class CounterAnswer(TypedDict):
    """Answer of `counter_example`."""

    found: bool
    read_as: str
    counter_example: Counter | None


class Domain(TypedDict):
    """Answer of `applicability`."""

    molecules: list[dict[str, Any] | None]
    texts: list[dict[str, Any]]
    failures: list[Failure]


class PictureHit(TypedDict):
    """One of the molecules that both models rank."""

    rank: int
    id: str | None
    name: str | None
    smiles: str
    score: float
    recorded: bool | None


class Pictures(TypedDict):
    """Answer of `compare_with_pictures`."""

    text: str
    remarks: list[str]
    molclip: list[PictureHit]
    molclip_seconds: float
    pictures: list[PictureHit] | None
    pictures_seconds: float | None
    absent: str | None


class LabelSetInfo(TypedDict):
    """One set of labels."""

    key: str
    title: str
    source: str
    size: int
    labels: list[str]
    sentences: list[str]


def hit_of(record: dict[str, Any]) -> Hit:
    """A record of a search result."""
    return {
        "rank": record["rank"],
        "id": record.get("id"),
        "name": record.get("name"),
        "smiles": record["smiles"],
        "inchikey": record.get("inchikey"),
        "score": record["score"],
        "match_level": record.get("match_level"),
        "evidence": record.get("evidence"),
        "recorded_terms": record.get("recorded_terms") or [],
        "seen_in_training": record.get("seen"),
        "similarity": record.get("similarity"),
        "properties": {key: record[key] for key in _PROPERTIES if record.get(key) is not None},
    }


def labelled_of(record: dict[str, Any]) -> LabelledMolecule:
    """A record of a classification."""
    labels: list[LabelScore] = [
        {"label": e["label"], "percentile": 100 * e["percentile"], "score": e["score"]}
        for e in record["labels"]
    ]
    return {
        "row": record["row"],
        "input": record["input"],
        "smiles": record["smiles"],
        "answer": record["answer"],
        "labels": labels,
        "failure": record["failure"] and here(record["failure"]),
    }


def failures_of(failures: list[ParseFailure]) -> list[Failure]:
    """Rows that could not be read."""
    return [
        {"row": item.row, "input": item.input, "reason": item.reason, "hint": here(item.hint)}
        for item in failures
    ]
