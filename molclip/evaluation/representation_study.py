"""Everything `molclip evaluate representation` measures, on one model and one set of pairs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError
from molclip.evaluation.negatives import Hardness, hardness, information_bound, softmax
from molclip.evaluation.representation import Hubness, Representation, describe, hubness
from molclip.evaluation.representation_map import class_groups, pca, tsne
from molclip.evaluation.temperature import (
    NegativesAt,
    TemperatureStudy,
    negatives_at,
    temperature_study,
)

if TYPE_CHECKING:
    from molclip.evaluation.encoding import Encoder
    from molclip.evaluation.representation_pairs import NamedPairs

LEAST = 32
"""Fewer pairs say nothing about spread."""
NEIGHBOURS = 10
TEXT_TO_MOLECULE = "text → molecule"
MOLECULE_TO_MOLECULE = "molecule → molecule"
_EXAMPLES = 6
_SHOWN = 3
_TEXTS_AT_ONCE = 256

Vectors = npt.NDArray[np.floating[Any]]
Progress = Callable[[str, int, int | None], None]


@dataclass(frozen=True)
class Example:
    """A query and what lies nearest."""

    kind: str
    """`TEXT_TO_MOLECULE`, or `MOLECULE_TO_MOLECULE` (without itself)."""
    query: str
    nearest: Sequence[tuple[str, float]]
    """Names and cosines."""
    rank: int | None
    """Of the own molecule, pessimistic; None between molecules."""


@dataclass(frozen=True)
class Map:
    """Points to draw, row-aligned with the pairs that were used."""

    names: Sequence[str]
    groups: Sequence[str]
    molecules: Vectors
    """(N, 2) t-SNE of the molecules."""
    both: Vectors
    """(2 N, 2) principal components of texts, then molecules."""
    explained: Sequence[float]
    """Share of the variance of those two components."""


@dataclass(frozen=True)
class Study:
    """What came out."""

    pairs: NamedPairs
    left_out: int
    """Pairs whose molecule could not be embedded."""
    figures: Representation
    reference: Representation
    """The same of uniform random unit vectors, as many and as long."""
    hubs: dict[str, Hubness]
    reference_hubs: dict[str, Hubness]
    temperature: float
    hard: Hardness
    """Of both directions, at the model's temperature, among all other molecules (texts)."""
    loss: float
    bound: float
    """log N − loss, nats."""
    by_temperature: Sequence[NegativesAt]
    partners: Vectors
    """(N,) cosines of partners."""
    strangers: Vectors
    """(N,) cosines of each text with the molecule of the next pair."""
    spectra: dict[str, Vectors]
    """Singular values of each modality over the largest."""
    random: TemperatureStudy
    examples: Sequence[Example]
    map: Map | None
    seed: int


def study_representation(
    model: Encoder,
    pairs: NamedPairs,
    temperature: float,
    *,
    seed: int = 0,
    with_map: bool = True,
    progress: Progress | None = None,
) -> Study:
    """Embed the pairs and measure.

    Parameters
    ----------
    model
        Anything that encodes texts and molecules.
    pairs
        At least 32 whose molecules can be embedded.
    temperature
        Of the model.
    seed
        Of samples, random references, examples and the map.
    with_map
        Draw the 2D map, the slow part: some seconds for 2,000 pairs.
    progress
        Told what is being done.

    Raises
    ------
    InputError
        With too few pairs, or a model of fewer than two dimensions.
    """
    from molclip.text.captions import UNINFORMATIVE

    report = progress or _silent
    text = _encoded_texts(model, pairs.texts, report)
    report("molecules", 0, None)
    molecule = np.asarray(model.encode_molecules(list(pairs.smiles)).vectors, dtype=np.float32)
    good = np.flatnonzero(np.isfinite(molecule).all(axis=1))
    if len(good) < LEAST:
        raise InputError(
            f"{pairs.name}: {len(good)} of {len(pairs)} pairs can be embedded, {LEAST} are needed.",
            "Ask for a larger --sample.",
        )
    text, molecule = text[good], molecule[good]
    rng = np.random.default_rng(seed)
    random_text, random_molecule = (_sphere(rng, text.shape) for _ in range(2))
    report("figures", 0, None)
    scores = text @ molecule.T
    drawn = None
    names = [pairs.names[row] for row in good.tolist()]
    if with_map:
        report("map", 0, None)
        from molclip.datasets.ontology import Ontology

        classes = [pairs.classes[row] for row in good.tolist()]
        both, explained = pca(np.concatenate([text, molecule]))
        drawn = Map(
            names,
            class_groups(classes, Ontology.load().name, ignore=UNINFORMATIVE),
            tsne(molecule, seed),
            both,
            explained.tolist(),
        )
    loss = cross_entropy(scores, 1 / temperature)
    bound = information_bound(loss, len(scores))
    assert bound is not None
    return Study(
        pairs=pairs,
        left_out=len(pairs) - len(good),
        figures=describe(text, molecule, seed=seed),
        reference=describe(random_text, random_molecule, seed=seed),
        hubs=_hubs(text, molecule),
        reference_hubs=_hubs(random_text, random_molecule),
        temperature=temperature,
        hard=_both_directions(scores, 1 / temperature),
        loss=loss,
        bound=bound,
        by_temperature=negatives_at(scores),
        partners=np.diagonal(scores).copy(),
        strangers=np.einsum("nd,nd->n", text, np.roll(molecule, -1, axis=0)),
        spectra={"text": _spectrum(text), "molecule": _spectrum(molecule)},
        random=temperature_study(seed=seed),
        examples=_examples(text, molecule, [pairs.texts[row] for row in good.tolist()], names, rng),
        map=drawn,
        seed=seed,
    )


