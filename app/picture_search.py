"""The same question to molclip and to a model that looks at pictures, over the same molecules.

The pictures' model is open_clip with pretrained weights, or nothing: nothing is downloaded while
the page is served, and random weights never stand in.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError, ModelError

from .limits import QUERY_LENGTH, check_length

if TYPE_CHECKING:
    from molclip.models.image import ImageBaseline
    from molclip.models.molclip import MolCLIP

    from .service import Service

VARIABLE = "MOLCLIP_IMAGE_WEIGHTS"
"""Environment variable that names other weights: a folder, or what open_clip lists."""
WEIGHTS = "ViT-B-32/laion2b_s34b_b79k"
MOLECULES = 300
"""Of the library, the same for every question and every visitor."""
SHOWN = 8
LARGEST = 40
"""Heavy atoms: more are too small in a picture of 224 pixels to be told apart."""
_CHUNK = 16
_SEED = 0

Float32 = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Ranked:
    """One model's answer."""

    name: str
    order: npt.NDArray[np.int64]
    """Molecules of the set, best first."""
    scores: Float32
    """Cosine of each molecule of the set, `(N,)`."""
    seconds: float
    """To embed the question and to rank the set."""
    preparation: float
    """Seconds that embedding the set took."""


@dataclass(frozen=True)
class Compared:
    """Both answers to one question."""

    text: str
    molclip: Ranked
    pictures: Ranked | None
    """None where there are no weights; `absent` says why."""
    absent: ModelError | None
    recorded: npt.NDArray[np.bool_] | None
    """Whether the source states what was asked, `(N,)`; None where the words name no class or role
    of it."""
    remarks: tuple[str, ...] = ()


class PictureSearch:
    """The set of molecules, embedded by both models once.

    Parameters
    ----------
    service
        Whose library and model are used.
    weights
        As `ImageBaseline.from_pretrained` takes them; None: the environment variable
        `MOLCLIP_IMAGE_WEIGHTS`, or else ViT-B-32 trained on LAION-2B.
    """

    def __init__(self, service: Service, weights: str | None = None) -> None:
        self.service = service
        self.weights = weights or os.environ.get(VARIABLE) or WEIGHTS
        self._lock = threading.Lock()
        self._baseline: ImageBaseline | None = None
        self._parts: list[Float32] = []
        self._seconds = 0.0

    @property
    def shown_weights(self) -> str:
        """Their name without the folders of this machine."""
        return Path(self.weights).name if Path(self.weights).is_absolute() else self.weights

    @cached_property
    def records(self) -> list[dict[str, Any]]:
        """Rows of the set: small, curated, with a recorded role where the library knows roles."""
        index = self.service.library._index
        pool = index.where(f"heavy_atoms <= {LARGEST}") & (
            index.alive if index.curated is None else index.curated
        )
        rows = np.random.default_rng(_SEED).permutation(np.flatnonzero(pool))
        with_roles = "roles" in index.columns
        found = []
        for row in rows.tolist():
            if with_roles and not index.rows.value(row, "roles"):
                continue
            found.append({**index.record(row), "row": row})
            if len(found) == MOLECULES:
                break
        return found

    @cached_property
    def _own(self) -> tuple[Float32, float]:
        """Vectors of the set by molclip, and the seconds they took."""
        start = time.perf_counter()
        made = self.service.library.model.encode_molecules(self._smiles)
        return np.nan_to_num(made.vectors, nan=0.0), time.perf_counter() - start

    @property
    def _smiles(self) -> list[str]:
        return [str(record["smiles"]) for record in self.records]

    def baseline(self) -> ImageBaseline:
        """The pictures' model, loaded on first use.

        Raises
        ------
        ModelError
            When open_clip or the weights are not there; without paths of this machine.
        """
        with self._lock:
            if self._baseline is None:
                from molclip.models.image import ImageBaseline

                try:
                    self._baseline = ImageBaseline.from_pretrained(self.weights, download=False)
                except ModelError as problem:
                    message = problem.message.replace(self.weights, self.shown_weights)
                    hint = problem.hint or (
                        "Whoever runs this page can fetch them once, see docs/app.md, or name a "
                        f"folder in the environment variable {VARIABLE}."
                    )
                    raise ModelError(message, hint) from None
            return self._baseline

    def prepare(self, baseline: ImageBaseline) -> Iterator[tuple[int, int]]:
        """Draw and encode the set; yields how many are done, and of how many.

        What was done before a cancel stays done, and visitors who wait share the work.
        """
        total = len(self.records)
        while (done := len(self._parts) * _CHUNK) < total:
            yield done, total
            with self._lock:
                done = len(self._parts) * _CHUNK
                if done >= total:
                    break
                start = time.perf_counter()
                made = baseline.encode_molecules(self._smiles[done : done + _CHUNK])
                self._seconds += time.perf_counter() - start
                self._parts.append(np.nan_to_num(made.vectors, nan=0.0))

    def compare(self, words: str, pictures: ImageBaseline | ModelError) -> Compared:
        """Ask both.

        Parameters
        ----------
        words
            The question, given to both models as it is.
        pictures
            The model, after `prepare`, or why there is none.
        """
        text = question(words)
        if not self.records:
            raise InputError(
                f"The library has no molecules of up to {LARGEST} heavy atoms to compare on."
            )
        model = self.service.library.model
        own, seconds = self._own
        mine = _ranked("molclip", model, text, own, seconds)
        other, remarks = None, []
        if not isinstance(pictures, ModelError):
            other = _ranked(
                self.shown_weights, pictures, text, np.concatenate(self._parts), self._seconds
            )
            if pictures.count_cut([text]):
                remarks.append(
                    "The question fills CLIP’s 77 pieces; what stands behind is not read."
                )
        absent = pictures if isinstance(pictures, ModelError) else None
        return Compared(text, mine, other, absent, self._recorded(text), tuple(remarks))

    def _recorded(self, text: str) -> npt.NDArray[np.bool_] | None:
        index = self.service.library._index
        if index.evidence is None:
            return None
        linked = index.evidence.link(text)
        if not linked.asked:
            return None
        rows = [index.rows.value(record["row"], "_facts") for record in self.records]
        return np.array([index.evidence.judge(facts, linked)[0] == "recorded" for facts in rows])


@lru_cache(maxsize=2)
def picture_search_of(service: Service) -> PictureSearch:
    """The one of a service, so that the set is drawn once for everybody."""
    return PictureSearch(service)


def question(words: str) -> str:
    """The words of the form.

    Raises
    ------
    InputError
        When there are none, or too many.
    """
    text = " ".join(words.split())
    if not text:
        raise InputError("Nothing is asked yet.", "Describe molecules in words.")
    check_length(text, QUERY_LENGTH, "The question")
    return text


def _ranked(
    name: str, model: MolCLIP | ImageBaseline, text: str, vectors: Float32, preparation: float
) -> Ranked:
    start = time.perf_counter()
    scores = vectors @ model.encode_text([text])[0]
    order = np.lexsort((np.arange(len(scores)), -scores))
    return Ranked(name, order, scores, time.perf_counter() - start, preparation)
