"""The map of the library for the page: its points, one molecule of it, a question's place on it."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError
from molclip.search.library_map import NEIGHBOURS, LibraryMap, Place

from .reading import read_question

if TYPE_CHECKING:
    from .service import Service

SCATTERED = 0.25
"""Spread from which a question's neighbours lie in several parts of the map, which is 2 wide."""
# Mid-lightness, to be seen on light and on dark grounds; in the order of `build_map.CLASSES`, then
# what belongs to none of them.
_COLOURS = (
    "#2f80d0", "#e07b1a", "#c2a000", "#d6453d", "#7a4fd0", "#1f9d76", "#6aa51e", "#16a3b8",
    "#d65a9d", "#8a5a3c", "#8f98d6",
)  # fmt: skip
_REST = "#9aa5b4"


@dataclass(frozen=True)
class Placed:
    """A question on the map."""

    label: str
    said: str
    """How it was read."""
    place: Place
    scores: npt.NDArray[np.float32]
    """Cosine with each of `place.nearest`."""

    @property
    def scattered(self) -> bool:
        """Whether its neighbours lie far apart, so that the place between them means little."""
        return self.place.spread >= SCATTERED


class LibraryView:
    """The map of one service.

    Parameters
    ----------
    service
        Whose library is shown.
    """

    def __init__(self, service: Service) -> None:
        self.service = service
        self._loading = threading.Lock()

    @cached_property
    def map(self) -> LibraryMap:
        """The shipped map.

        Raises
        ------
        LibraryError
            When there is none of this library and these weights.
        """
        return LibraryMap.of(self.service.library)

    @cached_property
    def vectors(self) -> npt.NDArray[np.float32]:
        """Unit vectors of the points, `(N, D)`."""
        with self._loading:
            return self.service.library._index.vectors.take(self.map.rows)

    def groups(self) -> list[dict[str, Any]]:
        """Name, colour, points and their coordinates of each class, the largest first."""
        made = []
        for number, name in enumerate(self.map.names):
            points = np.flatnonzero(self.map.groups == number)
            last = number == len(self.map.names) - 1
            if len(points):
                x, y = np.round(self.map.points[points].astype(float), 4).T.tolist()
                colour = _REST if last else _COLOURS[number % len(_COLOURS)]
                made.append(
                    {"name": name, "colour": colour, "points": points.tolist(), "x": x, "y": y}
                )
        # Small classes are drawn last, on top of the others.
        return sorted(made, key=lambda group: (group["colour"] != _REST, -len(group["points"])))

    def record(self, point: Any) -> dict[str, Any]:
        """Row of the library behind a point, with its class as `group`.

        What is asked for comes from a browser and may be anything.

        Raises
        ------
        InputError
            When there is no such point.
        """
        if not isinstance(point, int) or not 0 <= point < len(self.map):
            raise InputError("The map has no such point.")
        record = self.service.library._index.record(int(self.map.rows[point]))
        return {**record, "group": self.map.names[int(self.map.groups[point])]}

    def place(self, words: str) -> Placed:
        """Put words, a name or a structure on the map.

        Raises
        ------
        InputError
            For input that cannot be read.
        """
        reading = read_question(words, "", self.service)
        model, text, molecule = self.service.library.model, reading.text, reading.molecule
        said = reading.said
        if molecule is None and reading.mode == "hybrid":
            # A name stands for its molecule here.
            molecule, said = self.service.read_molecule(words)
        if molecule is not None:
            vector = model.encode_molecules([molecule]).vectors[0]
            if not np.isfinite(vector).all():
                raise InputError("The structure cannot be embedded.", "Try another one.")
        else:
            vector = model.encode_text([str(text)])[0]
        scores = (self.vectors @ vector).astype(np.float32)
        temperature = 1 / float(model.network.scale.detach())
        place = self.map.place(scores, temperature, NEIGHBOURS)
        return Placed(" ".join(words.split()), said, place, scores[place.nearest])
