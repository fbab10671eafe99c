"""Answers of a classification as flat records and as a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from molclip.cli.domain import COLUMNS, columns_of
from molclip.cli.output import cell, new_table

if TYPE_CHECKING:
    from rich.table import Table

    from molclip.cli.domain import Verdict
    from molclip.models.zero_shot import ZeroShotResult

_FIRST = ("row", "id", "name", "smiles", "answer")


def flat_columns(labels: list[str], compared: bool = False) -> list[str]:
    """Columns of a flat record: who, the answer, two columns per label, and the failure.

    Where molecules were `compared` with training molecules, the columns of that stand between.
    """
    measures = [f"{what}: {label}" for label in labels for what in ("percentile", "score")]
    return [*_FIRST, *measures, *(COLUMNS if compared else ()), "input", "failure"]


def records_of(
    results: Iterable[tuple[ZeroShotResult, Sequence[Verdict] | None]],
) -> Iterator[dict[str, Any]]:
    """Records of results, with what was found of each molecule where it was compared."""
    for result, verdicts in results:
        for row, record in enumerate(result.to_dict()):
            yield record if verdicts is None else record | columns_of(verdicts[row])


def flat_record(record: dict[str, Any], labels: list[str]) -> dict[str, Any]:
    """A record of `ZeroShotResult.to_dict` with one value per column of `flat_columns`."""
    flat = dict.fromkeys(flat_columns(labels))
    flat.update({key: record.get(key) for key in (*_FIRST, "input", "failure")})
    flat.update({key: record[key] for key in COLUMNS if key in record})
    for ranked in record["labels"]:
        flat[f"percentile: {ranked['label']}"] = ranked["percentile"]
        flat[f"score: {ranked['label']}"] = ranked["score"]
    return flat


def answers_table(records: Iterable[dict[str, Any]], labels: list[str]) -> Table:
    """One line per molecule: its answer, then its labels from best to worst, or the failure."""
    table = new_table()
    table.add_column("row", justify="right", no_wrap=True)
    table.add_column("molecule", ratio=3, overflow="fold")
    table.add_column("answer", ratio=3, overflow="fold")
    table.add_column("labels, with percentile", ratio=4, overflow="fold")
    for record in records:
        who = " ".join(str(part) for part in (record["id"], record["name"]) if part)
        who = who or record["smiles"] or record["input"] or "(empty)"
        if record["failure"] is not None:
            answer, ranked = "no answer", record["failure"]
        else:
            answer, ranked = record["answer"], _ranked(record, labels)
            # Where it may mislead, at the answer; the others are inside, or nearly.
            if record.get("domain") == "outside":
                answer = f"{answer} (outside)"
        table.add_row(cell(record["row"], 12), cell(who, 60), cell(answer, 60), cell(ranked, 200))
    return table


def _ranked(record: dict[str, Any], labels: list[str]) -> str:
    def measure(label: str, what: str) -> float:
        value = record[f"{what}: {label}"]
        return -1.0 if value is None else float(value)

    order = sorted(labels, key=lambda la: (-measure(la, "percentile"), -measure(la, "score")))
    shown = []
    for label in order[:4]:
        percentile, score = record[f"percentile: {label}"], record[f"score: {label}"]
        value = f"{score:.3f}" if percentile is None else _percent(percentile)
        shown.append(f"{label} {value}")
    return ", ".join(shown) + (", …" if len(order) > 4 else "")


def _percent(share: float) -> str:
    # 99.97 is not 100: the last tenths are what tells a hit from a good fit.
    return f"{int(share * 1000) / 10:.1f}"
