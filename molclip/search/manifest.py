"""What one version of a library consists of, as a JSON file that is replaced in one step."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from molclip.errors import LibraryError
from molclip.search.report import BuildReport

MANIFEST_FILE = "manifest.json"
FORMAT = 1


@dataclass(frozen=True)
class Segment:
    """Rows that were written together; never changed afterwards."""

    name: str
    """Its files are `segments/<name>.arrow`, `.names.arrow` and `.safetensors`."""
    rows: int
    vectors: str | None = None
    """Path of a vector file outside the library (the shipped one of the embedded library)."""


@dataclass
class Manifest:
    """Everything a reader needs to see one whole version."""

    model_name: str
    model_hash: str
    dimension: int
    standardisation: str = "none"
    feature_version: str = ""
    rdkit_version: str = ""
    molclip_version: str = ""
    source: str = ""
    created: str = ""
    version: int = 1
    table_version: int = 0
    """Version of the Lance table that belongs to this one."""
    columns: dict[str, str] = field(default_factory=dict)
    """Columns of the rows with their types, those of the user included."""
    segments: list[Segment] = field(default_factory=list)
    dead_file: str | None = None
    """Row numbers that were replaced, a NumPy file; None when there are none."""
    dead_rows: int = 0
    ids_given: int = 0
    """Counts the ids made up for rows of iterables, so that none is given twice."""
    report: BuildReport = field(default_factory=BuildReport)
    embedded: bool = False
    format: int = FORMAT

    @property
    def rows(self) -> int:
        """Rows that can be found."""
        return sum(segment.rows for segment in self.segments) - self.dead_rows

    def write(self, folder: Path) -> None:
        """Put this version in place of the one before, in one step."""
        replace_json(folder / MANIFEST_FILE, asdict(self))

    @classmethod
    def read(cls, folder: Path) -> Manifest:
        """Read the manifest of a library.

        Raises
        ------
        LibraryError
            When there is none, or it was written by a later format.
        """
        path = folder / MANIFEST_FILE
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise _absent(folder) from None
        except (OSError, ValueError) as error:
            raise LibraryError(
                f"The manifest {path} cannot be read: {error}.", "Build the library again."
            ) from error
        if values.get("format") != FORMAT:
            raise LibraryError(
                f"{folder} is a library of format {values.get('format')}, this molclip reads "
                f"format {FORMAT}.",
                "Use the molclip that wrote it, or build it again.",
            )
        try:
            values["segments"] = [Segment(**segment) for segment in values["segments"]]
            values["report"] = BuildReport(**values["report"])
            return cls(**values)
        except (KeyError, TypeError) as error:
            raise LibraryError(
                f"The manifest {path} is damaged: {error}.", "Build the library again."
            ) from error


def _absent(folder: Path) -> LibraryError:
    if folder.with_name(folder.name + ".partial").is_dir():
        return LibraryError(
            f"{folder} was begun but not finished.",
            "Run the same build again; it goes on from the last finished batch.",
        )
    if folder.exists():
        return LibraryError(
            f"{folder} is no molclip library: it has no {MANIFEST_FILE}.",
            "Give the folder that `molclip library build` made.",
        )
    return LibraryError(
        f"There is no library at {folder}.", "Make one with `molclip library build`."
    )


def replace_json(path: Path, values: dict[str, Any]) -> None:
    """Write JSON so that a reader, or a kill, meets the old file or the new one, never half."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    with draft.open("w", encoding="utf-8") as file:
        json.dump(values, file, ensure_ascii=False, indent=1)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
