"""The whole calibration of one model."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from molclip.errors import InputError
from molclip.evaluation.calibration.domain_check import (
    DomainResult,
    drawn_elsewhere,
    measure_domain_check,
)
from molclip.evaluation.calibration.held_out import HeldOut
from molclip.evaluation.calibration.labels import LabelResult, measure_labels
from molclip.evaluation.calibration.levels import LevelResult, measure_levels
from molclip.evaluation.calibration.pool import Pool
from molclip.search.match_level import Calibration
from molclip.search.seen import SeenMolecules

if TYPE_CHECKING:
    from molclip.evaluation.encoders import LoadedEncoder

Progress = Callable[[str, int, int | None], None]

PARTS = ("levels", "labels", "domain")
BACKGROUND = 20_000
"""Background molecules of labels, as many as `molclip classify` draws."""


@dataclass(frozen=True)
class CalibrationRun:
    """What was measured, and what could not be."""

    held_out: HeldOut
    pool: int
    levels: LevelResult | None
    level_source: str
    """What set the levels."""
    labels: Sequence[LabelResult]
    domain: DomainResult | None
    domain_source: str
    notes: Sequence[str]


def evaluate_calibration(
    encoder: LoadedEncoder,
    pairs: Sequence[tuple[str, str]],
    parts: Sequence[str] = PARTS,
    *,
    folder: Any = None,
    progress: Progress | None = None,
    seed: int = 0,
) -> CalibrationRun:
    """Measure a model.

    Parameters
    ----------
    encoder
        `molclip.evaluation.encoders.molclip_encoder(name, workers, progress)`.
    pairs
        Held-out `(text, SMILES)`; those that levels were set by are left out.
    parts
        From `PARTS`.
    folder
        Of the data sets that show where the domain ends; None is what `MOLCLIP_DATA` names.
    progress
        Told what is being done.
    seed
        Of everything that is drawn.

    Raises
    ------
    InputError
        For an unknown part, or where no text is left.
    """
    unknown = [part for part in parts if part not in PARTS]
    if unknown:
        raise InputError(f"There is no part {unknown[0]!r}.", f"Use {', '.join(PARTS)}.")
    show: Progress = progress or (lambda *_: None)
    model: Any = encoder.model
    seen = SeenMolecules.beside(model.folder)
    show("molecules of the library", 0, None)
    pool = Pool.of(encoder)
    held = HeldOut.of(pairs, pool, seen, seed)
    if not held.texts:
        raise InputError(
            "No held-out text is left: the library knows none of their molecules, or the model "
            "was trained on all of them.",
            "Give texts of molecules that ChEBI has and the model has not seen.",
        )
    asked = held.asked(pool)
    notes = _notes(held, seen)
    levels, labels, domain = None, [], None
    calibration = Calibration.beside(model.folder, model.model_hash)
    with warnings.catch_warnings():
        # A description longer than the model reads is cut, here as in a search.
        warnings.filterwarnings("ignore", message=".*were cut")
        if "levels" in parts and calibration is not None:
            show("questions on the library", 0, None)
            named = [(pool.ontology.name(term), row) for term, row in held.terms]
            true = [*zip(held.texts, held.rows, strict=True), *named]
            levels = measure_levels(model, calibration, pool, asked, true, seed)
        elif "levels" in parts:
            notes.append(
                "The model has no match levels (match_level.json), so they are not measured: "
                "python -m molclip.data.build_match_levels."
            )
        if "labels" in parts:
            show("labels", 0, None)
            background = pool.background(BACKGROUND)
            made = (
                measure_labels(model, pool, held.rows, kind, background, seed)
                for kind in ("class", "role")
            )
            labels = [result for result in made if result is not None]
        judge = pool.library.judge if pool.library is not None else None
        if "domain" in parts and judge is not None and judge.domain is not None:
            assert pool.library is not None
            domain = measure_domain_check(
                pool.library,
                pool,
                held.texts,
                held.rows,
                asked,
                drawn_elsewhere(folder, seed),
                show,
            )
        elif "domain" in parts:
            notes.append(
                "The embedded library is not of this model, or the model has no "
                "applicability.json, so its domain is not measured: "
                "python -m molclip.data.build_applicability."
            )
    return CalibrationRun(
        held,
        len(pool.vectors),
        levels,
        "" if calibration is None else calibration.true_source,
        labels,
        domain,
        "" if judge is None or judge.domain is None else judge.domain.source,
        notes,
    )


def _notes(held: HeldOut, seen: SeenMolecules | None) -> list[str]:
    notes = []
    if held.in_sample:
        notes.append(
            "These texts are too few to keep some apart: if the same texts set the levels, the "
            "figures flatter them."
        )
    if seen is None:
        notes.append("The model does not say what it was trained on; no text was left out for it.")
    return notes
