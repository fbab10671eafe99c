"""Drawings of molecules for an image model: made in parallel, once, and kept on disk."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem import versions
from molclip.chem.molecule import ParseFailure
from molclip.evaluation import cache

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Progress

UInt8Array = npt.NDArray[np.uint8]

# Molecules of one file: a run that is killed loses no more than these.
_SHARD = 2048
# Drawn at this size and then made smaller, because that is what an open_clip model does with the
# drawings it is evaluated on.
_DRAWN = 224


@dataclass(frozen=True)
class Drawings:
    """PNG files of N molecules in V drawings each, in memory."""

    pictures: Sequence[Sequence[bytes]]
    """(N)(V); no drawing where a molecule cannot be drawn."""
    size: int

    def __len__(self) -> int:
        return len(self.pictures)

    @property
    def drawn(self) -> npt.NDArray[np.bool_]:
        """Whether each molecule has drawings, (N,)."""
        return np.array([bool(views) for views in self.pictures], dtype=bool)

    def pixels(self, rows: Sequence[int], views: Sequence[int]) -> UInt8Array:
        """Return one drawing of each of some molecules, uint8 (len(rows), size, size, 3).

        Parameters
        ----------
        rows
            Molecules that have drawings.
        views
            Any number for each; taken modulo V.
        """
        from PIL import Image

        result = np.empty((len(rows), self.size, self.size, 3), dtype=np.uint8)
        for place, (row, view) in enumerate(zip(rows, views, strict=True)):
            found = self.pictures[row]
            with Image.open(io.BytesIO(found[view % len(found)])) as picture:
                result[place] = np.asarray(picture)
        return result


def draw(
    smiles: Sequence[str],
    size: int,
    views: int,
    *,
    seed: int = 0,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Drawings:
    """Draw molecules in random orientations and styles, or read them from the cache.

    Parameters
    ----------
    smiles
        N molecules.
    size
        Side in pixels.
    views
        Drawings V of each molecule.
    seed
        Of orientations and styles; a molecule's drawings do not depend on the others.
    workers
        Processes; one per core by default.
    progress
        Told how far it is.
    """
    import rdkit

    pictures: list[list[bytes]] = []
    for start in range(0, len(smiles), _SHARD):
        part = smiles[start : start + _SHARD]
        settings = (versions.DRAWINGS, rdkit.__version__, str(size), str(views), str(seed))
        path = cache.cache_file("drawings", *settings, *part)
        stored = cache.load(path, ("lengths", "bytes"))
        if stored is not None:
            pictures += _unpacked(stored[0]["lengths"], stored[0]["bytes"])
            continue
        made = []
        for views_of_one in _drawn(part, size, views, seed, workers):
            made.append(views_of_one)
            if progress:
                progress("drawings", start + len(made), len(smiles))
        cache.save(path, _packed(made, views), [])
        pictures += made
    return Drawings(pictures, size)


def _drawn(
    smiles: Sequence[str], size: int, views: int, seed: int, workers: int | None
) -> Iterator[list[bytes]]:
    from molclip.chem.parallel import guarded_stream

    items = [(text, size, views, seed) for text in smiles]
    for made in guarded_stream(_views, items, workers=workers):
        yield [] if isinstance(made, ParseFailure) else made


def _views(item: tuple[str, int, int, int]) -> list[bytes]:
    """All drawings of one molecule; its layout is made once."""
    import random

    from PIL import Image
    from rdkit import Chem

    from molclip.chem.depict import depict_png
    from molclip.chem.layout import lay_out

    smiles, size, views, seed = item
    mol: Any = Chem.MolFromSmiles(smiles)
    if mol is None or not mol.GetNumAtoms():
        return []
    lay_out(mol)
    rng = random.Random(f"{seed}/{smiles}")
    made = []
    for _ in range(views):
        png = depict_png(mol, _DRAWN, seed=rng.getrandbits(32), vary_style=True)
        with Image.open(io.BytesIO(png)) as picture:
            small = picture.convert("RGB").resize((size, size), Image.Resampling.BICUBIC)
        file = io.BytesIO()
        small.save(file, "PNG")
        made.append(file.getvalue())
    return made


def _packed(pictures: Sequence[Sequence[bytes]], views: int) -> dict[str, npt.NDArray[Any]]:
    lengths = np.zeros((len(pictures), views), dtype=np.int64)
    for row, found in enumerate(pictures):
        lengths[row, : len(found)] = [len(picture) for picture in found]
    joined = b"".join(picture for found in pictures for picture in found)
    return {"lengths": lengths, "bytes": np.frombuffer(joined, dtype=np.uint8)}


def _unpacked(lengths: npt.NDArray[np.int64], joined: UInt8Array) -> list[list[bytes]]:
    data = joined.tobytes()
    pictures: list[list[bytes]] = []
    start = 0
    for row in lengths.tolist():
        found = []
        for length in row:
            if length:
                found.append(data[start : start + length])
            start += length
        pictures.append(found)
    return pictures
