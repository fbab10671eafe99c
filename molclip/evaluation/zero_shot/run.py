"""The whole zero-shot evaluation of one model: label sets, and queries on the embedded library."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.errors import InputError
from molclip.evaluation.encoders import LoadedEncoder, pool_features
from molclip.evaluation.systems import short_names
from molclip.evaluation.zero_shot.annotated import natural_products, odours, uses
from molclip.evaluation.zero_shot.chebi import Graph, chebi_ancestors, chebi_classes, chebi_roles
from molclip.evaluation.zero_shot.evaluate import OtherModel, SetResult, evaluate_set
from molclip.evaluation.zero_shot.label_set import LabelSet
from molclip.evaluation.zero_shot.library_queries import QueryMaker
from molclip.evaluation.zero_shot.library_terms import Rows
from molclip.evaluation.zero_shot.molecules import DataFolder, Strangers
from molclip.evaluation.zero_shot.precision import (
    PrecisionResult,
    Searcher,
    library_search,
    measure_precision,
    vector_search,
)
from molclip.search.seen import SeenMolecules
from molclip.text.lexicon import load_lexicon
from molclip.text.withheld import Withheld

if TYPE_CHECKING:
    from molclip.evaluation.feature_table import FeatureTable

Float32 = npt.NDArray[np.float32]
Progress = Callable[[str, int, int | None], None]

LABEL_SETS = (
    "chebi-classes",
    "chebi-ancestors",
    "chebi-roles",
    "npc-pathway",
    "npc-superclass",
    "npc-class",
    "uses",
    "odours",
)
QUERIES = "queries"
"""The suite of queries on the embedded library; needs no data folder."""
SETS = (*LABEL_SETS, QUERIES)

BACKGROUND = 2000
"""Molecules of the embedded library that labels are compared on for scaled top-k."""


@dataclass(frozen=True)
class ZeroShotRun:
    """Everything that was measured of one model."""

    sets: Sequence[SetResult]
    precision: PrecisionResult | None
    strangers: str | None
    """How unseen molecules were told from others; None where no label set was measured."""
    withheld: Withheld
    """Labels that the model's training withheld."""
    others: Mapping[str, str] = field(default_factory=dict)
    """Image models that stand beside it: name in the tables, and what it is in a sentence."""


def evaluate_zero_shot(
    encoder: LoadedEncoder,
    data: str | Path | None = None,
    sets: Sequence[str] = SETS,
    *,
    images: Mapping[str, LoadedEncoder] | None = None,
    baselines: bool = True,
    workers: int | None = None,
    progress: Progress | None = None,
    seed: int = 0,
) -> ZeroShotRun:
    """Measure a model on label sets and on queries.

    Parameters
    ----------
    encoder
        `molclip.evaluation.encoders.molclip_encoder(name, workers, progress)`.
    data
        Folder of the data sets; None is what `MOLCLIP_DATA` names.
    sets
        Names from `SETS`.
    images
        Image models by name or folder, from `molclip.evaluation.encoders.image_encoder`: measured
        on the same label sets, their own text encoder against depictions. The queries are left to
        the model, because drawing the whole library would take days.
    baselines
        Also the supervised reference and the nearest neighbour; they take most of the time of a
        first run and are kept on disk.
    workers
        Processes for the chemistry.
    progress
        Told what is being done.
    seed
        Of bootstraps, of the molecules a regression is fitted on, and of the choice of queries.

    Raises
    ------
    molclip.errors.InputError
        For an unknown set or a missing file, or image models and no label set to measure them on.
    """
    unknown = [name for name in sets if name not in SETS]
    if unknown:
        raise InputError(f"There is no label set {unknown[0]!r}.", f"Use {', '.join(SETS)}.")
    named = [name for name in sets if name != QUERIES]
    if images and not named:
        raise InputError(
            "Image models are measured on label sets, and none is asked for.",
            f"Name one of {', '.join(LABEL_SETS)}, or leave the image models out.",
        )
    show: Progress = progress or (lambda *_: None)
    model: Any = encoder.model
    seen = SeenMolecules.beside(model.folder)
    results: list[SetResult] = []
    how = None
    features = partial(_features, workers=workers, progress=show)
    vectors = partial(_vectors, encoder)
    beside = dict(zip(short_names(images or ()), (images or {}).values(), strict=True))
    prompts: set[str] = set()
    if named:
        folder = DataFolder(None if data is None else Path(data), workers, show)
        strangers = Strangers.of(seen, folder.source_keys(seen))
        how = strangers.how
        background = _background(vectors)
        for label_set in _label_sets(named, folder, strangers):
            embedded, usable = _without_failures(label_set, vectors)
            prompts |= {
                text for label in usable.labels for said in label.prompts.values() for text in said
            }
            results.append(
                evaluate_set(
                    model,
                    usable,
                    embedded,
                    background=background if label_set.exclusive else None,
                    others=[_other(name, image, usable) for name, image in beside.items()],
                    features=features if baselines else None,
                    progress=show,
                    seed=seed,
                )
            )
    precision = None
    if QUERIES in sets:
        precision = _precision(model, vectors, seen, show, seed)
    notes = {
        short: _note(name, image, prompts)
        for (name, image), short in zip((images or {}).items(), beside, strict=True)
    }
    return ZeroShotRun(results, precision, how, Withheld.beside(model.folder), notes)


