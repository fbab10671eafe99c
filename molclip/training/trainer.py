"""The training loop: one process, resumable, honest about what it does."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from molclip.errors import ConfigError
from molclip.losses.clip import clip_loss
from molclip.models.network import DualEncoder
from molclip.text.tokenizer import TextTokenizer
from molclip.training.batches import (
    Plan,
    epoch_rows,
    false_negatives,
    neighbour_batches,
    random_batches,
)
from molclip.training.checkpoints import load_checkpoint, save_checkpoint
from molclip.training.config import TrainingConfig
from molclip.training.pairs import Pairs

Report = Callable[[dict[str, float]], None]


class Trainer:
    """Trains a `DualEncoder` on `Pairs`.

    Parameters
    ----------
    config
        The run.
    network, tokenizer, pairs
        What is trained, and on what.
    folder
        Where checkpoints and the log go.
    report
        Called after every step with the numbers to show.
    evaluate
        Called after an epoch with the averaged network; its numbers go into the log.
    """

    def __init__(
        self,
        config: TrainingConfig,
        network: DualEncoder,
        tokenizer: TextTokenizer,
        pairs: Pairs,
        folder: Path,
        report: Report | None = None,
        evaluate: Callable[[DualEncoder], dict[str, float]] | None = None,
    ) -> None:
        self.config = config
        self.run = config.run
        self.tokenizer = tokenizer
        self.pairs = pairs
        self.folder = folder
        self.report = report
        self.evaluate = evaluate
        self.device = pick_device(config.run.device)
        self.network = network.to(self.device)
        self.average = _copy(self.network) if self.run.ema else None
        self.optimizer = _optimizer(self.network, config)
        self.epoch = 0
        self.step_in_epoch = 0
        self.step = 0
        self.plan: list[Plan] = []
        self.steps_per_epoch = max(
            1,
            math.ceil(float((pairs.chances * pairs.repeats).sum()) / self.run.batch_size),
        )

    # -- running ------------------------------------------------------------------------------

    def train(self) -> DualEncoder:
        """Run to the end, from the last checkpoint if there is one; returns what to save.

        Raises
        ------
        ConfigError
            When the loss is not a finite number: the step, the rows of the batch and the last good
            checkpoint are named.
        """
        self._resume()
        torch.manual_seed(self.run.seed)
        saved_at = time.monotonic()
        while self.epoch < self.run.epochs:
            if not self.plan:
                self.plan = self._plan_epoch()
            while self.step_in_epoch < len(self.plan):
                started = time.monotonic()
                numbers = self._train_step(self.plan[self.step_in_epoch])
                self.step_in_epoch += 1
                self.step += 1
                numbers["pairs_per_second"] = len(self.plan[self.step_in_epoch - 1]) / (
                    time.monotonic() - started
                )
                if self.report:
                    self.report(numbers)
                minutes = (time.monotonic() - saved_at) / 60
                if minutes >= self.run.checkpoint_minutes:
                    self._save()
                    saved_at = time.monotonic()
            self.epoch += 1
            self.step_in_epoch = 0
            self.plan = []
            self._save()
            saved_at = time.monotonic()
            every = self.run.evaluate_every
            if self.evaluate and every and self.epoch % every == 0:
                scores = self.evaluate(self.averaged)
                self._log({"epoch": self.epoch, "step": self.step, **scores})
                if self.report:
                    self.report(scores)
        return self.averaged

    @property
    def averaged(self) -> DualEncoder:
        """The network to evaluate and save: the running average where one is kept."""
        return self.average if self.average is not None else self.network

    def _train_step(self, rows: Plan) -> dict[str, float]:
        self.network.train()
        rate = self._set_rate()
        # Dropout is drawn per step from the seed, so a resumed run draws what an unbroken one does.
        torch.manual_seed(self.run.seed * 1_000_003 + self.step)
        seen: dict[int, int] = {}
        captions = []
        for row in rows.tolist():
            seen[row] = seen.get(row, -1) + 1
            repeat = self.step * 8 + seen[row]
            captions.append(self.pairs.caption(row, self.run.seed, self.epoch, repeat))
        tokens = [encoded.ids for encoded in self.tokenizer.encode([c.text for c in captions])]
        counts = torch.from_numpy(self.pairs.store.dense(self.pairs.feature_rows[rows]))
        mask: Tensor | None = None
        if self.run.mask_false_negatives:
            mask = torch.from_numpy(
                false_negatives(
                    [caption.facts for caption in captions],
                    [self.pairs.held(row) for row in rows.tolist()],
                    [self.pairs.inchikeys[row] for row in rows.tolist()],
                )
            ).to(self.device)
        with torch.autocast(
            self.device.type, dtype=torch.bfloat16, enabled=self.run.precision == "bf16"
        ):
            text = self.network.text.forward_sorted(tokens, self.network.pad_id)
            molecules = self.network.molecule(counts.to(self.device))
        result = clip_loss(text, molecules, self.network.scale, mask)
        value = float(result.loss.detach())
        if not math.isfinite(value):
            names = ", ".join(self.pairs.ids[row] for row in rows[:8].tolist())
            raise ConfigError(
                f"The loss is {value} at step {self.step} (rows {names}, …).",
                f"The last good checkpoint is in {self.folder}; try a lower learning rate.",
            )
        self.optimizer.zero_grad(set_to_none=True)
        result.loss.backward()  # type: ignore[no-untyped-call]
        norm = torch.nn.utils.clip_grad_norm_(
            self.network.parameters(), self.config.optimizer.clip_norm
        )
        self.optimizer.step()
        with torch.no_grad():
            self.network.log_scale.clamp_(max=math.log(self.network.max_scale))
            if self.average is not None:
                decay = min(self.run.ema, (1 + self.step) / (10 + self.step))
                for kept, new in zip(
                    self.average.parameters(), self.network.parameters(), strict=True
                ):
                    kept.lerp_(new, 1 - decay)
        return {
            "epoch": self.epoch + self.step_in_epoch / max(len(self.plan), 1),
            "step": self.step,
            "loss": value,
            "temperature": 1 / float(self.network.scale.detach()),
            "accuracy": float(result.text_to_molecule_accuracy),
            "masked": float(result.masked),
            "gradient_norm": float(norm),
            "learning_rate": rate,
        }

    # -- plan and schedule --------------------------------------------------------------------

    def _plan_epoch(self) -> list[Plan]:
        rows = epoch_rows(self.pairs.chances, self.pairs.repeats, self.run.seed, self.epoch)
        if self.run.neighbours_from is None or self.epoch < self.run.neighbours_from:
            return random_batches(rows, self.run.batch_size)
        return neighbour_batches(
            rows,
            self._molecule_vectors(),
            self.run.batch_size,
            self.run.neighbour_group,
            self.run.seed,
            self.epoch,
        )

    def _molecule_vectors(self) -> npt.NDArray[np.float32]:
        model = self.averaged
        model.eval()
        parts = []
        with torch.inference_mode():
            for start in range(0, len(self.pairs), 2048):
                rows = self.pairs.feature_rows[start : start + 2048]
                counts = torch.from_numpy(self.pairs.store.dense(rows)).to(self.device)
                parts.append(model.molecule(counts).float().cpu().numpy())
        return np.concatenate(parts)

    def _set_rate(self) -> float:
        settings = self.config.optimizer
        total = self.steps_per_epoch * self.run.epochs
        warm = max(1, round(total * settings.warmup))
        if self.step < warm:
            factor = (self.step + 1) / warm
        elif settings.schedule == "cosine":
            done = min(1.0, (self.step - warm) / max(total - warm, 1))
            factor = 0.5 * (1 + math.cos(math.pi * done))
        else:
            factor = 1.0
        rate = settings.learning_rate * factor
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        return rate

    # -- checkpoints --------------------------------------------------------------------------

    def _save(self) -> None:
        save_checkpoint(
            self.folder,
            {
                "network": self.network.state_dict(),
                "average": self.average.state_dict() if self.average is not None else None,
                "optimizer": self.optimizer.state_dict(),
                "epoch": self.epoch,
                "step_in_epoch": self.step_in_epoch,
                "step": self.step,
                "plan": [torch.from_numpy(batch) for batch in self.plan],
                "rows": len(self.pairs),
                "vocabulary": self.tokenizer.size,
            },
        )

    def _resume(self) -> None:
        state = load_checkpoint(self.folder)
        if state is None:
            return
        if state["rows"] != len(self.pairs) or state["vocabulary"] != self.tokenizer.size:
            raise ConfigError(
                f"The checkpoint in {self.folder} is of a run over {state['rows']} molecules; "
                f"this one has {len(self.pairs)}.",
                "Use the same data, or another output folder.",
            )
        self.network.load_state_dict(state["network"])
        if self.average is not None and state["average"] is not None:
            self.average.load_state_dict(state["average"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch, self.step = state["epoch"], state["step"]
        self.step_in_epoch = state["step_in_epoch"]
        self.plan = [batch.numpy() for batch in state["plan"]]

    def _log(self, numbers: dict[str, Any]) -> None:
        with (self.folder / "history.jsonl").open("a", encoding="utf-8") as handle:
            handle.write(json.dumps(numbers) + "\n")


def pick_device(wanted: str) -> torch.device:
    """`auto`: the GPU if there is one."""
    if wanted != "auto":
        return torch.device(wanted)
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def _copy(network: DualEncoder) -> DualEncoder:
    import copy

    average = copy.deepcopy(network)
    for parameter in average.parameters():
        parameter.requires_grad_(False)
    return average


def _optimizer(network: DualEncoder, config: TrainingConfig) -> torch.optim.Optimizer:
    """AdamW; norms, biases and the temperature are not decayed."""
    decayed = [p for p in network.parameters() if p.ndim >= 2]
    plain = [p for p in network.parameters() if p.ndim < 2]
    settings = config.optimizer
    return torch.optim.AdamW(
        [
            {"params": decayed, "weight_decay": settings.weight_decay},
            {"params": plain, "weight_decay": 0.0},
        ],
        lr=settings.learning_rate,
        betas=settings.betas,
        fused=True,
    )
