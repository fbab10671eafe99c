"""Models as an evaluation sees them, and vectors of all texts and molecules in parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import ParseFailure
from molclip.errors import ModelError
from molclip.evaluation.ranks import FloatArray

#: Called with what is being done, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]

_TEXT_CHUNK = 512
_MOLECULE_CHUNK = 2048


class Encoded(Protocol):
    """Vectors of molecules, row-aligned with what went in."""

    @property
    def vectors(self) -> FloatArray:
        """(N, D) float32 with rows of NaN where a molecule is invalid."""

    @property
    def failures(self) -> Sequence[ParseFailure]:
        """Why, for each of those rows."""


class Encoder(Protocol):
    """What the evaluation needs of a model; `MolCLIP` and the image baseline have it."""

    @property
    def model_hash(self) -> str:
        """Identifies the weights."""

    def encode_text(self, texts: list[str]) -> FloatArray:
        """(N, D) float32 unit vectors."""

    def encode_molecules(self, molecules: list[Any]) -> Encoded:
        """Vectors and failures of SMILES."""


def encode_texts(model: Encoder, texts: Sequence[str], stage: str, report: Progress) -> FloatArray:
    """Vectors of texts, float32 (N, D); `stage` is what `report` is told is being done."""
    parts = []
    for start in range(0, len(texts), _TEXT_CHUNK):
        report(stage, start, len(texts))
        part = list(texts[start : start + _TEXT_CHUNK])
        parts.append(checked(model.encode_text(part), len(part)))
    report(stage, len(texts), len(texts))
    return np.concatenate(parts)


def encode_molecules(
    model: Encoder, smiles: Sequence[str], report: Progress
) -> tuple[FloatArray, list[ParseFailure]]:
    """Vectors of SMILES, float32 (N, D) with NaN where one is invalid, and why."""
    parts: list[FloatArray] = []
    failures: list[ParseFailure] = []
    for start in range(0, len(smiles), _MOLECULE_CHUNK):
        report("molecules", start, len(smiles))
        part = list(smiles[start : start + _MOLECULE_CHUNK])
        encoded = model.encode_molecules(part)
        parts.append(checked(encoded.vectors, len(part)))
        # The model counts rows from the start of what it was given.
        failures += [replace(failure, row=failure.row + start) for failure in encoded.failures]
    report("molecules", len(smiles), len(smiles))
    return np.concatenate(parts), failures


def checked(vectors: npt.NDArray[Any], rows: int) -> FloatArray:
    """Vectors as contiguous float32.

    Raises
    ------
    ModelError
        When they are not one row for each of `rows` inputs.
    """
    if vectors.ndim != 2 or len(vectors) != rows:
        raise ModelError(
            f"The model gave vectors of shape {vectors.shape} for {rows} inputs.",
            "An encoder must return one row for each input.",
        )
    # float32 whatever the model computes in: lower precision merges scores and moves ranks.
    return np.ascontiguousarray(vectors, dtype=np.float32)
