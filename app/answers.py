"""Labels of molecules as bars and as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from molclip.chem.molecule import ParseFailure, shorten
from molclip.models.zero_shot import NONE_OF_THESE

from . import markup
from .drawing import drawing
from .markup import text
from .remedies import here

if TYPE_CHECKING:
    from collections.abc import Sequence

    from molclip.models.zero_shot import ZeroShotResult

    from .labels import Label

SHOWN_ROWS = 200
DRAWN_ROWS = 60
SHOWN_BARS = 12
SHOWN_SENTENCES = 60
# With fewer labels, chance hardly passes the threshold.
_MANY_LABELS = 20


def summary(said: Sequence[str], background: int, result: ZeroShotResult, source: str = "") -> str:
    """How the input was read, where the labels are from, and what the percentiles mean."""
    lines = [f'<p class="mc-read">{text(line)}</p>' for line in said[:1]]
    lines += [f'<p class="mc-remark">{text(line)}</p>' for line in said[1:]]
    if source:
        lines.append(f'<p class="mc-facts">{text(source)}</p>')
    lines.append(
        f'<p class="mc-facts">Percentile: how many of {background:,} molecules of the library fit '
        "the label less well. It compares molecules; it is no probability.</p>"
    )
    labels = len(result.labels)
    if labels >= _MANY_LABELS:
        chance = labels * (1 - result.threshold)
        lines.append(
            f'<p class="mc-facts">Of {labels} labels, {chance:.1f} reach percentile '
            f"{100 * result.threshold:g} for an average molecule, so one that does says little; "
            "look at the first few, or raise the threshold.</p>"
        )
    return f'<div class="mc-summary" role="status">{"".join(lines)}</div>'


def sentences(labels: Sequence[Label]) -> str:
    """What the model read for each label, folded away."""
    rows = "".join(
        f"<dt>{text(label.name)}</dt><dd>{'the opposite of: ' if label.denies else ''}"
        f"{text(' · '.join(label.sentences))}</dd>"
        for label in labels[:SHOWN_SENTENCES]
    )
    more = len(labels) - SHOWN_SENTENCES
    rest = f'<p class="mc-facts">and {more} more labels in the same way</p>' if more > 0 else ""
    return (
        '<details class="mc-sentences"><summary>Sentences the model read for each label</summary>'
        f"<dl>{rows}</dl>{rest}</details>"
    )


def bars(result: ZeroShotResult) -> str:
    """The labels of one molecule, best first."""
    item = result.molecules[0]
    if isinstance(item, ParseFailure):
        said = f"The molecule cannot be read: {item.reason}"
        return markup.message("error", said, here(item.hint))
    ranked = result.ranked(0)
    best = ranked[0]["label"]
    rows = [_bar(entry) for entry in ranked if entry["score"] is not None]
    percent = f"{100 * result.threshold:g}"
    if best == NONE_OF_THESE and ranked[0]["score"] is None:
        verdict = (
            '<p class="mc-verdict mc-undecided"><strong>None of these.</strong> '
            f"No label reaches percentile {percent}.</p>"
        )
    else:
        verdict = f'<p class="mc-verdict"><strong>{text(best)}</strong> fits best.</p>'
    name = item.name or item.id or ""
    caption = f"<figcaption>{text(name)}</figcaption>" if name else ""
    style = f'style="--threshold: {float(percent):g}%"'
    shown = f'<ol class="mc-bars" {style}>{"".join(rows[:SHOWN_BARS])}</ol>'
    if len(rows) > SHOWN_BARS:
        shown += (
            f'<details class="mc-more-bars"><summary>{len(rows) - SHOWN_BARS} more labels</summary>'
            f'<ol class="mc-bars" start="{SHOWN_BARS + 1}" {style}>'
            f"{''.join(rows[SHOWN_BARS:])}</ol></details>"
        )
    return f"""<div class="mc-answer">
<figure class="mc-molecule">{drawing(item.smiles, name)}{caption}</figure>
<div class="mc-labels">{verdict}
<p class="mc-heads" aria-hidden="true"><span>Label</span><span>Percentile</span><span class="mc-cosine">Cosine</span></p>
{shown}
<p class="mc-facts">The line marks the threshold, percentile {percent}.</p>
</div></div>"""


def _bar(entry: dict[str, Any]) -> str:
    percentile = 100 * float(entry["percentile"])
    shown = markup.number(percentile, 1)
    return f"""<li><span class="mc-label">{text(entry["label"])}</span>
