"""What a temperature does: the softmax over random unit vectors, and over those of a model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from molclip.evaluation.negatives import entropy, hardness, softmax

DIMENSIONS = (32, 128, 512)
TEMPERATURES = (0.005, 0.01, 0.02, 0.03, 0.05, 0.07, 0.1, 0.15, 0.2, 0.3, 0.5, 1.0)


@dataclass(frozen=True)
class Spread:
    """Cosines of random unit vectors in one dimension."""

    dimension: int
    expected: float
    """1/√D, their exact standard deviation."""
    measured: float


@dataclass(frozen=True)
class Sharpness:
    """The softmax over random candidates at one temperature; means over the queries."""

    dimension: int
    temperature: float
    entropy: float
    """Nats; log of the candidates where all weigh the same."""
    effective: float
    """Exponential of the entropy of each query: how many candidates take part."""
    top: float
    """Weight of the nearest candidate."""


@dataclass(frozen=True)
class TemperatureStudy:
    """All dimensions and temperatures."""

    candidates: int
    queries: int
    seed: int
    spreads: Sequence[Spread]
    points: Sequence[Sharpness]

    def to_dict(self) -> dict[str, Any]:
        """Return every number."""
        return asdict(self)


def temperature_study(
    dimensions: Sequence[int] = DIMENSIONS,
    temperatures: Sequence[float] = TEMPERATURES,
    *,
    candidates: int = 1024,
    queries: int = 256,
    seed: int = 0,
) -> TemperatureStudy:
    r"""Draw random unit vectors and look at the softmax of their cosines.

    Cosines of random directions have mean 0 and standard deviation 1/√D, so the same temperature
    τ is sharper in fewer dimensions: what counts is the ratio 1/(τ√D). While it is small the
    entropy of the softmax over N candidates is

    .. math:: \log N - \frac{1}{2 D \tau^2}

    and above :math:`\sqrt{2 \log N}` a few candidates have nearly all the weight (Derrida's random
    energy model, Phys. Rev. B 24, 1981, with Gaussian energies).

    Parameters
    ----------
    dimensions
        D.
    temperatures
        τ.
    candidates, queries
        Vectors per softmax, and softmaxes per mean.
    seed
        Of the draw.
    """
    rng = np.random.default_rng(seed)
    spreads, points = [], []
    for dimension in dimensions:
        asked, known = (_sphere(rng, rows, dimension) for rows in (queries, candidates))
        cosines = asked @ known.T
        spreads.append(Spread(dimension, dimension**-0.5, float(cosines.std())))
        for temperature in temperatures:
            weights = softmax(cosines / temperature)
            nats = entropy(weights)
            points.append(
                Sharpness(
                    dimension,
                    temperature,
                    float(nats.mean()),
                    float(np.exp(nats).mean()),
                    float(weights.max(axis=1).mean()),
                )
            )
    return TemperatureStudy(candidates, queries, seed, spreads, points)


@dataclass(frozen=True)
class NegativesAt:
    """Negatives of a model at one temperature; see `negatives.Hardness`."""

    temperature: float
    hardest: float
    effective: float


def negatives_at(
    scores: npt.NDArray[np.floating[Any]], temperatures: Sequence[float] = TEMPERATURES
) -> list[NegativesAt]:
    """Return how many negatives take part at each temperature, for the cosines of a model.

    Parameters
    ----------
    scores
        Cosines, float ``(N, N)``, partners on the diagonal.
    temperatures
        Positive.
    """
    found = []
    for temperature in temperatures:
        hard = hardness(scores, 1 / temperature)
        found.append(NegativesAt(temperature, hard.hardest, hard.effective))
    return found


def _sphere(rng: np.random.Generator, rows: int, dimension: int) -> npt.NDArray[np.float64]:
    x = rng.normal(size=(rows, dimension))
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True))
