"""Where bytes come from: a path, standard input or an open file; plain or gzipped.

A damaged gzip file is read as far as it goes; what was wrong is kept in `Source.damage` for the
reader to report after the last whole row.
"""

import gzip
import io
import shutil
import sys
import tempfile
import zlib
from os import PathLike
from pathlib import Path
from typing import IO, Any, Protocol, cast

from molclip.errors import InputError

HEAD_BYTES = 65536
_GZIP_MAGIC = b"\x1f\x8b"
_BLANK = b"\x00 \t\r\n\xef\xbb\xbf\xff\xfe"

PathOrFile = str | PathLike[str] | IO[bytes] | IO[str]


class Source:
    """Bytes of one input, decompressed, with a look at the first of them.

    Parameters
    ----------
    origin
        A path, "-" for standard input, or an open file (bytes or text).

    Raises
    ------
    InputError
        When the path is missing, a folder, or unreadable, or the input is empty.
    """

    def __init__(self, origin: PathOrFile) -> None:
        self.path: Path | None = None
        self.damage: str | None = None
        """What was wrong with the compressed data; set when reading meets it."""
        self._owned: list[IO[bytes]] = []
        self.head, self.stream = _look(self._open(origin))
        self._gzipped = self.head.startswith(_GZIP_MAGIC)
        if self._gzipped:
            self.head, self.stream = _look(_Gunzip(self.stream, self))
        if len(self.head) < HEAD_BYTES and not self.head.strip(_BLANK):
            self.close()
            raise InputError(
                f"{self.shown} is empty{': ' + self.damage if self.damage else ''}.",
                "Give a file with at least one row.",
            )

    def _open(self, origin: PathOrFile) -> "_Readable":
        if origin == "-":
            self.shown, self.name = "standard input", "-"
            return sys.stdin.buffer
        if isinstance(origin, str | PathLike):
            self.path = Path(origin)
            self.shown = self.name = str(self.path)
            return self._open_path(self.path)
        label = getattr(origin, "name", None)
        self.name = label if isinstance(label, str) else "-"
        self.shown = self.name if self.name != "-" else "the input"
        if isinstance(origin.read(0), str):
            buffer: IO[bytes] | None = getattr(origin, "buffer", None)
            return buffer or io.BytesIO(cast("IO[str]", origin).read().encode())
        return cast("IO[bytes]", origin)

    def _open_path(self, path: Path) -> IO[bytes]:
        try:
            opened = path.open("rb")
        except FileNotFoundError:
            raise InputError(f"There is no file {self.shown}.", _near(path)) from None
        except IsADirectoryError:
            raise InputError(
                f"{self.shown} is a folder.", "Name a file in it, or several files."
            ) from None
        except OSError as error:
            raise InputError(
                f"{self.shown} cannot be read: {error.strerror}.", "Check the path and permissions."
            ) from None
        self._owned.append(opened)
        return opened

    def seekable(self) -> IO[bytes]:
        """Return the bytes as a file that can seek, by way of a temporary file if need be.

        Raises
        ------
        InputError
            When the compressed data is damaged: such formats need the end of the file.
        """
        if self.path is not None and not self._gzipped:
            return self._open_path(self.path)
        spool = cast("IO[bytes]", tempfile.TemporaryFile())  # noqa: SIM115 - close() does
        self._owned.append(spool)
        shutil.copyfileobj(self.stream, spool)
        if self.damage:
            raise InputError(f"{self.shown} cannot be read: {self.damage}.", "Copy it again.")
        spool.seek(0)
        return spool

    def close(self) -> None:
        """Close what was opened here; a file object of the caller stays open."""
        for opened in self._owned:
            opened.close()


class _Readable(Protocol):
    def read(self, size: int = ..., /) -> bytes: ...


class _Rest(io.RawIOBase):
    """A stream whose first bytes have been read already, made whole again."""

    def __init__(self, head: bytes, rest: _Readable) -> None:
        self._head = head
        self._rest = rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        size = len(buffer)
        data = self._head[:size] if self._head else self._rest.read(size)
        self._head = self._head[size:]
        buffer[: len(data)] = data
        return len(data)


def _look(raw: _Readable) -> tuple[bytes, io.BufferedReader]:
    """Return the first bytes (fewer only where the input is shorter) and the whole stream."""
    head = b""
    while len(head) < HEAD_BYTES and (more := raw.read(HEAD_BYTES - len(head))):
        head += more
    return head, io.BufferedReader(_Rest(head, raw), HEAD_BYTES)


class _Gunzip:
    """Decompresses as far as the data goes, and notes what is wrong instead of raising."""

    def __init__(self, raw: io.BufferedReader, source: Source) -> None:
        self._file = gzip.GzipFile(fileobj=raw, mode="rb")
        self._source = source

    def read(self, size: int = -1, /) -> bytes:
        if self._source.damage:
            return b""
        try:
            return self._file.read1(size)
        except EOFError:
            self._source.damage = "the compressed file is cut off before its end"
        except (zlib.error, gzip.BadGzipFile) as error:
            self._source.damage = f"the compressed data is damaged ({error})"
        return b""


def _near(path: Path) -> str:
    import difflib

    try:
        siblings = [entry.name for entry in path.parent.iterdir()]
    except OSError:
        return f"There is no folder {path.parent} either; check the path."
    near = difflib.get_close_matches(path.name, siblings, n=3, cutoff=0.6)
    return f"Did you mean {' or '.join(near)}?" if near else "Check the path."
