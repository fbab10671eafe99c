"""How well a model finds the molecule of a text, and the text of a molecule."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from molclip.chem.molecule import ParseFailure
from molclip.errors import InputError, ModelError
from molclip.evaluation.correction import Correction, CorrectionResult, correct
from molclip.evaluation.crowding import crowding
from molclip.evaluation.encoding import (
    Encoded,
    Encoder,
    Progress,
    checked,
    encode_molecules,
    encode_texts,
)
from molclip.evaluation.pairs import RetrievalData
from molclip.evaluation.ranks import FloatArray, IntArray, Ranks, rank_vectors
from molclip.evaluation.settings import TIES, Directions, Pool, Setting, measure_settings
from molclip.evaluation.slices import Labels, Slice, measure_slices


@dataclass(frozen=True)
class RetrievalResult:
    """All settings of one evaluation."""

    data: RetrievalData
    settings: Sequence[Setting]
    failures: Sequence[ParseFailure]
    """Pool rows without a vector; each stays in the pool, and its texts count as misses."""
    seed: int
    slices: Sequence[Slice] = ()
    """Of the first setting."""
    crowds: Sequence[Setting] = ()
    """See `crowding`; empty where it was not asked for or cannot be."""
    correction: CorrectionResult | None = None
    corrected: Sequence[Setting] = ()
    """What the correction changes: the texts in the whole pool with it, and the training texts
    without and with it. Never mixed with the plain settings."""

    def __getitem__(self, key: str) -> Setting:
        return next(setting for setting in self._all() if setting.key == key)

    def _all(self) -> tuple[Setting, ...]:
        return (*self.settings, *self.crowds, *self.corrected)

    def write_ranks(self, path: str | Path) -> None:
        """Write the rank of every query under each tie policy as CSV.

        Columns: setting, query_id, pessimistic, expected, optimistic, missed.
        """
        with Path(path).open("w", encoding="utf-8", newline="") as handle:
            writer = csv.writer(handle)
            writer.writerow(["setting", "query_id", *TIES, "missed"])
            for setting in self._all():
                columns = [setting.ranks.ranks(ties).tolist() for ties in TIES]
                missed = setting.ranks.missed.astype(int).tolist()
                for row in zip(setting.query_ids, *columns, missed, strict=True):
                    writer.writerow([setting.key, row[0], *(f"{value:g}" for value in row[1:])])


@dataclass(frozen=True)
class VectorRanker:
    """Ranks by dot product; see `settings.Ranker`."""

    texts: FloatArray
    """(Q, D) unit vectors."""
    molecules: FloatArray
    """(P, D) unit vectors of the pool, NaN where a molecule is invalid."""
    directions: Directions

    def text_to_molecule(self, columns: IntArray) -> Ranks:
        """Ranks of all Q texts among the molecules at these places."""
        return rank_vectors(self.texts, self.molecules[columns], self.directions.targets, columns)

    def molecule_to_text(self) -> Ranks:
        """Ranks of the described molecules among all Q texts."""
        described, targets = self.directions.described, self.directions.targets
        return rank_vectors(self.molecules[described], self.texts, described, targets)


def evaluate_retrieval(
    model: Encoder,
    data: RetrievalData,
    *,
    pool: Pool = "all",
    labels: Sequence[Labels] = (),
    crowded: bool = False,
    correction: Correction | None = None,
    seed: int = 0,
    samples: int = 1000,
    progress: Progress | None = None,
    encode_pool: Callable[[Sequence[str]], Encoded] | None = None,
    encode_bank: Callable[[Sequence[str]], FloatArray] | None = None,
) -> RetrievalResult:
    """Rank every text's molecule in the pool, and every molecule's text among the texts.

    Scores are dot products in float32. The right answer to a text is the pool row with its id,
    so a duplicate of that molecule under another id is a wrong answer that ties. A pool row that
    cannot be embedded stays in the pool, and its text is a miss.

    Parameters
    ----------
    model
        `MolCLIP`, the image baseline, or anything else with their two methods.
    data
        See `molclip.evaluation.pairs`.
    pool
        `all`: the whole pool, and beside it the molecules that have a text alone, which is an
        easier task; `split`: only the latter.
    labels
        Kinds of queries to give figures of their own, see `slices.label_queries`.
    crowded
        Also rank among as many seen as unseen others, see `crowding`.
    correction
        Also rank with a query-time correction, given apart; see `molclip.evaluation.correction`.
    seed, samples
        Of the bootstrap, and the seed of the halves on which a correction is chosen.
    progress
        Told how far the encoding is.
    encode_pool
        Embeds SMILES in place of `model.encode_molecules`, e.g. from cached features.
    encode_bank
        Embeds the correction's texts in place of `model.encode_text`, e.g. from a cache.

    Raises
    ------
    InputError
        When a correction is asked for and there are no training texts to make it from, the pool
        has no training molecules, or the texts to rank are training texts themselves.
    ModelError
        When the model gives something else than one vector per input.
    """
    if correction is not None:
        _check_correction(data, pool)
    report = progress or _no_progress
    directions = Directions.of(data, pool)
    smiles = [data.pool_smiles[row] for row in directions.rows.tolist()]
    texts = encode_texts(model, data.texts, "texts", report)
    if encode_pool is None:
        molecules, failures = encode_molecules(model, smiles, report)
    else:
        encoded = encode_pool(smiles)
        molecules, failures = checked(encoded.vectors, len(smiles)), list(encoded.failures)
    if texts.shape[1] != molecules.shape[1]:
        raise ModelError(
            f"Text vectors have {texts.shape[1]} dimensions and molecule vectors "
            f"{molecules.shape[1]}.",
            "Use a model whose two encoders were trained together.",
        )
    ranker = VectorRanker(texts, molecules, directions)
    settings = measure_settings(ranker, data, directions, samples=samples, seed=seed)
    slices = measure_slices(settings[0].ranks, labels, samples=samples, seed=seed)
    crowds: Sequence[Setting] = ()
    if crowded and pool == "all":
        crowds = crowding(ranker, data, directions, samples=samples, seed=seed)
    result = RetrievalResult(data, settings, failures, seed, slices, crowds)
    if correction is None:
        return result

    def encode(part: Sequence[str], stage: str) -> FloatArray:
        if encode_bank is not None:
            return checked(encode_bank(part), len(part))
        return encode_texts(model, part, stage, report)

    training = encode(data.bank, "training texts")
    bank = training
    if data.captions:
        bank = np.concatenate([training, encode(data.captions, "captions")])
    place = {identifier: row for row, identifier in enumerate(data.pool_ids)}
    # A training text of a molecule outside the pool has no right answer there, hence no control.
    known = [row for row, identifier in enumerate(data.bank_ids) if identifier in place]
    control = np.array([place[data.bank_ids[row]] for row in known], dtype=np.int64)
    found = correct(
        texts,
        directions.targets,
        training[known],
        control,
        molecules,
        bank,
        np.array(data.trained, dtype=bool),
        correction,
        seed,
    )
    training_ids = [data.bank_ids[row] for row in known]
    corrected = _corrected_settings(found, data, training_ids, samples=samples, seed=seed)
    return replace(result, correction=found, corrected=corrected)


def _corrected_settings(
    found: CorrectionResult,
    data: RetrievalData,
    training_ids: Sequence[str],
    *,
    samples: int,
    seed: int,
) -> list[Setting]:
    def measured(
        key: str, title: str, ids: Sequence[str], ranks: Ranks, strengths: tuple[float, ...] = ()
    ) -> Setting:
        return Setting.measure(
            key, title, list(ids), ranks, samples=samples, seed=seed, strengths=strengths
        )

    key = "training_text_to_molecule"
    settings = [measured(key, "training texts\nplain", training_ids, found.training)]
    for each in found.corrected:
        for start, title, ids, ranks in (
            ("text_to_molecule", "texts", data.text_ids, each.texts),
            (key, "training texts", training_ids, each.training),
        ):
            settings.append(
                measured(
                    f"{start}_{each.name}", f"{title}\n{each.name}", ids, ranks, each.strengths
                )
            )
    return settings


def _no_progress(*_: object) -> None:
    """Say nothing."""


def _check_correction(data: RetrievalData, pool: Pool) -> None:
    if not data.bank:
        raise InputError(
            f"{data.name} has no training texts, which the correction is made from.",
            "Leave --correction out, or add chebi20_train_text.tsv.gz to the data folder.",
        )
    if data.split == "train":
        raise InputError(
            "The correction is made from training texts, so it says nothing about the train split.",
            "Leave --correction out or evaluate another split.",
        )
    if pool == "split":
        raise InputError(
            "The correction is about training molecules in the pool, and the small pool has none.",
            "Leave --correction out or use --pool all.",
        )
    if not any(data.trained):
        raise InputError(
            f"{data.name} does not say which molecules are for training.",
            "Leave --correction out, or use --data with ChEBI-20.",
        )
