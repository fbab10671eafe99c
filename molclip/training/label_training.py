"""The loop of fine-tuning: batches of labelled molecules until validation stops improving."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from molclip.errors import ConfigError
from molclip.evaluation.label_scores import headline, task_scores
from molclip.training.label_network import FloatArray, LabelNetwork

Report = Callable[[dict[str, float]], None]
IntArray = npt.NDArray[np.int64]

_HEAD_FACTOR = 10
"""The head is new and learns faster than the encoder, which has something to lose."""
_EVALUATED_AT_ONCE = 512


@dataclass(frozen=True)
class FineTuneSettings:
    """How the encoder is trained."""

    epochs: int = 20
    """At most; training stops earlier when `patience` runs out."""
    batch_size: int = 64
    learning_rate: float = 3e-4
    """Of the encoder, after a first epoch in which it rises; the head has ten times as much."""
    weight_decay: float = 0.01
    """Not applied to norms and biases."""
    dropout: float = 0.2
    """On the features before the head."""
    patience: int = 5
    """Epochs without a better validation figure before training stops."""
    freeze: bool = False
    """Train the head alone."""
    seed: int = 0
    """Of the split, the order of the molecules, dropout and the head's first weights."""
    device: str = "auto"
    """`auto`, `cpu` or `cuda`."""


class LabelTraining:
    """Trains a `LabelNetwork`.

    Parameters
    ----------
    network
        On its device.
    inputs
        Encoder input of each of M molecules.
    labels
        Float ``(M, T)``, NaN where there is none.
    train, validation
        Places in `inputs`.
    settings
        See `FineTuneSettings`.
    """

    def __init__(
        self,
        network: LabelNetwork,
        inputs: Sequence[Any],
        labels: FloatArray,
        train: IntArray,
        validation: IntArray,
        settings: FineTuneSettings,
    ) -> None:
        self.network = network
        self.device = network.means.device
        self.inputs = inputs
        self.labels = labels
        self.train, self.validation = train, validation
        self.settings = settings
        self.step = 0
        self.steps_per_epoch = math.ceil(len(train) / settings.batch_size)
        self.frozen = self._features() if settings.freeze else None
        network.encoder.requires_grad_(not settings.freeze)
        self.optimizer = torch.optim.AdamW(self._groups(), fused=True)
        self.rates = [float(group["lr"]) for group in self.optimizer.param_groups]

    def run(
        self, report: Report | None = None, log: Path | None = None
    ) -> tuple[list[dict[str, float]], int]:
        """Train; the network is left with the weights of the best epoch.

        Returns
        -------
        Numbers of each epoch (`epoch`, counted from 1, `loss`, `validation loss`, `validation
        score`), and the best epoch.

        Raises
        ------
        ConfigError
            When the loss is no finite number.
        """
        history: list[dict[str, float]] = []
        best = -math.inf, 0
        kept: dict[str, Tensor] = {}
        for epoch in range(1, self.settings.epochs + 1):
            loss = self._train_epoch(epoch)
            numbers = {"epoch": epoch, "loss": loss, **self._validate()}
            history.append(numbers)
            if log is not None:
                with log.open("a", encoding="utf-8") as handle:
                    handle.write(json.dumps(numbers) + "\n")
            if report is not None:
                report(numbers)
            if numbers["validation score"] > best[0]:
                best = numbers["validation score"], epoch
                kept = copy.deepcopy(self.network.state_dict())
            elif epoch - best[1] >= self.settings.patience:
                break
        self.network.load_state_dict(kept)
        self.network.eval()
        return history, best[1]

    def _train_epoch(self, epoch: int) -> float:
        self.network.train()
        if self.frozen is not None:
            self.network.encoder.eval()
        order = np.random.default_rng((self.settings.seed, epoch)).permutation(self.train)
        losses = []
        for start in range(0, len(order), self.settings.batch_size):
            rows = order[start : start + self.settings.batch_size]
            self._set_rates()
            outputs = self._outputs(rows)
            loss = self.network.loss(outputs, self._labels(rows))
            value = _finite(float(loss.detach()), f"in epoch {epoch}")
            # Kept and zeroed: new memory for every gradient costs more than the arithmetic.
            self.optimizer.zero_grad(set_to_none=False)
            loss.backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(self.network.parameters(), 1.0)
            self.optimizer.step()
            self.step += 1
            losses.append(value)
        return fmean(losses)

    def _validate(self) -> dict[str, float]:
        """Loss, and what decides: the higher the better."""
        network, rows = self.network, self.validation
        network.eval()
        parts = []
        with torch.inference_mode():
            for start in range(0, len(rows), _EVALUATED_AT_ONCE):
                parts.append(self._outputs(rows[start : start + _EVALUATED_AT_ONCE]))
            outputs = torch.cat(parts)
            loss = _finite(float(network.loss(outputs, self._labels(rows))), "on validation")
            predictions = network.predictions(outputs)
        scores = []
        for place, task in enumerate(network.tasks):
            score = task_scores(task, self.labels[rows, place], predictions[place])
            value = score[headline(task)]
            if value is not None:
                spread = float(network.deviations[place])
                scores.append(-value / spread if task.kind == "regression" else value)
        # Where no figure is defined (one class in every task), the likelihood decides.
        return {"validation loss": loss, "validation score": fmean(scores) if scores else -loss}

    def _outputs(self, rows: IntArray) -> Tensor:
        if self.frozen is not None:
            return self.network.answer(self.frozen[torch.from_numpy(rows)])
        encoder = self.network.encoder
        batch = encoder.collate([self.inputs[row] for row in rows.tolist()])
        outputs: Tensor = self.network(batch.to(self.device))
        return outputs

    def _labels(self, rows: IntArray) -> Tensor:
        return torch.tensor(self.labels[rows], dtype=torch.float32, device=self.device)

    def _features(self) -> Tensor:
        """Features of all molecules, for an encoder that will not change."""
        encoder = self.network.encoder.eval()
        parts = []
        with torch.no_grad():
            for start in range(0, len(self.inputs), _EVALUATED_AT_ONCE):
                batch = encoder.collate(self.inputs[start : start + _EVALUATED_AT_ONCE])
                parts.append(encoder.features(batch.to(self.device)).float())
        return torch.cat(parts)

    def _groups(self) -> list[dict[str, Any]]:
        """Parameters with their rates; norms and biases are not decayed."""
        rate = self.settings.learning_rate
        # The encoder's own projection head gives no output here and is left alone.
        unused = {id(p) for p in self.network.encoder.projection.parameters()}
        groups = []
        for module, factor in ((self.network.encoder, 1), (self.network.head, _HEAD_FACTOR)):
            for decayed in (True, False):
                parameters = [
                    p
                    for p in module.parameters()
                    if p.requires_grad and id(p) not in unused and (p.ndim >= 2) == decayed
                ]
                decay = self.settings.weight_decay if decayed else 0.0
                if parameters:
                    groups.append(
                        {"params": parameters, "lr": rate * factor, "weight_decay": decay}
                    )
        return groups

    def _set_rates(self) -> None:
        """Rates rise over the first epoch: a new head sends noise into the encoder."""
        factor = min(1.0, (self.step + 1) / self.steps_per_epoch)
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * factor


def _finite(loss: float, where: str) -> float:
    if not math.isfinite(loss):
        raise ConfigError(f"The loss is {loss} {where}.", "Try a lower learning rate.")
    return loss
