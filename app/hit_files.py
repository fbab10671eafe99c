"""Hits of a search as files: CSV, SDF, or one JSON object."""

from __future__ import annotations

import json
from dataclasses import asdict
from io import StringIO
from typing import TYPE_CHECKING

from molclip.chem.writers import write_jsonl

from .downloads import write_download, write_text

if TYPE_CHECKING:
    from .question import Answer


def write_hits(answer: Answer, name: str) -> str:
    """Write the hits to a file of that name (.csv, .sdf or .json); return its path.

    CSV cells that a spreadsheet would take for a formula get an apostrophe in front.
    """
    if not name.endswith(".json"):
        return write_download(answer.result.records, name)
    lines = StringIO()
    # JSON has no not-a-number; the writer of JSON Lines has an answer to that already.
    write_jsonl(answer.result.records, lines)
    hits = [json.loads(line) for line in lines.getvalue().splitlines()]
    whole = {"read_as": answer.reading.said, "query": asdict(answer.result.query), "hits": hits}
    return write_text(json.dumps(whole, ensure_ascii=False, indent=1), name)