def cross_entropy(scores: Vectors, scale: float) -> float:
    """Symmetric cross-entropy of partners on the diagonal, in nats, as `losses.clip` defines it."""
    logits = scale * np.asarray(scores, dtype=np.float64)
    own = [np.diagonal(softmax(side)) for side in (logits, logits.T)]
    # The smallest number keeps a partner without any weight from being infinite.
    tiny = np.finfo(np.float64).tiny
    return float(-np.mean([np.log(np.maximum(weights, tiny)) for weights in own]))


def _hubs(text: Vectors, molecule: Vectors) -> dict[str, Hubness]:
    k = min(NEIGHBOURS, len(text) - 1)
    return {
        TEXT_TO_MOLECULE: hubness(text, molecule, k),
        "molecule → text": hubness(molecule, text, k),
        "text → text": hubness(text, text, k, without_self=True),
        MOLECULE_TO_MOLECULE: hubness(molecule, molecule, k, without_self=True),
    }


def _both_directions(scores: Vectors, scale: float) -> Hardness:
    one, other = hardness(scores, scale), hardness(scores.T, scale)
    return Hardness(
        (one.hardest + other.hardest) / 2,
        (one.effective + other.effective) / 2,
        (one.negatives + other.negatives) / 2,
    )


def _spectrum(vectors: Vectors) -> Vectors:
    values = np.linalg.svd(vectors.astype(np.float64), compute_uv=False)
    return np.asarray(values / values[0])


def _examples(
    text: Vectors,
    molecule: Vectors,
    texts: Sequence[str],
    names: Sequence[str],
    rng: np.random.Generator,
) -> list[Example]:
    rows = rng.choice(len(text), min(2 * _EXAMPLES, len(text)), replace=False).tolist()
    examples = []
    for row in rows[:_EXAMPLES]:
        scores = molecule @ text[row]
        rank = int((scores >= scores[row]).sum())
        examples.append(Example(TEXT_TO_MOLECULE, texts[row], _nearest(scores, names), rank))
    for row in rows[_EXAMPLES:]:
        scores = molecule @ molecule[row]
        scores[row] = -np.inf
        nearest = _nearest(scores, names)
        examples.append(Example(MOLECULE_TO_MOLECULE, names[row], nearest, None))
    return examples


def _nearest(scores: Vectors, names: Sequence[str]) -> list[tuple[str, float]]:
    order = np.argsort(-scores, kind="stable")[:_SHOWN]
    return [(names[row], float(scores[row])) for row in order.tolist()]


def _encoded_texts(model: Encoder, texts: Sequence[str], report: Progress) -> Vectors:
    parts = []
    for start in range(0, len(texts), _TEXTS_AT_ONCE):
        report("texts", start, len(texts))
        parts.append(model.encode_text(list(texts[start : start + _TEXTS_AT_ONCE])))
    report("texts", len(texts), len(texts))
    return np.concatenate(parts).astype(np.float32)


def _sphere(rng: np.random.Generator, shape: tuple[int, ...]) -> Vectors:
    x = rng.normal(size=shape)
    return np.asarray(x / np.linalg.norm(x, axis=1, keepdims=True), dtype=np.float32)


def _silent(*_: object) -> None:
    """Say nothing."""
