"""Zero-shot labels: which of these words fits a molecule, and does any of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from molclip.chem.molecule import Molecule, ParseFailure
from molclip.errors import InputError
from molclip.text.words import is_strange

if TYPE_CHECKING:
    from molclip.models.molclip import MolCLIP, MoleculeEmbeddings

FloatArray = npt.NDArray[np.float32]

NONE_OF_THESE = "none of these"


@dataclass(frozen=True)
class ZeroShotResult:
    """Labels ranked for N molecules; all arrays are row-aligned with the input.

    Parameters
    ----------
    labels
        The L labels asked for.
    scores
        Cosine similarity, float32 ``(N, L)``; NaN rows where a molecule is invalid.
    percentiles
        Share of the background that fits each label less well, 0 to 1, float32 ``(N, L)``; None
        without a background.
    molecules
        `Molecule`, or the `ParseFailure` in its row.
    threshold
        Best percentile under which the answer is `none of these`.
    templates
        The prompts behind the labels.
    """

    labels: list[str]
    scores: FloatArray
    percentiles: FloatArray | None
    molecules: list[Molecule | ParseFailure]
    threshold: float
    templates: tuple[str, ...]
    strange: frozenset[str] = frozenset()
    """Labels of words that the model has never met; ranked, but never the answer."""

    @property
    def failures(self) -> list[ParseFailure]:
        """Rows without an answer."""
        return [item for item in self.molecules if isinstance(item, ParseFailure)]

    @property
    def answers(self) -> list[str | None]:
        """Best label of each molecule, `none of these`, or None for an invalid row."""
        return [
            self.ranked(row)[0]["label"] if self._valid(row) else None for row in range(len(self))
        ]

    def __len__(self) -> int:
        return len(self.molecules)

    def _valid(self, row: int) -> bool:
        return not np.isnan(self.scores[row, 0])

    def ranked(self, row: int) -> list[dict[str, Any]]:
        """Labels of one molecule, best first, as dictionaries of label, score and percentile.

        With a background the order is by percentile, since labels differ in how high they score
        for any molecule; `none of these` stands first when no label reaches the threshold. Strange
        labels come last. Empty for an invalid row.
        """
        if not self._valid(row):
            return []
        scores = self.scores[row]
        if self.percentiles is None:
            order = np.argsort(-scores, kind="stable")
            return [
                {"label": self.labels[i], "score": float(scores[i]), "percentile": None}
                for i in order
            ]
        percentiles = self.percentiles[row]
        strange = np.array([label in self.strange for label in self.labels])
        order = np.lexsort((-scores, -percentiles, strange))
        listed: list[dict[str, Any]] = [
            {
                "label": self.labels[i],
                "score": float(scores[i]),
                "percentile": float(percentiles[i]),
            }
            for i in order
        ]
        best = listed[0]
        if best["label"] in self.strange or best["percentile"] < self.threshold:
            listed.insert(0, {"label": NONE_OF_THESE, "score": None, "percentile": None})
        return listed

    def to_dict(self) -> list[dict[str, Any]]:
        """One record per input row: row, id, name, smiles, answer, labels or failure."""
        records: list[dict[str, Any]] = []
        for row, item in enumerate(self.molecules):
            if isinstance(item, ParseFailure):
                records.append(
                    {
                        "row": item.row,
                        "id": item.id,
                        "name": item.name,
                        "smiles": None,
                        "answer": None,
                        "labels": [],
                        "failure": f"{item.reason} {item.hint}".strip(),
                        "input": item.input,
                    }
                )
                continue
            ranked = self.ranked(row)
            records.append(
                {
                    "row": item.row,
                    "id": item.id,
                    "name": item.name,
                    "smiles": item.smiles,
                    "answer": ranked[0]["label"],
                    "labels": [r for r in ranked if r["score"] is not None],
                    "failure": None,
                    "input": item.input,
                }
            )
        return records


def percentiles_among(scores: FloatArray, background: FloatArray) -> FloatArray:
    """Share of background scores below each score, ties counted half; both by label.

    Parameters
    ----------
    scores
        float32 ``(N, L)``.
    background
        float32 ``(M, L)``, no NaN.

    Returns
    -------
    float32 array ``(N, L)``, 0 to 1; NaN where the score is.
    """
    result = np.full(scores.shape, np.nan, dtype=np.float32)
    for label in range(scores.shape[1]):
        column = np.sort(background[:, label])
        mine = scores[:, label]
        known = ~np.isnan(mine)
        below = np.searchsorted(column, mine[known], side="left")
        not_above = np.searchsorted(column, mine[known], side="right")
        result[known, label] = (below + not_above) / (2 * len(column))
    return result


def classify(
    model: MolCLIP,
    encoded: MoleculeEmbeddings,
    labels: Sequence[str],
    background: FloatArray | None,
    templates: Sequence[str],
    threshold: float,
) -> ZeroShotResult:
    """The work behind `MolCLIP.zero_shot_classify`; see there.

    Raises
    ------
    InputError
        For no labels, one that is no string or is `none of these`, a label twice, a background of
        another width, or a threshold outside 0 to 1.
    """
    names = _names(labels)
    if not names:
        raise InputError("There are no labels.", "Give at least one.")
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InputError(f"The label {twice[0]!r} is given twice.", "Give each label once.")
    if not 0 <= threshold <= 1:
        raise InputError(f"The threshold {threshold} is no share.", "Give a number from 0 to 1.")
    vectors = model.encode_labels(names, templates)
    scores = encoded.vectors @ vectors.T
    known = model.known_words
    percentiles = None
    if background is not None:
        usable = _vectors(background, model.dimension)
        usable = usable[~np.isnan(usable[:, 0])]
        if not len(usable):
            raise InputError("The background holds no vectors.", "Give at least some hundreds.")
        percentiles = percentiles_among(scores, usable @ vectors.T)
    return ZeroShotResult(
        names,
        scores,
        percentiles,
        list(encoded.molecules),
        threshold,
        tuple(templates),
        frozenset(name for name in names if known is not None and is_strange(name, known)),
    )


def _names(labels: Sequence[str]) -> list[str]:
    if isinstance(labels, str):
        labels = [labels]
    try:
        given = list(labels)
    except TypeError:
        raise InputError(
            f"Labels were given as a {type(labels).__name__}.", "Give a list of strings."
        ) from None
    for number, label in enumerate(given, start=1):
        if not isinstance(label, str):
            raise InputError(
                f"Label {number} is {label!r}, a {type(label).__name__}.",
                "Give words: the model compares what they mean.",
            )
    names = [" ".join(label.split()) for label in given]
    if any(name.casefold() == NONE_OF_THESE for name in names):
        # As a label it would be ranked by its words, and not be told from the answer.
        raise InputError(
            f"{NONE_OF_THESE!r} is no label: it is the answer where no label stands out.",
            "Leave it out.",
        )
    return names


def _vectors(background: Any, dimension: int) -> FloatArray:
    try:
        vectors = np.asarray(background, dtype=np.float32)
    except (TypeError, ValueError):
        raise InputError(
            f"The background is a {type(background).__name__} that holds no numbers.",
            f"Give unit vectors of shape (M, {dimension}), such as Library.open().vectors(4000).",
        ) from None
    if vectors.ndim != 2 or vectors.shape[1] != dimension:
        raise InputError(
            f"The background has the shape {vectors.shape}; this model's vectors have "
            f"{dimension} numbers.",
            f"Give vectors of the same model, of shape (M, {dimension}).",
        )
    return vectors
