"""A molecule encoder with a linear head for labels: outputs, loss and answers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from molclip.datasets.labels import Task
from molclip.models.molecule_encoder import MoleculeEncoder

FloatArray = npt.NDArray[np.float64]


class LabelNetwork(nn.Module):
    """Features of the encoder before its projection head, and one linear layer for all tasks.

    A binary task has one output (a logit), a task of C classes has C (logits), a regression task
    one (the value in standard deviations from the mean of the training set).

    Parameters
    ----------
    encoder
        Trained with the head, or kept as it is; its projection head is not used.
    tasks
        T tasks, in the order of the labels.
    means, deviations
        Of the training labels, ``(T,)``; 0 and 1 for classification.
    dropout
        On the features, while training.
    """

    def __init__(
        self,
        encoder: MoleculeEncoder,
        tasks: Sequence[Task],
        means: FloatArray | None = None,
        deviations: FloatArray | None = None,
        dropout: float = 0.0,
    ) -> None:
        super().__init__()
        self.encoder = encoder
        self.tasks = tuple(tasks)
        self.dropout = nn.Dropout(dropout)
        widths = [outputs_of(task) for task in self.tasks]
        self.head = nn.Linear(encoder.width, sum(widths))
        ends = np.cumsum([0, *widths]).tolist()
        self._places = [slice(a, b) for a, b in pairwise(ends)]
        count = len(self.tasks)
        self.means: Tensor
        self.deviations: Tensor
        shift = np.zeros(count) if means is None else means
        spread = np.ones(count) if deviations is None else deviations
        self.register_buffer("means", torch.tensor(shift, dtype=torch.float32))
        self.register_buffer("deviations", torch.tensor(spread, dtype=torch.float32))

    def forward(self, batch: Any) -> Tensor:
        """Outputs ``(N, sum of widths)`` of a batch of the encoder."""
        return self.answer(self.encoder.features(batch))

    def answer(self, features: Tensor) -> Tensor:
        """Outputs of features ``(N, width)`` that the encoder has already made."""
        outputs: Tensor = self.head(self.dropout(features))
        return outputs.float()

    def loss(self, outputs: Tensor, labels: Tensor) -> Tensor:
        """Mean loss over the labels that are there: cross-entropy, or squared error.

        Parameters
        ----------
        outputs
            From `forward`.
        labels
            Float ``(N, T)``, NaN where there is none; see `datasets.labels`.

        Returns
        -------
        Scalar; zero, with a gradient of zero, where no row has a label.
        """
        total = outputs.sum() * 0.0
        count = 0
        for number, (task, place) in enumerate(zip(self.tasks, self._places, strict=True)):
            known = ~torch.isnan(labels[:, number])
            asked, answered = labels[known, number], outputs[known, place]
            count += len(asked)
            if task.kind == "binary":
                total = total + nn.functional.binary_cross_entropy_with_logits(
                    answered[:, 0], asked, reduction="sum"
                )
            elif task.kind == "multiclass":
                total = total + nn.functional.cross_entropy(answered, asked.long(), reduction="sum")
            else:
                wanted = (asked - self.means[number]) / self.deviations[number]
                total = total + ((answered[:, 0] - wanted) ** 2).sum()
        return total / max(count, 1)

    def predictions(self, outputs: Tensor) -> list[FloatArray]:
        """Outputs as answers: for each task probabilities ``(N, C)``, or values ``(N,)``."""
        found = []
        outputs = outputs.double()
        for number, (task, place) in enumerate(zip(self.tasks, self._places, strict=True)):
            part = outputs[:, place]
            if task.kind == "binary":
                positive = torch.sigmoid(part)
                answer = torch.cat([1 - positive, positive], dim=1)
            elif task.kind == "multiclass":
                answer = torch.softmax(part, dim=1)
            else:
                answer = part[:, 0] * self.deviations[number] + self.means[number]
            found.append(answer.cpu().numpy())
        return found


def outputs_of(task: Task) -> int:
    """Outputs of the head for a task."""
    return len(task.classes) if task.kind == "multiclass" else 1


def scales(tasks: Sequence[Task], labels: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Means and standard deviations of labels ``(N, T)``; 0 and 1 for classification."""
    means, deviations = np.zeros(len(tasks)), np.ones(len(tasks))
    for number, task in enumerate(tasks):
        if task.kind == "regression":
            column = labels[~np.isnan(labels[:, number]), number]
            means[number] = column.mean()
            deviations[number] = column.std() or 1.0
    return means, deviations
