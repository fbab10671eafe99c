"""Unit vectors on disk, memory-mapped, and the exact cosine ranking over them.

A file is safetensors with two tensors: `vectors`, `(N, D)` float16 or int8, and `factors`, `(N,)`
float32, the reciprocal norm of each stored row. The cosine of a unit query with row i is
`(vectors[i] @ query) * factors[i]` for either type, so int8 needs no scale of its own.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from molclip.errors import LibraryError

Float32 = npt.NDArray[np.float32]
StorageType = Literal["float16", "int8"]

_TAGS = {"float16": "F16", "int8": "I8"}
_TYPES: dict[str, type[Any]] = {"F16": np.float16, "I8": np.int8}
_CHUNK = 4096
# Bound on |float16 product - cosine|: both factors and the result are rounded to 11 bits.
_HALF_ERROR = 1.5e-3


def quantise(vectors: Float32, storage: StorageType) -> npt.NDArray[Any]:
    """Rows in their storage type.

    Parameters
    ----------
    vectors
        Shape `(N, D)`, float32, no NaN.
    storage
        `float16`, or `int8`: each row scaled so that its largest entry becomes 127.
    """
    if storage == "float16":
        return vectors.astype(np.float16)
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = np.rint(vectors * (127.0 / np.maximum(largest, 1e-30)))
    return np.asarray(scaled, dtype=np.int8)


def write_vectors(
    path: Path,
    blocks: Iterable[Float32],
    rows: int,
    dimension: int,
    storage: StorageType = "float16",
    metadata: dict[str, str] | None = None,
) -> None:
    """Write vectors block by block, in constant memory.

    Raises
    ------
    ValueError
        When the blocks do not add up to `rows` rows of `dimension` finite numbers.
    """
    width = np.dtype(storage).itemsize
    size = rows * dimension * width
    # Factors first: float32 must start at a multiple of four bytes.
    header: dict[str, Any] = {
        "factors": {"dtype": "F32", "shape": [rows], "data_offsets": [0, 4 * rows]},
        "vectors": {
            "dtype": _TAGS[storage],
            "shape": [rows, dimension],
            "data_offsets": [4 * rows, 4 * rows + size],
        },
    }
    if metadata:
        header = {"__metadata__": dict(sorted(metadata.items())), **header}
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    factors = np.empty(rows, dtype=np.float32)
    done = 0
    try:
        with path.open("wb") as file:
            file.write(struct.pack("<Q", len(text)) + text)
            file.seek(4 * rows, 1)
            for block in blocks:
                if block.ndim != 2 or block.shape[1] != dimension or not np.isfinite(block).all():
                    raise ValueError(f"vectors must be finite and {dimension} wide")
                if done + len(block) > rows:
                    raise ValueError(f"more than {rows} rows")
                stored = quantise(block, storage)
                norms = np.linalg.norm(stored.astype(np.float64), axis=1)
                factors[done : done + len(block)] = 1.0 / np.maximum(norms, 1e-30)
                file.write(stored.tobytes())
                done += len(block)
            if done != rows:
                raise ValueError(f"{done} of {rows} rows")
            file.seek(8 + len(text))
            file.write(factors.tobytes())
    except BaseException:
        path.unlink()
        raise


@dataclass(frozen=True)
class VectorFile:
    """One memory-mapped file of vectors.

    Raises
    ------
    LibraryError
        From `open`, when the file is missing, cut off, or another kind of file.
    """

    path: Path
    vectors: npt.NDArray[Any]
    factors: Float32
    metadata: dict[str, str]

    @classmethod
    def open(cls, path: Path) -> VectorFile:
        """Map a file; nothing is read yet."""
        try:
            header, start = read_header(path)
            arrays = {}
            for name in ("vectors", "factors"):
                entry = header[name]
                dtype = _TYPES.get(entry["dtype"], np.float32)
                shape = tuple(entry["shape"])
                if 0 in shape:
                    arrays[name] = np.zeros(shape, dtype=dtype)
                    continue
                offset = start + entry["data_offsets"][0]
                arrays[name] = np.memmap(path, dtype, mode="r", offset=offset, shape=shape)
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise LibraryError(
                f"The vectors {path} cannot be read: {error}.",
                "Build the library again, or reinstall molclip for the embedded one.",
            ) from error
        return cls(path, arrays["vectors"], arrays["factors"], header.get("__metadata__", {}))

    def __len__(self) -> int:
        return int(self.vectors.shape[0])

    @property
    def dimension(self) -> int:
        """Numbers in one vector."""
        return int(self.vectors.shape[1])

    @property
    def storage(self) -> str:
        """`float16` or `int8`."""
        return str(self.vectors.dtype)

    def take(self, rows: npt.ArrayLike) -> Float32:
        """Unit vectors of some rows, `(len(rows), D)` float32."""
        index = np.asarray(rows, dtype=np.int64)
        return self.vectors[index].astype(np.float32) * self.factors[index, None]

    def exact(self, query: Float32, rows: npt.NDArray[np.int64]) -> Float32:
        """Scores of some rows: products summed in float64, so the same on every machine.

        Parameters
        ----------
        query
            Shape `(D,)`; a unit vector gives cosines.
        rows
            Row numbers.
        """
        wide = query.astype(np.float64)
        scores = np.empty(len(rows), dtype=np.float64)
        for start in range(0, len(rows), _CHUNK):
            part = rows[start : start + _CHUNK]
            # Element-wise, not a matrix product: equal rows then get equal scores bit for bit.
            stored = self.vectors[part].astype(np.float64)
            norms = np.sqrt((stored * stored).sum(axis=1))
            scores[start : start + _CHUNK] = (stored * wide).sum(axis=1) / np.maximum(norms, 1e-30)
        return scores.astype(np.float32)

    def rough(self, query: Float32) -> Float32:
        """Scores of all rows within `error_bound`, fast."""
        if len(self) == 0:
            return np.zeros(0, dtype=np.float32)
        if self.vectors.dtype == np.float16:
            import torch

            # One product over the mapped half-precision rows: no float32 copy of the file.
            product = torch.mv(_tensor(self.vectors), torch.from_numpy(query).half())
            scores = product.float().numpy()
        else:
            scores = np.empty(len(self), dtype=np.float32)
            for start in range(0, len(self), _CHUNK):
                part = self.vectors[start : start + _CHUNK].astype(np.float32)
                np.matmul(part, query, out=scores[start : start + _CHUNK])
        return np.asarray(scores * self.factors, dtype=np.float32)

    def error_bound(self, query: Float32) -> float:
        """Largest difference to expect between `rough` and `exact`."""
        length = float(np.linalg.norm(query))
        return (_HALF_ERROR if self.vectors.dtype == np.float16 else 1e-5) * max(length, 1e-6)


def read_header(path: Path) -> tuple[dict[str, Any], int]:
    """Header of a safetensors file and the position of its first data byte.

    Raises
    ------
    OSError, ValueError
        When the file cannot be read or is shorter than its header says.
    """
    with path.open("rb") as file:
        head = file.read(8)
        if len(head) < 8:
            raise ValueError("the file is empty or cut off")
        (length,) = struct.unpack("<Q", head)
        size = path.stat().st_size
        if length > min(size, 1 << 26):
            raise ValueError("not a safetensors file")
        header = json.loads(file.read(length))
    ends = [e["data_offsets"][1] for n, e in header.items() if n != "__metadata__"]
    if size < 8 + length + max(ends, default=0):
        raise ValueError("the file is cut off")
    return header, 8 + length


def _tensor(array: npt.NDArray[Any]) -> Any:
    import warnings

    import torch

    with warnings.catch_warnings():
        # The map is read-only and torch is only asked to read it.
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(array)


class VectorSet:
    """The vector files of a library as one list of rows.

    Parameters
    ----------
    files
        In order; row numbers count through.
    dead
        Row numbers that were replaced or removed.
    """

    def __init__(self, files: Sequence[VectorFile], dead: npt.NDArray[np.int64]) -> None:
        self.files = list(files)
        self.starts = np.cumsum([0, *(len(file) for file in files)])
        self.alive = np.ones(int(self.starts[-1]), dtype=bool)
        self.alive[dead] = False

    def __len__(self) -> int:
        return len(self.alive)

    def take(self, rows: npt.ArrayLike) -> Float32:
        """Unit vectors of some rows, `(len(rows), D)` float32."""
        index = np.asarray(rows, dtype=np.int64)
        dimension = self.files[0].dimension if self.files else 0
        result = np.empty((len(index), dimension), dtype=np.float32)
        for file, start, here in self._parts(index):
            result[here] = file.take(index[here] - start)
        return result

    def exact(self, query: Float32, rows: npt.NDArray[np.int64]) -> Float32:
        """Scores of some rows, see `VectorFile.exact`."""
        result = np.empty(len(rows), dtype=np.float32)
        for file, start, here in self._parts(rows):
            result[here] = file.exact(query, rows[here] - start)
        return result

    def rough(self, query: Float32) -> Float32:
        """Scores of all rows `(N,)`, see `VectorFile.rough`."""
        parts = [file.rough(query) for file in self.files]
        return np.concatenate(parts) if parts else np.zeros(0, dtype=np.float32)

    def ranking(self, query: Float32, mask: npt.NDArray[np.bool_] | None = None) -> Ranking:
        """Prepare the ranking of all rows, or of those in `mask`, for one query `(D,)`."""
        allowed = self.alive if mask is None else self.alive & mask
        rough = self.rough(query)
        margin = max((file.error_bound(query) for file in self.files), default=0.0)
        return Ranking(self, query, np.flatnonzero(allowed), rough, margin)

    def _parts(
        self, rows: npt.NDArray[np.int64]
    ) -> Iterable[tuple[VectorFile, int, npt.NDArray[np.int64]]]:
        owner = np.searchsorted(self.starts, rows, side="right") - 1
        for number, file in enumerate(self.files):
            here = np.flatnonzero(owner == number)
            if len(here):
                yield file, int(self.starts[number]), here


class Ranking:
    """Rows by falling exact score, equal scores by row number, as many as are asked for.

    The fast scores only choose candidates: every row whose fast score is within twice the error
    bound of the last place is scored exactly. Should the fast product turn out coarser than the
    bound (some processors sum half precision in half precision), the bound is widened.
    """

    def __init__(
        self,
        vectors: VectorSet,
        query: Float32,
        rows: npt.NDArray[np.int64],
        rough: Float32,
        margin: float,
    ) -> None:
        self._vectors = vectors
        self._query = query
        self.rows = rows
        """Rows that take part, ascending."""
        self._rough = rough[rows]
        self._margin = margin

    def __len__(self) -> int:
        return len(self.rows)

    def top(self, count: int) -> tuple[npt.NDArray[np.int64], Float32]:
        """The first `count` rows and their exact scores; fewer when there are fewer."""
        count = min(count, len(self.rows))
        if count <= 0:
            return np.zeros(0, dtype=np.int64), np.zeros(0, dtype=np.float32)
        while True:
            if count < len(self.rows):
                last = np.partition(self._rough, len(self.rows) - count)[len(self.rows) - count]
                chosen = np.flatnonzero(self._rough >= last - 2 * self._margin)
            else:
                chosen = np.arange(len(self.rows))
            rows = self.rows[chosen]
            scores = self._vectors.exact(self._query, rows)
            error = float(np.abs(scores - self._rough[chosen]).max())
            if error <= self._margin or len(chosen) == len(self.rows):
                break
            self._margin = 2 * error
        order = np.lexsort((rows, -scores))[:count]
        return rows[order], scores[order]
