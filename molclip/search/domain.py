"""What a model was trained on, in figures: is a molecule or a text like it?

Nothing here is set by hand but two shares: a molecule or text is *outside* where 1 % of those that
were held out from training lie as far off, *at the edge* where 5 % do. The held-out ones are
strangers to the model, yet of the kind it was trained for.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from molclip.chem.elements import elements, heavy_atoms
from molclip.errors import ModelError
from molclip.search.manifest import replace_json
from molclip.search.quantiles import STEPS, value_at

DOMAIN_FILE = "applicability.json"
"""Its name in a model folder."""

Status = Literal["inside", "edge", "outside", "not known"]

OUTSIDE, EDGE = 1.0, 5.0
"""Percent of held-out molecules or texts that lie as far off."""
RARE = 2000
"""An element is rare that fewer than one in so many training molecules hold."""


@dataclass(frozen=True)
class Finding:
    """One respect in which a molecule or text is unlike what was trained on."""

    status: Status
    reason: str
    """Part of a sentence, lower-case, without full stop."""


@dataclass(frozen=True)
class Domain:
    """Figures of the training molecules, and quantiles over held-out molecules and texts."""

    model_hash: str
    training: int
    """Training molecules looked at: those whose structure is at hand."""
    molecules: int
    """Held-out molecules measured."""
    texts: int
    """Held-out texts measured."""
    pool: int
    """Molecules that `candidates` was counted among."""
    neighbours: int
    """Nearest training molecules by vector that are compared by structure."""
    scale: float
    """Factor of cosines in `candidates`, the model's own when it was measured."""
    similarity: list[float]
    """Quantiles of the largest count Tanimoto with a training molecule."""
    cosine: list[float]
    """Quantiles of the largest cosine with a training molecule."""
    candidates: list[float]
    """Quantiles of how many molecules a text is spread over (`candidates_of`)."""
    unknown: list[float]
    """Quantiles of the share of a text's words that training did not have; empty where the model
    has no list of words."""
    heavy_atoms: list[int]
    """Least and most heavy atoms of the middle 99 % of the training molecules."""
    elements: dict[str, int]
    """How many training molecules hold each element."""
    source: str = ""
    """What the held-out molecules and texts were, in words."""

    def save(self, path: str | PathLike[str]) -> None:
        """Write as JSON, by custom `applicability.json` in the model folder."""
        replace_json(Path(path), asdict(self))

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Domain:
        """Read what `save` wrote.

        Raises
        ------
        ModelError
            When the file is damaged.
        """
        try:
            domain = cls(**json.loads(Path(path).read_text(encoding="utf-8")))
            for known in (domain.similarity, domain.cosine, domain.candidates, domain.unknown):
                if len(known) != len(STEPS) and known is not domain.unknown:
                    raise ValueError(f"{len(known)} quantiles where {len(STEPS)} belong")
        except (OSError, ValueError, TypeError) as error:
            raise ModelError(
                f"The applicability domain {path} cannot be read: {error}.",
                "Fetch the model again, or run python -m molclip.data.build_applicability.",
            ) from error
        return domain

    @classmethod
    def beside(cls, folder: str | PathLike[str] | None, model_hash: str) -> Domain | None:
        """The domain in a model folder; None where there is none for these weights."""
        path = Path(folder) / DOMAIN_FILE if folder is not None else None
        if path is None or not path.is_file():
            return None
        domain = cls.load(path)
        return domain if domain.model_hash == model_hash else None

    # Molecules ---------------------------------------------------------------------------------

    def rare(self, smiles: str) -> tuple[str, ...]:
        """Elements of a canonical SMILES that few training molecules hold, sorted."""
        return tuple(
            sorted(
                element
                for element in elements(smiles) - {"H"}
                if RARE * self.elements.get(element, 0) < self.training
            )
        )

    def composition(self, smiles: str) -> list[Finding]:
        """What elements and size of a canonical SMILES say; needs no other molecule."""
        found = [
            Finding("outside", f"{self._holders(element)} {element}")
            for element in self.rare(smiles)
        ]
        least, most = self.heavy_atoms
        size = heavy_atoms(smiles)
        if not least <= size <= most:
            atoms = "heavy atom" if size == 1 else "heavy atoms"
            found.append(
                Finding(
                    "outside",
                    f"it has {size} {atoms}, and 99 % of the training molecules have "
                    f"{least} to {most}",
                )
            )
        return found

    def _holders(self, element: str) -> str:
        number = self.elements.get(element, 0)
        if not number:
            return "no training molecule holds"
        return f"of {self.training:,} training molecules only {number} hold{'s' * (number == 1)}"

    def nearness(self, similarity: float, cosine: float) -> list[Finding]:
        """What the most similar training molecules say.

        Parameters
        ----------
        similarity
            Largest count Tanimoto among the nearest by vector.
        cosine
            Largest cosine.
        """
        found = []
        for value, known, what in (
            (similarity, self.similarity, "similarity to the most similar training molecule"),
            (cosine, self.cosine, "cosine with the nearest training molecule"),
        ):
            status = _low(known, value)
            if status != "inside":
                percent = OUTSIDE if status == "outside" else EDGE
                found.append(
                    Finding(
                        status,
                        f"the {what} is {value:.2f}, and for {100 - percent:g} % of the molecules "
                        f"held out from training it is {value_at(known, percent):.2f} or more",
                    )
                )
        return found

    # Texts -------------------------------------------------------------------------------------

    def wording(self, words: int, unknown: Collection[str]) -> list[Finding]:
        """What the words say.

        Parameters
        ----------
        words
            Number of content words of the text.
        unknown
            Those that training did not have, each once.
        """
        if not unknown or not words or not self.unknown:
            return []
        status = _high(self.unknown, len(unknown) / words)
        if status == "inside":
            return []
        listed = list(unknown)
        shown = ", ".join(listed[:4]) + (", …" if len(listed) > 4 else "")
        if words == 1:
            return [Finding(status, f"the model has not met the word {shown}")]
        return [Finding(status, f"the model has not met {len(listed)} of {words} words: {shown}")]

    def profile(self, candidates: float) -> list[Finding]:
        """What the scores over many molecules say, see `candidates_of`.

        Flat scores never put a text outside: a very wide class has them by right.
        """
        usual = value_at(self.candidates, 100 - EDGE)
        if candidates <= usual:
            return []
        return [
            Finding(
                "edge",
                f"the words single out little: they fit about {_rounded(candidates)} of "
                f"{self.pool:,} molecules alike, and {100 - EDGE:g} % of ordinary questions fit "
                f"fewer than {_rounded(usual)}",
            )
        ]