<span class="mc-track" role="img" aria-label="percentile {shown}"><i style="width: {percentile:.1f}%"></i></span>
<span class="mc-value">{shown}</span>
<span class="mc-cosine">{markup.number(float(entry["score"]), 3)}</span></li>"""


def table(result: ZeroShotResult) -> str:
    """One row for each molecule of a file, bad ones in their place."""
    rows = "".join(_row(result, number) for number in range(min(len(result), SHOWN_ROWS)))
    more = ""
    if len(result) > SHOWN_ROWS:
        more = (
            f'<p class="mc-facts">The first {SHOWN_ROWS} of {len(result):,} rows; the download '
            f"holds all of them.</p>{_later_failures(result)}"
        )
    heads = ("Row", "Structure", "Molecule", "Best label", "Percentile", "Next")
    head = "".join(f'<th scope="col">{title}</th>' for title in heads)
    return (
        '<div class="mc-scroll" tabindex="0" role="region" aria-label="Labels of the molecules">'
        f'<table class="mc-table"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'
        f"</div>{more}"
    )


def count(result: ZeroShotResult, name: str) -> str:
    """How many rows were answered, as a sentence."""
    bad, none = len(result.failures), result.answers.count(NONE_OF_THESE)
    said = f"{name}: {len(result):,} {'row' if len(result) == 1 else 'rows'}"
    said += f", {bad:,} could not be read" if bad else ", all read"
    return f"{said}; none of these labels for {none:,}." if none else f"{said}."


def _row(result: ZeroShotResult, number: int) -> str:
    item = result.molecules[number]
    if isinstance(item, ParseFailure):
        return (
            f'<tr class="mc-bad"><td>{item.row}</td><td>{_code(item.input)}</td>'
            f"<td>{called(item)}</td>"
            f'<td colspan="3"><strong>Not read.</strong> {text(item.reason)} '
            f"{text(here(item.hint))}</td></tr>"
        )
    ranked = result.ranked(number)
    labels = [entry for entry in ranked if entry["score"] is not None]
    none = ranked[0]["score"] is None
    answer = markup.badge("none of these", "none") if none else text(ranked[0]["label"])
    others = labels[:1] if none else labels[1:2]
    following = "".join(f"{text(e['label'])} {_percentile(e)}" for e in others)
    figure = drawing(item.smiles, item.name or "") if number < DRAWN_ROWS else _code(item.smiles)
    return (
        f'<tr><td>{item.row}</td><td class="mc-small">{figure}</td><td>{called(item)}</td>'
        f"<td>{answer}</td><td>{'' if none else _percentile(labels[0])}</td><td>{following}</td></tr>"
    )


def called(item: Any) -> str:
    """Name or id of a row, as HTML."""
    return text(shorten(str(item.name or item.id or ""), 80))


def _code(structure: str) -> str:
    return f"<code>{text(shorten(structure, 40))}</code>"


def _percentile(entry: dict[str, Any]) -> str:
    return markup.number(100 * float(entry["percentile"]), 1)


def _later_failures(result: ZeroShotResult) -> str:
    """Bad rows that lie below what the table shows."""
    later = [item for item in result.molecules[SHOWN_ROWS:] if isinstance(item, ParseFailure)]
    if not later:
        return ""
    listed = "".join(
        f"<li>Row {item.row}: {text(item.reason)} {_code(item.input)}</li>" for item in later[:100]
    )
    return f"<details><summary>{len(later):,} bad rows further down</summary><ul>{listed}</ul></details>"


def rows_for_download(result: ZeroShotResult) -> list[dict[str, Any]]:
    """One flat record for each input row."""
    rows = []
    for number, item in enumerate(result.molecules):
        bad = isinstance(item, ParseFailure)
        ranked = result.ranked(number)
        row: dict[str, Any] = {
            "row": item.row,
            "id": item.id,
            "name": item.name,
            "input": item.input,
            "smiles": None if isinstance(item, ParseFailure) else item.smiles,
            "answer": ranked[0]["label"] if ranked else None,
            "failure": f"{item.reason} {here(item.hint)}".strip()
            if isinstance(item, ParseFailure)
            else None,
        }
        known = {e["label"]: e for e in ranked if e["score"] is not None}
        for label in result.labels:
            entry = None if bad else known[label]
            row[f"percentile {label}"] = entry and round(100 * entry["percentile"], 2)
            row[f"score {label}"] = entry and round(entry["score"], 4)
        rows.append(row)
    return rows
