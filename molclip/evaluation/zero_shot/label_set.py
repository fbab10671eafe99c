"""Labels, the molecules they are measured on, and those of the training side."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from molclip.evaluation.zero_shot.scores import BoolArray

ALL = "all"
NEW_SKELETON = "new skeleton"

NAME = "name"
"""Prompt variant: the bare label."""
ENSEMBLE = "ensemble"
"""Prompt variant: sentences around the label, averaged."""
PLAIN = "everyday words"
"""Prompt variant: phrases of the hand-written lexicon, averaged."""
DESCRIPTION = "description"
"""Prompt variant: the written definition of the class."""


@dataclass(frozen=True)
class Label:
    """One label and the sentences that stand for it."""

    id: str
    """Id in its source, or the label itself."""
    name: str
    prompts: Mapping[str, tuple[str, ...]]
    """Sentences by variant; the vector of a variant is the mean of its sentences' vectors."""


@dataclass(frozen=True)
class LabelSet:
    """A zero-shot task.

    Raises
    ------
    ValueError
        When arrays do not fit the molecules and labels.
    """

    name: str
    """As on the command line."""
    title: str
    molecules: str
    """Which molecules these are, for the report."""
    kind: str
    """Kind of label, as in the list of withheld labels."""
    labels: Sequence[Label]
    smiles: Sequence[str]
    """N molecules to label."""
    truth: BoolArray
    """(N, L)."""
    training_smiles: Sequence[str]
    """M molecules for the supervised reference and the nearest-neighbour baseline."""
    training_truth: BoolArray
    """(M, L)."""
    minimum: int
    """Molecules with and without the label that a label needs to be measured."""
    templates: Sequence[str] = ()
    """Templates of the ensemble, in the order of each label's sentences."""
    exclusive: bool = False
    """Each molecule has one label, as a rule, so top-k means something."""
    slices: Mapping[str, BoolArray] = field(default_factory=dict)
    """Further choices of the molecules, each (N,)."""
    left_out: int = 0
    """Molecules whose structure or labels cannot be read."""

    def __post_init__(self) -> None:
        if self.truth.shape != (len(self.smiles), len(self.labels)):
            raise ValueError(f"truth of shape {self.truth.shape} does not fit {self.name}")
        if self.training_truth.shape != (len(self.training_smiles), len(self.labels)):
            raise ValueError(f"training truth does not fit {self.name}")

    @property
    def variants(self) -> tuple[str, ...]:
        """Prompt variants that at least one label has, in the order of the first label's."""
        return tuple(dict.fromkeys(key for label in self.labels for key in label.prompts))

    def rows(self, chosen: str) -> npt.NDArray[np.int64]:
        """Return the molecules of a slice, `ALL` or a key of `slices`."""
        if chosen == ALL:
            return np.arange(len(self.smiles))
        return np.flatnonzero(self.slices[chosen])

    def measurable(self, rows: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the labels that enough of these molecules have, and enough have not."""
        positives = self.truth[rows].sum(axis=0)
        enough = (positives >= self.minimum) & (len(rows) - positives >= self.minimum)
        return np.flatnonzero(enough)
