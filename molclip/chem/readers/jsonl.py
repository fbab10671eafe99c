"""JSON Lines: an object per line, or a structure as a bare string."""

import json
from collections.abc import Iterator

from molclip.chem.readers.columns import made_up_title
from molclip.chem.readers.lines import read_lines
from molclip.chem.readers.record import Records, Wanted
from molclip.chem.readers.source import Source
from molclip.chem.readers.table import Row, as_text, table_records


def read_jsonl(source: Source, wanted: Wanted, encoding: str | None) -> Records:
    """Read one JSON object per line; a line that is none becomes a failure in its place.

    Raises
    ------
    InputError
        When no key holds structures, or one that was named is missing.
    """
    return table_records(
        _rows(source, encoding),
        format="jsonl",
        file=source.name,
        shown=source.shown,
        wanted=wanted,
    )


def _rows(source: Source, encoding: str | None) -> Iterator[Row]:
    for line in read_lines(source, encoding):
        if line.problem is not None:
            yield Row({}, line.text, line.warnings, line.problem)
            continue
        try:
            value = json.loads(line.text) if line.text else ""
        except (ValueError, RecursionError) as error:
            problem = (
                f"the line is not valid JSON: {error}.",
                "Write one JSON object on each line.",
            )
            yield Row({}, line.text, line.warnings, problem)
            continue
        if isinstance(value, dict):
            yield Row({key: as_text(cell) for key, cell in value.items()}, line.text, line.warnings)
        elif isinstance(value, str):
            yield Row({made_up_title(1): value}, line.text, line.warnings)
        else:
            problem = (
                f"the line holds a JSON {type(value).__name__}, not an object.",
                'Write one object on each line, such as {"smiles": "CCO", "id": "1"}.',
            )
            yield Row({}, line.text, line.warnings, problem)
