"""Bytes to lines of text: encodings, line ends, and lines that are too long to be rows."""

import codecs
import io
from collections.abc import Iterator
from typing import Any, NamedTuple

from molclip.chem.readers.source import Source
from molclip.errors import InputError

LINE_CHARACTERS = 16 * 1024 * 1024
_SHOWN = 200
_TOO_LONG = (
    "the line is longer than 16 million characters.",
    "Check that the file has one row per line.",
)
_WIDE = ("utf-16", "utf-32", "utf-7")
LATIN_1_NOTE = "not valid UTF-8; read as Latin-1 (Windows-1252)"
REPLACED_NOTE = "has bytes that do not fit the encoding given; shown as \ufffd"
_BOMS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Line(NamedTuple):
    """One line, with what is to be said about it."""

    text: str
    warnings: tuple[str, ...] = ()
    problem: tuple[str, str] | None = None
    """Reason and hint, where the line cannot be a row."""


def read_lines(source: Source, encoding: str | None = None) -> Iterator[Line]:
    """Yield the lines of a source that count as rows.

    An empty line between others counts, those at the end do not. A line that is too long, or cut
    off by damage to the file, carries its problem; damage between two lines adds a line of its
    own, so that a loss is never silent.

    Raises
    ------
    InputError
        When the encoding named is unknown.
    """
    return _rows(source, Lines(source, encoding))


def _rows(source: Source, lines: "Lines") -> Iterator[Line]:
    empty = 0
    reported = False
    for text in lines:
        if not text.strip():
            empty += 1
            continue
        for _ in range(empty):
            yield Line("")
        empty = 0
        problem = None
        if isinstance(text, _LongLine):
            problem = _TOO_LONG
        elif lines.cut:
            problem = damage_problem(source)
            reported = True
        yield Line(text, lines.take_notes(), problem)
    if source.damage and not reported:
        yield Line("", (), damage_problem(source))


def damage_problem(source: Source) -> tuple[str, str]:
    """Return reason and hint for a row that damage to the file has hit."""
    return (
        f"{source.damage}: this row and all after it are lost.",
        "Copy or download the file again.",
    )


class _LongLine(str):
    """The start of a line that is too long to be a row; the rest of it was skipped."""


class Lines:
    r"""The lines of a source, without their ends.

    Without a named encoding a byte-order mark decides, then the pattern of zero bytes of UTF-16;
    otherwise a line is UTF-8, or Windows-1252 (a superset of Latin-1) where it is not valid
    UTF-8. Line ends are ``\n``, ``\r\n`` or, in a file that has no ``\n``, ``\r``.
    """

    def __init__(self, source: Source, encoding: str | None = None) -> None:
        self._source = source
        self._given = encoding
        self._encoding = _encoding_of(source.head, encoding)
        self._notes: dict[str, None] = {}
        self._ended = True
        wide = self._encoding.startswith(_WIDE)
        self._lines = self._stripped(self._characters() if wide else self._bytes())

    @property
    def cut(self) -> bool:
        """Whether the last line was cut off in the middle by damage to the file."""
        return self._source.damage is not None and not self._ended

    def __iter__(self) -> Iterator[str]:
        return self._lines

    def __next__(self) -> str:
        return next(self._lines)

    def take_notes(self) -> tuple[str, ...]:
        """Return what went wrong in decoding since the last call."""
        if not self._notes:
            return ()
        notes = tuple(self._notes)
        self._notes.clear()
        return notes

    def _stripped(self, lines: Iterator[str]) -> Iterator[str]:
        long = False
        for line in lines:
            self._ended = line.endswith("\n")
            if not self._ended and len(line) >= LINE_CHARACTERS:
                if not long:
                    yield _LongLine(line[:_SHOWN])
                long = True
                continue
            if long:  # the tail of the line that was too long
                long = False
                continue
            yield line.rstrip("\r\n")

    def _characters(self) -> Iterator[str]:
        wrapper = io.TextIOWrapper(self._source.stream, self._encoding, errors="replace")
        while line := wrapper.readline(LINE_CHARACTERS):
            yield line.removeprefix("\ufeff")

    def _bytes(self) -> Iterator[str]:
        first = True
        stream = self._source.stream
        if b"\r" in self._source.head and b"\n" not in self._source.head:
            stream = io.BufferedReader(_CarriageReturns(stream))
        while line := stream.readline(LINE_CHARACTERS):
            yield self._decode(line.removeprefix(codecs.BOM_UTF8) if first else line)
            first = False

    def _decode(self, line: bytes) -> str:
        if self._given is not None:
            text = line.decode(self._encoding, errors="replace")
            if "\ufffd" in text:
                self._notes[REPLACED_NOTE] = None
            return text
        try:
            return line.decode("utf-8")
        except UnicodeDecodeError:
            self._notes[LATIN_1_NOTE] = None
        try:
            return line.decode("cp1252")
        except UnicodeDecodeError:
            return line.decode("latin-1")


class _CarriageReturns(io.RawIOBase):
    """A stream of old Macintosh lines, which end with a carriage return alone."""

    def __init__(self, stream: io.BufferedReader) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        data = self._stream.read1(len(buffer)).replace(b"\r", b"\n")
        buffer[: len(data)] = data
        return len(data)


def decode_head(head: bytes) -> str:
    """Return the first bytes of a file as text, good enough to tell its format."""
    return head.decode(_encoding_of(head, None), errors="replace").removeprefix("\ufeff")


def _encoding_of(head: bytes, given: str | None) -> str:
    if given is not None:
        try:
            return codecs.lookup(given).name
        except LookupError:
            raise InputError(
                f"Unknown encoding {given!r}.", "Use a name such as utf-8, latin-1 or utf-16."
            ) from None
    for bom, name in _BOMS:
        if head.startswith(bom):
            return name
    start = head[:1024]
    if len(start) > 3 and start[1::2].count(0) > len(start) // 4:
        return "utf-16-le"
    if len(start) > 3 and start[0::2].count(0) > len(start) // 4:
        return "utf-16-be"
    return "utf-8"
