"""Rows without an answer: counted, listed in a file on request, and kept, skipped or fatal."""

import csv
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import Literal, Self, TypeVar, get_args

from molclip.chem.molecule import ParseFailure
from molclip.chem.writers import open_for_writing, safe_cell
from molclip.errors import InputError, InvalidRowError

OnInvalid = Literal["keep", "skip", "raise"]
FIELDS = ("file", "row", "id", "name", "input", "reason", "hint")

T = TypeVar("T")


class FailureLog:
    """Counts what passes, writes failures to a file, and applies `on_invalid`.

    Parameters
    ----------
    path
        A `.csv` or `.jsonl` file for the failures, or None. It is written row by row, so an
        interrupted run leaves what it found; it is written even when nothing fails.
    on_invalid
        `keep` passes failures on in their place, `skip` leaves them out, `raise` stops at the
        first.

    Raises
    ------
    InputError
        When the file's extension is neither, it cannot be written, or `on_invalid` is unknown.

    Examples
    --------
    >>> from molclip.chem.parse import parse_molecule
    >>> with FailureLog(on_invalid="skip") as log:
    ...     kept = list(log.watch([parse_molecule("CCO"), parse_molecule("c1cc1", row=2)]))
    >>> len(kept), log.summary()
    (1, '2 rows: 1 answered, 1 failed (1 × the aromatic ring cannot be kekulized).')
    """

    def __init__(
        self, path: str | PathLike[str] | None = None, on_invalid: OnInvalid = "keep"
    ) -> None:
        if on_invalid not in get_args(OnInvalid):
            raise InputError(
                f"Unknown on_invalid {on_invalid!r}.",
                f"Use one of {', '.join(get_args(OnInvalid))}.",
            )
        self.rows = 0
        self.kinds: Counter[str] = Counter()
        """How many rows failed in each way."""
        self.remarks: Counter[str] = Counter()
        """How many answered rows carry each kind of warning (`Molecule.warnings`)."""
        self._on_invalid = on_invalid
        self._file = None if path is None else _FailureFile(Path(path))

    @property
    def failed(self) -> int:
        """Number of failures so far."""
        return self.kinds.total()

    def watch(self, items: Iterable[T | ParseFailure]) -> Iterator[T | ParseFailure]:
        """Pass rows on, by the rule of `on_invalid`.

        Raises
        ------
        InvalidRowError
            At the first failure, where `on_invalid` is `raise`.
        """
        for item in items:
            self.rows += 1
            if not isinstance(item, ParseFailure):
                molecule = item[0] if isinstance(item, tuple) and item else item
                self.remarks.update(kinds_of(getattr(molecule, "warnings", ())))
                yield item
                continue
            self.kinds[item.kind] += 1
            if self._file is not None:
                self._file.write(item)
            if self._on_invalid == "raise":
                raise InvalidRowError(
                    str(item), "Mend the row, or let it pass with --on-invalid keep or skip."
                )
            if self._on_invalid == "keep":
                yield item

    def summary(self) -> str:
        """Return a sentence of rows, answers and failures by kind; one of warnings if any."""
        rows = f"{self.rows:,} row{'' if self.rows == 1 else 's'}"
        if self.failed:
            kinds = counted(self.kinds)
            counts = f"{self.rows - self.failed:,} answered, {self.failed:,} failed ({kinds})."
        else:
            counts = "all answered."
        noted = f" Of note: {counted(self.remarks)}." if self.remarks else ""
        return f"{rows}: {counts}{noted}"

    def close(self) -> None:
        """Close the failures file, if there is one."""
        if self._file is not None:
            self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def kinds_of(warnings: Iterable[str]) -> set[str]:
    """Kinds of the warnings of one row, each once: what stands before the colon."""
    return {warning.partition(":")[0] for warning in warnings}


def counted(kinds: Mapping[str, int]) -> str:
    """Return kinds with their numbers in words, the most frequent first: `3 × empty, 1 × …`."""
    return ", ".join(f"{count:,} × {kind}" for kind, count in Counter(kinds).most_common())


class _FailureFile:
    """A failures file, one line per failure, each on disk as soon as it is known."""

    def __init__(self, path: Path) -> None:
        self._as_json = path.suffix.lower() == ".jsonl"
        if not self._as_json and path.suffix.lower() != ".csv":
            raise InputError(f"A failures file cannot be {path.name}.", "Use .csv or .jsonl.")
        self._stream = open_for_writing(path)
        self._table = csv.DictWriter(self._stream, FIELDS)
        if not self._as_json:
            self._table.writeheader()

    def write(self, failure: ParseFailure) -> None:
        fields = failure.to_dict()
        if self._as_json:
            self._stream.write(json.dumps(fields, ensure_ascii=False) + "\n")
        else:
            self._table.writerow({key: safe_cell(value) for key, value in fields.items()})
        self._stream.flush()

    def close(self) -> None:
        self._stream.close()
