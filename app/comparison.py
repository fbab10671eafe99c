"""Two models' answers to one question side by side, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import markup
from .drawing import drawing
from .markup import number, text
from .picture_search import SHOWN

if TYPE_CHECKING:
    from .picture_search import Compared, Ranked

_ABSENT = "There is no model of pictures on this machine."
_FIRST = 10
"""Hits that are counted."""


def compared(found: Compared, records: list[dict[str, Any]]) -> str:
    """Both lists, times, and how many of the first ten the source bears out."""
    remarks = "".join(f'<p class="mc-remark">{text(remark)}</p>' for remark in found.remarks)
    if found.pictures is None:
        assert found.absent is not None
        pictures = (
            '<section class="mc-side-answer" aria-label="open_clip on pictures"><h2>open_clip on '
            f"pictures</h2>{markup.message('empty', _ABSENT, f'{found.absent.message} {found.absent.hint}')}"
            "</section>"
        )
    else:
        pictures = _side("open_clip on pictures", found.pictures, found, records)
    return (
        f'<div class="mc-summary" role="status">{_verdict(found, len(records))}{remarks}</div>'
        f'<div class="mc-both">{pictures}'
        f"{_side('molclip on structures', found.molclip, found, records)}</div>"
    )


def progress(done: int, total: int) -> str:
    """How far the pictures are."""
    said = f"{done:,} of {total:,} molecules drawn and looked at"
    return (
        f"{markup.message('busy', f'{said} (once; the next question is quick) …')}"
        f'<progress class="mc-drawn" max="{total}" value="{done}" aria-label="{said}"></progress>'
    )


def _verdict(found: Compared, total: int) -> str:
    if found.recorded is None:
        return (
            '<p class="mc-facts">The words name no class or role of ChEBI, so nothing here says '
            "which answer is right.</p>"
        )
    right = int(found.recorded.sum())
    of = f"ChEBI records what was asked for {right} of the {total:,} molecules."
    if not right:
        return f'<p class="mc-facts">{of}</p>'
    counts = [
        f"{name} {int(found.recorded[side.order[:_FIRST]].sum())}"
        for name, side in (("open_clip", found.pictures), ("molclip", found.molclip))
        if side is not None
    ]
    chance = number(_FIRST * right / total, 1)
    return (
        f'<p class="mc-read">Of the first {_FIRST}: {", ".join(counts)} (by chance {chance}).</p>'
        f'<p class="mc-facts">{of} What it does not record may still be right.</p>'
    )


def _side(title: str, side: Ranked, found: Compared, records: list[dict[str, Any]]) -> str:
    items = "".join(
        _hit(rank, records[place], float(side.scores[place]), found, place)
        for rank, place in enumerate(side.order[:SHOWN].tolist(), start=1)
    )
    times = (
        f"question {1000 * side.seconds:,.0f} ms · {len(records):,} molecules "
        f"{number(side.preparation, 1)} s, once"
    )
    return (
        f'<section class="mc-side-answer" aria-label="{text(title)}"><h2>{text(title)}</h2>'
        f'<p class="mc-facts">{text(side.name)}</p><p class="mc-facts">{times}</p>'
        f'<ol class="mc-hits">{items}</ol></section>'
    )


def _hit(rank: int, record: dict[str, Any], score: float, found: Compared, place: int) -> str:
    name = str(record.get("name") or record.get("id") or record["smiles"])
    badge = ""
    if found.recorded is not None and found.recorded[place]:
        badge = markup.badge("recorded", "recorded", "ChEBI states this of the molecule")
    return (
        f'<li class="mc-hit"><div class="mc-hit-figure">{drawing(str(record["smiles"]), name)}'
        f'</div><div><span class="mc-rank">{rank}</span> <strong>{text(name)}</strong>'
        f'<p class="mc-score">cosine {number(score, 3)} {badge}</p></div></li>'
    )
