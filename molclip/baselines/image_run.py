"""The training loop of the image model: one process on the CPU, resumable, the same for one seed."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from molclip.baselines.drawings import Drawings
from molclip.baselines.image_config import ImageClipConfig
from molclip.baselines.image_model import normalised, tokenizer
from molclip.errors import ConfigError
from molclip.losses.clip import clip_loss
from molclip.losses.terms import Negatives, Terms
from molclip.training.batches import Plan, epoch_rows, random_batches
from molclip.training.checkpoints import load_checkpoint, save_checkpoint
from molclip.training.false_negatives import FalseNegatives
from molclip.training.optimizer import rate_at
from molclip.training.pairs import Pairs
from molclip.training.precision import computes_in_bf16

Report = Callable[[dict[str, float]], None]

HISTORY_FILE = "history.jsonl"
_HIGHEST_SCALE = math.log(100)
_LOG_EVERY = 50


class ImageRun:
    """Trains an open_clip model on drawings and captions.

    Parameters
    ----------
    config
        The run.
    network
        See `image_model.build_network`.
    pairs
        Training rows.
    drawn
        Row-aligned with `pairs`; rows without drawings are left out.
    report
        Called with the numbers of every step and evaluation.
    """

    def __init__(
        self,
        config: ImageClipConfig,
        network: Any,
        pairs: Pairs,
        drawn: Drawings,
        report: Report | None,
    ) -> None:
        self.config = config
        # On a CPU convolutions are faster with channels innermost.
        self.network = network.to(memory_format=torch.channels_last)
        self.pairs = pairs
        self.drawn = drawn
        self.report = report
        self.false = FalseNegatives(pairs, config.negatives.rules)
        self.tokenize = tokenizer(config)
        self.optimizer = _optimizer(network, config)
        self.rate = config.optimizer.schedule()
        self.bf16 = computes_in_bf16(config.run.precision, torch.device("cpu"))
        self.chances = np.where(drawn.drawn, pairs.chances, 0.0)
        expected = float((self.chances * pairs.repeats).sum())
        self.total = max(1, math.ceil(expected / config.run.batch_size)) * config.run.epochs
        self.epoch = self.step = self.step_in_epoch = 0
        self.history: list[dict[str, float]] = []

    def train(self, evaluate: Callable[[Any], dict[str, float]] | None) -> None:
        """Run to the end, from the last checkpoint if there is one."""
        self._resume()
        run = self.config.run
        saved = time.monotonic()
        recent: list[dict[str, float]] = []
        while self.epoch < run.epochs:
            rows = epoch_rows(self.chances, self.pairs.repeats, run.seed, self.epoch)
            batches = random_batches(rows, run.batch_size)
            while self.step_in_epoch < len(batches):
                recent.append(self._step(batches[self.step_in_epoch], len(batches)))
                if self.report:
                    self.report(recent[-1])
                self.step += 1
                self.step_in_epoch += 1
                if len(recent) == _LOG_EVERY:
                    self._log(_mean(recent))
                    recent = []
                if (time.monotonic() - saved) / 60 >= run.checkpoint_minutes:
                    self._save()
                    saved = time.monotonic()
            self.epoch += 1
            self.step_in_epoch = 0
            if recent:
                self._log(_mean(recent))
                recent = []
            due = run.evaluate_every and self.epoch % run.evaluate_every == 0
            if evaluate and (due or (run.evaluate_every and self.epoch == run.epochs)):
                scores = {"epoch": float(self.epoch), **evaluate(self.network)}
                self._log(scores)
                if self.report:
                    self.report(scores)
            self._save()
            saved = time.monotonic()

    def _step(self, rows: Plan, steps: int) -> dict[str, float]:
        started = time.monotonic()
        run = self.config.run
        self.network.train()
        # Everything random comes from seed and step, so a resumed run draws what an unbroken does.
        rng = np.random.default_rng((run.seed, self.epoch, self.step_in_epoch, 5))
        torch.manual_seed(run.seed * 1_000_003 + self.step)
        rate = rate_at(self.rate, self.step, self.total)
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        captions = [
            self.pairs.caption(row, run.seed, self.epoch, self.step_in_epoch * 8 + place)
            for place, row in enumerate(rows.tolist())
        ]
        pixels = self.drawn.pixels(rows.tolist(), rng.integers(0, 2**31, len(rows)).tolist())
        mask = None
        if self.config.negatives.false == "mask":
            mask = torch.from_numpy(self.false.mask(rows, captions).mask)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bf16):
            seen = normalised(pixels).contiguous(memory_format=torch.channels_last)
            images = self.network.encode_image(seen)
            texts = self.network.encode_text(self.tokenize([c.text for c in captions]))
        first = torch.nn.functional.normalize(texts.float(), dim=-1)
        second = torch.nn.functional.normalize(images.float(), dim=-1)
        scale = self.network.logit_scale.exp()
        result = clip_loss(first, second, Terms(scale, negatives=Negatives(false=mask)))
        loss = float(result.loss.detach())
        if not math.isfinite(loss):
            raise ConfigError(
                f"The loss is {loss} at step {self.step}.",
                f"The last checkpoint is in {self.config.output}; try a lower learning rate.",
            )
        self.optimizer.zero_grad(set_to_none=True)
        result.loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(self.network.parameters(), self.config.optimizer.clip_norm)
        self.optimizer.step()
        with torch.no_grad():
            self.network.logit_scale.clamp_(0, _HIGHEST_SCALE)
        return {
            "epoch": self.epoch + (self.step_in_epoch + 1) / steps,
            "step": float(self.step + 1),
            "steps": float(self.total),
            "loss": loss,
            "accuracy": float(result.accuracy),
            "masked": float(result.masked),
            "temperature": 1 / float(scale.detach()),
            "pairs_per_second": len(rows) / (time.monotonic() - started),
        }

    def _log(self, numbers: dict[str, float]) -> None:
        self.history.append(numbers)
        with (self.config.output / HISTORY_FILE).open("a", encoding="utf-8") as handle:
            handle.write(json.dumps(numbers) + "\n")

    def _save(self) -> None:
        state = {
            "network": self.network.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "epoch": self.epoch,
            "step": self.step,
            "step_in_epoch": self.step_in_epoch,
            "rows": len(self.pairs),
            "history": self.history,
        }
        save_checkpoint(self.config.output, state)

    def _resume(self) -> None:
        state = load_checkpoint(self.config.output)
        history = self.config.output / HISTORY_FILE
        if state is None:
            history.unlink(missing_ok=True)
            return
        if state["rows"] != len(self.pairs):
            raise ConfigError(
                f"The checkpoint in {self.config.output} is of a run over {state['rows']} "
                f"molecules; this one has {len(self.pairs)}.",
                "Use the same data, or another output folder.",
            )
        self.network.load_state_dict(state["network"])
        self.optimizer.load_state_dict(state["optimizer"])
        self.epoch, self.step = state["epoch"], state["step"]
        self.step_in_epoch = state["step_in_epoch"]
        # What was logged after the checkpoint is trained and logged again.
        self.history = state["history"]
        history.write_text("".join(json.dumps(each) + "\n" for each in self.history))


def _optimizer(network: Any, config: ImageClipConfig) -> torch.optim.Optimizer:
    settings = config.optimizer
    groups = [
        {"params": [p for p in network.parameters() if p.ndim >= 2], "weight_decay": 0.0},
        {"params": [p for p in network.parameters() if p.ndim < 2], "weight_decay": 0.0},
    ]
    groups[0]["weight_decay"] = settings.weight_decay
    return torch.optim.AdamW(groups, lr=settings.learning_rate, betas=settings.betas, fused=True)


def _mean(records: list[dict[str, float]]) -> dict[str, float]:
    """Means of a few steps, with the place of the last."""
    means = {name: float(np.mean([each[name] for each in records])) for name in records[-1]}
    return means | {name: records[-1][name] for name in ("epoch", "step", "temperature")}
