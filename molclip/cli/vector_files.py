"""Vectors to .npy, .npz and .parquet, written as they come and put in place at the end."""

from __future__ import annotations

import zipfile
from abc import ABC, abstractmethod
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule
    from molclip.models.molclip import MoleculeEmbeddings

INFORMATION = ("id", "name", "smiles", "failure")


def open_vector_file(path: Path, dimension: int, model_hash: str) -> VectorFile:
    """Writer for a path; its extension says the format.

    Parameters
    ----------
    path
        .npy, .npz or .parquet.
    dimension
        Width D of the vectors.
    model_hash
        Written into formats that have a place for it.

    Raises
    ------
    InputError
        For another extension or a folder that is missing.
    """
    kinds: dict[str, type[VectorFile]] = {
        ".npy": NpyFile,
        ".npz": NpzFile,
        ".parquet": ParquetFile,
    }
    kind = kinds.get(path.suffix.lower())
    if kind is None:
        raise InputError(
            f"Vectors cannot be written as {path.name}.", f"Use one of {', '.join(kinds)}."
        )
    if not path.absolute().parent.is_dir():
        raise InputError(f"There is no folder {path.parent}.", "Make it first.")
    try:
        return kind(path, dimension, model_hash)
    except OSError as error:
        raise InputError(
            f"{path} cannot be written: {error.strerror}.", "Check the folder and its permissions."
        ) from None


class VectorFile(ABC):
    """A file of vectors; what was there before stays until the new file is whole.

    Parameters
    ----------
    path
        The file.
    dimension
        Width D of the vectors.
    model_hash
        Of the model that made them.
    """

    def __init__(self, path: Path, dimension: int, model_hash: str) -> None:
        self.path = path
        self.dimension = dimension
        self.model_hash = model_hash
        self.rows = 0
        self.part = path.with_name(path.name + ".part")
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Open the draft."""

    @abstractmethod
    def append(self, block: MoleculeEmbeddings) -> None:
        """Write the rows of a block."""

    @abstractmethod
    def finish(self, whole: bool) -> None:
        """Close the draft; complete it when `whole`."""

    def write(self, block: MoleculeEmbeddings) -> None:
        """Append a block, float32 ``(n, D)`` with its molecules."""
        self.append(block)
        self.rows += len(block)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self.finish(whole=kind is None)
            if kind is None:
                self.part.replace(self.path)
        finally:
            self.part.unlink(missing_ok=True)


class NpyFile(VectorFile):
    """One float32 array ``(N, D)``."""

    def begin(self) -> None:
        """Open the draft with a header that is written again when N is known."""
        self._stream = self.part.open("w+b")
        self._header()

    def append(self, block: MoleculeEmbeddings) -> None:
        """Write the rows as they lie in memory."""
        self._stream.write(np.ascontiguousarray(block.vectors, dtype="<f4").tobytes())

    def finish(self, whole: bool) -> None:
        """Put the number of rows into the header."""
        if whole:
            self._stream.seek(0)
            self._header()
        self._stream.close()

    def _header(self) -> None:
        # NumPy pads headers so that the first dimension can grow without moving the data.
        np.lib.format.write_array_header_1_0(
            self._stream,
            {"descr": "<f4", "fortran_order": False, "shape": (self.rows, self.dimension)},
        )


class NpzFile(VectorFile):
    """Arrays `vectors`, `row`, `id`, `name`, `smiles`, `failure`, and `model_hash`."""

    def begin(self) -> None:
        """Keep the vectors in a draft of their own; texts stay in memory."""
        self._vectors = NpyFile(self.part, self.dimension, self.model_hash)
        self._texts: dict[str, list[Any]] = {name: [] for name in ("row", *INFORMATION)}

    def append(self, block: MoleculeEmbeddings) -> None:
        """Write the vectors, remember the texts."""
        self._vectors.write(block)
        for item in block.molecules:
            for name, value in information(item).items():
                self._texts[name].append("" if value is None else value)

    def finish(self, whole: bool) -> None:
        """Pack everything into one archive."""
        self._vectors.finish(whole)
        draft = self._vectors.part
        try:
            if whole:
                with zipfile.ZipFile(self.part, "w", zipfile.ZIP_STORED) as archive:
                    archive.write(draft, "vectors.npy")
                    arrays = {
                        n: np.array(v) if v else np.array([], "U1") for n, v in self._texts.items()
                    }
                    arrays["row"] = np.array(self._texts["row"], dtype=np.int64)
                    for name, values in {**arrays, "model_hash": np.array(self.model_hash)}.items():
                        with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                            np.lib.format.write_array(stream, values, allow_pickle=False)
        finally:
            draft.unlink(missing_ok=True)


class ParquetFile(VectorFile):
    """Columns row, id, name, smiles, failure and vector (fixed-size list of float32)."""

    def begin(self) -> None:
        """Open the draft; the model's hash goes into the metadata."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        fields = [("row", pa.int64()), *((name, pa.string()) for name in INFORMATION)]
        fields.append(("vector", pa.list_(pa.float32(), self.dimension)))
        self._schema = pa.schema(fields, metadata={"molclip_model_hash": self.model_hash})
        self._writer: Any = pq.ParquetWriter(self.part, self._schema)

    def append(self, block: MoleculeEmbeddings) -> None:
        """Write one row group."""
        import pyarrow as pa

        rows = [information(item) for item in block.molecules]
        columns: list[Any] = [
            pa.array([row[name] for row in rows], self._schema.field(name).type)
            for name in ("row", *INFORMATION)
        ]
        flat = pa.array(np.ascontiguousarray(block.vectors).reshape(-1), pa.float32())
        columns.append(pa.FixedSizeListArray.from_arrays(flat, self.dimension))
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def finish(self, whole: bool) -> None:  # noqa: ARG002 - half a draft is thrown away
        """Write the footer."""
        self._writer.close()


def information(item: Molecule | ParseFailure) -> dict[str, Any]:
    """What stands beside a vector: row, id, name, SMILES, or the reason why there is none."""
    failed = isinstance(item, ParseFailure)
    return {
        "row": item.row,
        "id": item.id,
        "name": item.name,
        "smiles": None if isinstance(item, ParseFailure) else item.smiles,
        "failure": f"{item.reason} {item.hint}".strip() if failed else None,
    }
