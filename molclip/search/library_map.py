"""A library on a sheet: two coordinates and a class for a sample of its molecules.

Only near neighbours mean something on such a map. A question has no coordinates of its own; it is
put where the molecules lie that answer it best.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import LibraryError

if TYPE_CHECKING:
    from molclip.search.library import Library

MAP_FILE = "library_map.parquet"
"""Lies beside the vectors it was made from."""
NEIGHBOURS = 15
"""Molecules that a question is placed by."""
_MADE_BY = "python -m molclip.data.build_map"

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Place:
    """Where a question lies."""

    x: float
    y: float
    nearest: npt.NDArray[np.int64]
    """Points it was placed by, `(k,)`, best first: indices into the map."""
    weights: npt.NDArray[np.float64]
    """Their shares, `(k,)`, which add up to 1."""
    spread: float
    """Weighted mean distance of those points from the place; the map reaches from −1 to 1."""


@dataclass(frozen=True, eq=False)
class LibraryMap:
    """Points of a map."""

    rows: npt.NDArray[np.int64]
    """Row of the library, `(N,)`."""
    points: Float32
    """Coordinates, `(N, 2)`, within −1 to 1."""
    groups: npt.NDArray[np.int64]
    """Class of each point, `(N,)`: index into `names`."""
    names: tuple[str, ...]
    metadata: dict[str, str]
    """`model_hash` and `library_sha256` of the vectors, and how the map was made."""

    def __len__(self) -> int:
        return len(self.rows)

    def save(self, path: Path) -> None:
        """Write a Parquet file, replaced in one move."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        groups = pa.DictionaryArray.from_arrays(
            pa.array(self.groups, pa.int8()), pa.array(self.names, pa.string())
        )
        columns = {
            "row": pa.array(self.rows, pa.int32()),
            "x": pa.array(self.points[:, 0], pa.float32()),
            "y": pa.array(self.points[:, 1], pa.float32()),
            "group": groups,
        }
        table = pa.table(columns).replace_schema_metadata(dict(sorted(self.metadata.items())))
        draft = path.with_name(f"{path.name}.part")
        pq.write_table(table, draft, compression="zstd")
        draft.replace(path)

    @classmethod
    def load(cls, path: Path) -> LibraryMap:
        """Read what `save` wrote.

        Raises
        ------
        LibraryError
            When the file is missing or damaged.
        """
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            table: Any = pq.read_table(path).combine_chunks()
            held = {k.decode(): v.decode() for k, v in (table.schema.metadata or {}).items()}
            groups = table.column("group").combine_chunks()
            # Without pandas, which pyarrow's own conversion of a dictionary would import.
            return cls(
                rows=np.array(table.column("row").to_pylist(), dtype=np.int64),
                points=np.array(
                    [table.column(name).to_pylist() for name in "xy"], dtype=np.float32
                ).T,
                groups=np.array(groups.indices.to_pylist(), dtype=np.int64),
                names=tuple(groups.dictionary.to_pylist()),
                metadata=held,
            )
        except (OSError, pa.ArrowException, KeyError, AttributeError) as error:
            raise LibraryError(
                f"The map {path} cannot be read: {str(error).splitlines()[0]}.",
                f"Reinstall molclip, or run {_MADE_BY}.",
            ) from error

    @classmethod
    def of(cls, library: Library) -> LibraryMap:
        """The map that lies beside a library's vectors.

        Raises
        ------
        LibraryError
            When there is none, or it was made from other vectors.
        """
        files = library._index.vectors.files
        if len(files) != 1 or not library.embedded:
            raise LibraryError(
                "There is no map of this library.",
                "Only the library that comes with molclip has one so far.",
            )
        path = files[0].path.with_name(MAP_FILE)
        if not path.is_file():
            raise LibraryError("The map of the library is not there.", f"Make it with {_MADE_BY}.")
        found = cls.load(path)
        wanted = files[0].metadata
        for key in ("model_hash", "library_sha256"):
            if found.metadata.get(key) != wanted.get(key):
                raise LibraryError(
                    "The map of the library was made for other weights or another library, so it "
                    "is not shown.",
                    f"Make it again with {_MADE_BY}.",
                )
        return found

    def place(self, scores: Float32, temperature: float, count: int = NEIGHBOURS) -> Place:
        """Put a question where its best answers lie.

        The place is the mean of the `count` best points, each weighted by
        ``exp(score / temperature)``, as the softmax of training weighs them.

        Parameters
        ----------
        scores
            Cosine of the question with every point, `(N,)`.
        temperature
            Of the model.
        count
            At most so many points.
        """
        order = np.lexsort((np.arange(len(scores)), -scores))[:count]
        best = scores[order].astype(np.float64)
        weights = np.exp((best - best[0]) / temperature)
        weights /= weights.sum()
        held = self.points[order].astype(np.float64)
        place = weights @ held
        spread = float(weights @ np.linalg.norm(held - place, axis=1))
        return Place(float(place[0]), float(place[1]), order, weights, spread)
