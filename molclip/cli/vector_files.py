"""Vectors to .npy, .npz and .parquet, written as they come and put in place at the end."""

from __future__ import annotations

import zipfile
from abc import ABC, abstractmethod
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError

if TYPE_CHECKING:
    from molclip.chem.molecule import Molecule
    from molclip.cli.domain import Verdict
    from molclip.models.molclip import MoleculeEmbeddings

INFORMATION = ("id", "name", "smiles", "failure")


def open_vector_file(
    path: Path, dimension: int, model_hash: str, compared: bool = False
) -> VectorFile:
    """Writer for a path; its extension says the format.

    Parameters
    ----------
    path
        .npy, .npz or .parquet.
    dimension
        Width D of the vectors.
    model_hash
        Written into formats that have a place for it.
    compared
        Whether rows come with what `--domain` says of them.

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
        return kind(path, dimension, model_hash, compared)
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
    compared
        Whether rows come with the columns of the applicability domain.
    """

    def __init__(self, path: Path, dimension: int, model_hash: str, compared: bool = False) -> None:
        self.path = path
        self.dimension = dimension
        self.model_hash = model_hash
        self.compared = compared
        self.rows = 0
        self.part = path.with_name(path.name + ".part")
        self.begin()

    @abstractmethod
    def begin(self) -> None:
        """Open the draft."""

    @abstractmethod
    def append(self, block: MoleculeEmbeddings, verdicts: Sequence[Verdict] | None) -> None:
        """Write the rows of a block."""

    @abstractmethod
    def finish(self, whole: bool) -> None:
        """Close the draft; complete it when `whole`."""

    def write(self, block: MoleculeEmbeddings, verdicts: Sequence[Verdict] | None = None) -> None:
        """Append a block, float32 ``(n, D)`` with its molecules and what is said of each."""
        self.append(block, verdicts)
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

    def append(
        self,
        block: MoleculeEmbeddings,
        verdicts: Sequence[Verdict] | None,  # noqa: ARG002 - there is no place for them
    ) -> None:
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
    """Arrays `vectors`, `row`, `id`, `name`, `smiles`, `failure`, and `model_hash`.

    Compared rows also have `domain`, and `similarity`, float64 with NaN where there is none.
    """

    def begin(self) -> None:
        """Keep the vectors in a draft of their own; texts stay in memory."""
        self._vectors = NpyFile(self.part, self.dimension, self.model_hash)
        names = ("row", *INFORMATION, *(("domain",) if self.compared else ()))
        self._texts: dict[str, list[Any]] = {name: [] for name in names}
        self._similarities: list[float] = []

    def append(self, block: MoleculeEmbeddings, verdicts: Sequence[Verdict] | None) -> None:
        """Write the vectors, remember the texts."""
        self._vectors.write(block)
        for values in _rows(block, verdicts):
            similarity = values.pop("similarity", None)
            self._similarities.append(np.nan if similarity is None else similarity)
            for name, value in values.items():
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
                    if self.compared:
                        arrays["similarity"] = np.array(self._similarities, dtype=np.float64)
                    for name, values in {**arrays, "model_hash": np.array(self.model_hash)}.items():
                        with archive.open(f"{name}.npy", "w", force_zip64=True) as stream:
                            np.lib.format.write_array(stream, values, allow_pickle=False)
        finally:
            draft.unlink(missing_ok=True)


class ParquetFile(VectorFile):
    """Columns row, id, name, smiles, failure and vector (fixed-size list of float32).

    Compared rows also have domain and similarity.
    """

    def begin(self) -> None:
        """Open the draft; the model's hash goes into the metadata."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        fields = [("row", pa.int64()), *((name, pa.string()) for name in INFORMATION)]
        if self.compared:
            fields += [("domain", pa.string()), ("similarity", pa.float64())]
        self._names = [name for name, _ in fields]
        fields.append(("vector", pa.list_(pa.float32(), self.dimension)))
        self._schema = pa.schema(fields, metadata={"molclip_model_hash": self.model_hash})
        self._writer: Any = pq.ParquetWriter(self.part, self._schema)

    def append(self, block: MoleculeEmbeddings, verdicts: Sequence[Verdict] | None) -> None:
        """Write one row group."""
        import pyarrow as pa

        rows = _rows(block, verdicts)
        columns: list[Any] = [
            pa.array([row[name] for row in rows], self._schema.field(name).type)
            for name in self._names
        ]
        flat = pa.array(np.ascontiguousarray(block.vectors).reshape(-1), pa.float32())
        columns.append(pa.FixedSizeListArray.from_arrays(flat, self.dimension))
        self._writer.write_batch(pa.RecordBatch.from_arrays(columns, schema=self._schema))

    def finish(self, whole: bool) -> None:  # noqa: ARG002 - half a draft is thrown away
        """Write the footer."""
        self._writer.close()


def _rows(block: MoleculeEmbeddings, verdicts: Sequence[Verdict] | None) -> list[dict[str, Any]]:
    rows = [information(item) for item in block.molecules]
    for row, verdict in zip(rows, verdicts or (), strict=verdicts is not None):
        row["domain"] = getattr(verdict, "status", None)
        row["similarity"] = getattr(verdict, "similarity", None)
    return rows


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