def _other(name: str, encoder: LoadedEncoder, label_set: LabelSet) -> OtherModel:
    """An image model on one label set; its background, some minutes, only where it is asked for."""
    vectors = partial(_vectors, encoder)
    background = _background(vectors) if label_set.exclusive else None
    model: Any = encoder.model
    return OtherModel(name, model, vectors(label_set.smiles), background)


def _note(name: str, encoder: LoadedEncoder, prompts: set[str]) -> str:
    note = f"image model {name}, hash {encoder.model.model_hash}"
    cut = encoder.count_cut(sorted(prompts)) if prompts else 0
    return f"{note}; {cut:,} label texts cut off at its context" if cut else note


def _label_sets(names: Sequence[str], data: DataFolder, strangers: Strangers) -> Sequence[LabelSet]:
    @cache
    def graph() -> Graph:
        return Graph.read(data)

    makers: dict[str, Callable[[], LabelSet]] = {
        "chebi-classes": lambda: chebi_classes(data, strangers, graph()),
        "chebi-ancestors": lambda: chebi_ancestors(data, strangers, graph()),
        "chebi-roles": lambda: chebi_roles(data, strangers, graph()),
        "npc-pathway": lambda: natural_products(data, strangers, "pathway"),
        "npc-superclass": lambda: natural_products(data, strangers, "superclass"),
        "npc-class": lambda: natural_products(data, strangers, "class"),
        "uses": lambda: uses(data, strangers),
        "odours": lambda: odours(data, strangers),
    }
    return [makers[name]() for name in LABEL_SETS if name in names]


def _features(smiles: Sequence[str], *, workers: int | None, progress: Progress) -> FeatureTable:
    return pool_features(smiles, workers, progress)


def _vectors(encoder: LoadedEncoder, smiles: Sequence[str]) -> Float32:
    if encoder.encode_pool is not None:
        return np.asarray(encoder.encode_pool(smiles).vectors)
    model: Any = encoder.model
    return np.asarray(model.encode_molecules(smiles).vectors)


def _without_failures(
    label_set: LabelSet, vectors: Callable[[Sequence[str]], Float32]
) -> tuple[Float32, LabelSet]:
    """Vectors, and the set without the molecules that cannot be embedded (they are counted)."""
    embedded = vectors(label_set.smiles)
    valid = ~np.isnan(embedded[:, 0])
    if valid.all():
        return embedded, label_set
    rows = np.flatnonzero(valid)
    return embedded[rows], replace(
        label_set,
        smiles=[label_set.smiles[row] for row in rows.tolist()],
        truth=label_set.truth[rows],
        slices={name: part[rows] for name, part in label_set.slices.items()},
        left_out=label_set.left_out + int((~valid).sum()),
    )


def _background(vectors: Callable[[Sequence[str]], Float32]) -> Float32:
    """Vectors of molecules drawn from the embedded library's curated rows, always the same."""
    from molclip.datasets.facts import load_facts

    facts = load_facts()
    curated = np.flatnonzero(np.array(facts.column("curated"), dtype=bool))
    drawn = np.sort(np.random.default_rng(0).choice(curated, BACKGROUND, replace=False))
    smiles = facts.column("smiles")
    embedded = vectors([smiles[row] for row in drawn.tolist()])
    return embedded[~np.isnan(embedded[:, 0])]


def _precision(
    model: Any,
    vectors: Callable[[Sequence[str]], Float32],
    seen: SeenMolecules | None,
    progress: Progress,
    seed: int,
) -> PrecisionResult:
    from molclip.datasets.facts import load_facts
    from molclip.datasets.ontology import Ontology

    ontology = Ontology.load()
    progress("classes and roles of the library", 0, None)
    rows = Rows.of(load_facts(), ontology)
    queries = QueryMaker(rows, ontology, load_lexicon(), seed).queries()
    search = _searcher(model, rows, vectors)
    return measure_precision(queries, rows, search, seen=seen, progress=progress, seed=seed)


def _searcher(model: Any, rows: Rows, vectors: Callable[[Sequence[str]], Float32]) -> Searcher:
    """The search that users get, where the shipped vectors are this model's; else cosines."""
    from molclip.search.embedded import Shipped
    from molclip.search.library import Library

    if Shipped.find().metadata["model_hash"] == model.model_hash:
        return library_search(Library.open(None, model))
    return vector_search(model, rows, vectors(rows.smiles))