def verdict(findings: Sequence[Finding]) -> Status:
    """The worst of what was found; `inside` for nothing."""
    held = {finding.status for finding in findings}
    for status in ("outside", "edge"):
        if status in held:
            return status
    return "inside"


def candidates_of(scores: npt.NDArray[np.floating], scale: float) -> float:
    """How many molecules a text is spread over: the exponential of an entropy.

    The softmax of the scores is a distribution over the molecules; ``exp(H)`` is the number of
    molecules that an even distribution of the same entropy H would have. 1: one molecule takes
    everything; ``len(scores)``: the text says nothing.

    Parameters
    ----------
    scores
        Cosines `(N,)`.
    scale
        Their factor, the reciprocal of the temperature.
    """
    exponents = scale * (scores.astype(np.float64) - float(scores.max()))
    weights = np.exp(exponents)
    total = weights.sum()
    return float(np.exp(np.log(total) - (weights * exponents).sum() / total))


def _low(known: Sequence[float], value: float) -> Status:
    if value < value_at(known, OUTSIDE):
        return "outside"
    return "edge" if value < value_at(known, EDGE) else "inside"


def _high(known: Sequence[float], value: float) -> Status:
    if value > value_at(known, 100 - OUTSIDE):
        return "outside"
    return "edge" if value > value_at(known, 100 - EDGE) else "inside"


def _rounded(number: float) -> str:
    """Two figures are all that such a number has."""
    digits = max(0, len(str(int(number))) - 2)
    return f"{round(number, -digits):,.0f}"
