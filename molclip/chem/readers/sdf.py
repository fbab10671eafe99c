"""SD files and mol files, split line by line so that one bad record spoils no other."""

import re
from collections.abc import Iterator
from itertools import chain, islice
from typing import NamedTuple

from molclip.chem.molecule import ParseFailure
from molclip.chem.readers.columns import (
    ID_TITLES,
    NAME_TITLES,
    looks_like_identifier,
    named_column,
    plain_title,
)
from molclip.chem.readers.lines import Lines, damage_problem
from molclip.chem.readers.record import Record, Records, Wanted
from molclip.chem.readers.source import Source
from molclip.errors import InputError

NO_NAME = "(no name)"

_COUNTS = re.compile(r"[ \d]{6}.*V[23]000\s*")
_COUNTS_LINE = 3  # its index in a record: a title, a program line and a comment go before
_HEADER = re.compile(r">[^<]*<(.*)>")
_SAMPLE = 100
_MOST_CHARACTERS = 64 * 1024 * 1024
_TOO_LONG = (
    "the record is longer than 64 million characters.",
    "Check that the records are separated by $$$$.",
)


class _Part(NamedTuple):
    lines: list[str]
    warnings: tuple[str, ...] = ()
    problem: tuple[str, str] | None = None


def read_sdf(source: Source, wanted: Wanted, encoding: str | None) -> Records:
    """Read the records of an SD file, or the one of a mol file.

    The title line is the name, unless a data field is called so; it is the id too where it looks
    like one. A missing `$$$$` between records or at the end is noticed and mended.

    Raises
    ------
    InputError
        When a structure column is named, or no early record has the data field named for id or
        name.
    """
    if wanted.structure is not None:
        raise InputError(
            f"{source.shown} is an SD file: its structures are its records, not a column.",
            "Leave the structure column out.",
        )
    parts = _parts(Lines(source, encoding), source)
    sample = [(part, *_fields(part.lines)) for part in islice(parts, _SAMPLE)]
    titles = list(dict.fromkeys(title for _, _, fields, _ in sample for title in fields))
    columns = {
        "id": named_column(wanted.id, titles, "id", source.shown),
        "name": named_column(wanted.name, titles, "name", source.shown),
    }
    rest = ((part, *_fields(part.lines)) for part in parts)
    return Records(
        rows=_records(chain(sample, rest), columns["id"], columns["name"], source.name),
        file=source.name,
        format="sdf",
        columns={"structure": None, **columns},
    )


_Parsed = tuple[_Part, str, dict[str, str], list[str]]


def _records(
    parts: Iterator[_Parsed], id_title: str | None, name_title: str | None, file: str | None
) -> Iterator[Record | ParseFailure]:
    for row, (part, block, fields, warnings) in enumerate(parts, start=1):
        title = block.partition("\n")[0].strip() or None
        id_field = id_title or _first(ID_TITLES, fields)
        name_field = name_title or _first(NAME_TITLES, fields)
        identifier = _value(fields, id_field)
        if identifier is None and title is not None and looks_like_identifier(title):
            identifier = title
        record = Record(
            file=file,
            row=row,
            id=identifier,
            name=_value(fields, name_field) or title,
            text=block,
            format="molblock",
            properties={k: v for k, v in fields.items() if k not in (id_field, name_field)},
            warnings=(*part.warnings, *warnings),
        )
        yield record if part.problem is None else record.failure(*part.problem)


def _parts(lines: Lines, source: Source) -> Iterator[_Part]:
    """Split lines into records, without the lines that separate them."""
    part: list[str] = []
    size = 0
    notes: tuple[str, ...] = ()
    for text in lines:
        if text.startswith("$$$$"):
            if size <= _MOST_CHARACTERS:
                yield _Part(part, (*notes, *lines.take_notes()))
            part, size, notes = [], 0, ()
            continue
        if size > _MOST_CHARACTERS:  # already reported: skip to the next record
            continue
        part.append(text)
        size += len(text) + 1
        if size > _MOST_CHARACTERS:
            yield _Part(part[:_SAMPLE], notes, _TOO_LONG)
            part = []
        elif "000" in text and _begins_anew(part):
            yield _Part(part[: -_COUNTS_LINE - 1], (*notes, *lines.take_notes()))
            part = part[-_COUNTS_LINE - 1 :]
            size = sum(map(len, part))
            notes = ("the separator $$$$ before this record is missing",)
    left = any(text.strip() for text in part)
    if source.damage is not None:
        yield _Part(part, notes, damage_problem(source))
    elif left and size <= _MOST_CHARACTERS:
        yield _Part(part, (*notes, *lines.take_notes()))


def _begins_anew(part: list[str]) -> bool:
    """Tell whether the last line is the counts line of another record.

    A data field may hold a mol block too; its first line then follows the field's header.
    """
    return (
        len(part) > 2 * _COUNTS_LINE
        and _COUNTS.fullmatch(part[-1]) is not None
        and not part[-_COUNTS_LINE - 2].startswith(">")
    )


def _fields(lines: list[str]) -> tuple[str, dict[str, str], list[str]]:
    """Return the mol block, the data fields, and what is odd about them."""
    end = next(
        (i + 1 for i, text in enumerate(lines) if text.startswith("M  END")),
        next((i for i, text in enumerate(lines) if _HEADER.match(text)), len(lines)),
    )
    block = "\n".join(lines[:end]) + "\n"
    fields: dict[str, str] = {}
    warnings: list[str] = []
    title: str | None = None
    closed = False
    for text in lines[end:]:
        header = _HEADER.match(text)
        if header is not None or (text.startswith(">") and (closed or title is None)):
            written = header[1] if header is not None else text[1:]
            title = _new_title(written.strip(), fields, warnings)
            fields[title] = ""
            closed = False
        elif not text.strip():
            closed = True
        elif title is None:
            warnings.append("text between the structure and the data fields was left out")
        else:
            if closed:
                warnings.append(f"the data field {title!r} has an empty line in it")
            glue = "\n\n" if closed else "\n"
            fields[title] = f"{fields[title]}{glue}{text}" if fields[title] else text
            closed = False
    return block, fields, list(dict.fromkeys(warnings))


def _new_title(written: str, fields: dict[str, str], warnings: list[str]) -> str:
    base = title = written or NO_NAME
    if not written:
        warnings.append(f"a data field has no name; kept as {NO_NAME!r}")
    count = 1
    while title in fields:
        count += 1
        title = f"{base} ({count})"
    if count > 1 and written:
        warnings.append(f"the data field {base!r} occurs more than once; kept as {title!r}")
    return title


def _first(known: tuple[str, ...], fields: dict[str, str]) -> str | None:
    plain = {plain_title(title): title for title in reversed(fields)}
    return next((plain[title] for title in known if title in plain), None)


def _value(fields: dict[str, str], title: str | None) -> str | None:
    return (fields.get(title, "").strip() or None) if title is not None else None
