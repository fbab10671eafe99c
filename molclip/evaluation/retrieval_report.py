"""The retrieval evaluation as a report: protocol, figures with intervals, and ties."""

from __future__ import annotations

from collections.abc import Sequence

from molclip.evaluation.metrics import FIGURES
from molclip.evaluation.ranks import SCORE_TOLERANCE
from molclip.evaluation.report import Report, Table, versions
from molclip.evaluation.retrieval import TIES, RetrievalResult, Setting

_LABELS = {
    "hits@1": "Hits@1",
    "hits@5": "Hits@5",
    "hits@10": "Hits@10",
    "hits@20": "Hits@20",
    "mrr": "MRR",
    "mean_rank": "Mean rank",
    "median_rank": "Median rank",
}
_FAILURES_SHOWN = 3


def retrieval_report(
    result: RetrievalResult,
    *,
    encoder: str,
    model: str,
    model_hash: str,
    command: str,
    cut_texts: int | None = None,
) -> Report:
    """Return the report of one retrieval evaluation.

    Parameters
    ----------
    result
        What `evaluate_retrieval` gave.
    encoder
        `molclip` or `image`.
    model
        Name or folder of the model, as the user gave it.
    model_hash
        Of its weights.
    command
        The command line that reproduces the report.
    cut_texts
        How many texts were too long for the model's context, where that is known.
    """
    data = result.data
    plain = result.settings[0]
    corrected = next((s for s in result.settings if s.correction is not None), None)
    header = {
        "data set": f"{data.name}, {data.split} split",
        "texts": f"{len(data.texts):,}, {data.text_variant}",
        "pool size": f"{plain.ranks.pool_size:,} molecules ({len(result.failures):,} invalid, "
        "kept in the pool; their texts are misses)",
        "scores": "dot product of unit vectors, float32",
        "ties": f"pessimistic; scores within {SCORE_TOLERANCE:g} are tied",
        "correction": f"{corrected.correction:g} x best similarity to {result.bank_size:,} "
        "training texts, in columns of its own"
        if corrected
        else None,
        "intervals": "95 %, percentile bootstrap over queries",
        "seed": result.seed,
        "encoder": encoder,
        "model": model,
        "model hash": model_hash,
        "files": "; ".join(data.files) or None,
        "command": command,
        "versions": versions(),
    }
    results = {
        "settings": {setting.key: setting.to_dict() for setting in result.settings},
        "invalid_molecules": [failure.to_dict() for failure in result.failures],
    }
    if cut_texts:
        header["texts"] = f"{header['texts']}; {cut_texts:,} cut off at the model's context"
    notes = [f"Invalid: {failure}" for failure in result.failures[:_FAILURES_SHOWN]]
    if len(result.failures) > _FAILURES_SHOWN:
        rest = len(result.failures) - _FAILURES_SHOWN
        notes.append(f"… and {rest:,} more; the JSON report lists all.")
    tables = [_figures_table(result.settings), _ties_table(result.settings)]
    return Report("Retrieval", header, tables, results, notes)


def _figures_table(settings: Sequence[Setting]) -> Table:
    rows = []
    for figure in FIGURES:
        cells = [_LABELS[figure]]
        for setting in settings:
            low, high = setting.intervals[figure]
            value = setting.figures["pessimistic"][figure]
            cells.append(
                f"{_number(figure, value)}\n{_number(figure, low)}–{_number(figure, high)}"
            )
        rows.append(cells)
    return Table(
        "Figures under pessimistic ties, with 95 % intervals",
        ["", *(setting.title for setting in settings)],
        rows,
    )


def _ties_table(settings: Sequence[Setting]) -> Table:
    rows = []
    for setting in settings:
        name = setting.title.replace("\npool ", ", ").replace("\n", ", ")
        for figure in ("hits@1", "mrr"):
            values = [_number(figure, setting.figures[ties][figure]) for ties in TIES]
            rows.append([name, _LABELS[figure], *values])
            name = ""
    return Table("What ties are worth", ["", "", *TIES], rows, left=frozenset({0, 1}))


def _number(figure: str, value: float) -> str:
    if figure not in ("mean_rank", "median_rank"):
        return f"{value:.3f}"
    # Tenths of a rank mean nothing among hundreds, and the columns are narrow.
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.1f}"
