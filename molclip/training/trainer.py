"""The training loop: resumable at any step, on any number of processes, honest about what it does."""

from __future__ import annotations

import contextlib
import json
import math
import time
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from molclip.errors import ConfigError
from molclip.losses.labels import label_loss
from molclip.models.network import DualEncoder
from molclip.text.captions import Caption
from molclip.text.tokenizer import TextTokenizer
from molclip.training import diagnostics
from molclip.training.attention import quick_attention
from molclip.training.batches import Plan, batch_count
from molclip.training.checkpoints import load_checkpoint, save_checkpoint
from molclip.training.config import WATCHED, TrainingConfig
from molclip.training.distributed import Processes
from molclip.training.false_negatives import MOLECULE_RULES, FalseNegatives
from molclip.training.gradient_cache import View, chunks_of
from molclip.training.history import History
from molclip.training.objectives import MOLECULE, TEXT, Objective, Surroundings, is_text
from molclip.training.optimizer import build_optimizer, rate_at, set_rate
from molclip.training.out_of_memory import memory_advice
from molclip.training.pairs import Pairs
from molclip.training.planner import Planner, Vectors
from molclip.training.precision import computes_in_bf16
from molclip.training.preparing import AHEAD, Ahead, Place, Prepared, Preparer
from molclip.training.queues import KeyQueue, follow, frozen_copy
from molclip.training.reconstruction import FeatureDecoder
from molclip.training.trackers import track
from molclip.training.views import ViewInputs, ViewMaker

Report = Callable[[dict[str, float]], None]
Evaluate = Callable[[DualEncoder], dict[str, float]]

_ROWS_AT_ONCE = 2048
QUESTIONS = "text_questions"


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
        Called after every step and every epoch with the numbers to show.
    evaluate
        Called after an epoch with the averaged network, in the first process only; its numbers go
        into the log.
    processes
        The processes that share the work; found by accelerate by default.

    Raises
    ------
    ConfigError
        For an objective that the configuration makes impossible.
    """

    def __init__(
        self,
        config: TrainingConfig,
        network: DualEncoder,
        tokenizer: TextTokenizer,
        pairs: Pairs,
        folder: Path,
        report: Report | None = None,
        evaluate: Evaluate | None = None,
        processes: Processes | None = None,
    ) -> None:
        self.config = config
        self.run = config.run
        self.pairs = pairs
        self.digest = pairs.digest
        self.folder = folder
        self.report = report
        self.evaluate = evaluate
        self.processes = processes or Processes(config.run.device)
        self.device = self.processes.device
        self.objective = Objective(config)
        self.network = network.to(self.device)
        self.bf16 = computes_in_bf16(config.run.precision, self.device)
        if self.device.type == "cpu" and self.bf16:
            quick_attention(self.network.text.transformer)
        self.network.log_scale.requires_grad_(config.objective.learn_temperature)
        self.processes.same_weights(self.network)
        self.average = frozen_copy(self.network) if self.run.ema else None
        self.slow = frozen_copy(self.network) if self.objective.key_views else None
        self.queues = {
            view: KeyQueue(config.objective.queue, config.model.dimension, self.device)
            for view in self.objective.key_views
        }
        self.decoder: FeatureDecoder | None = None
        if config.objective.reconstruction:
            self.decoder = FeatureDecoder(pairs, config.model.dimension, self.run.seed)
            self.decoder.to(self.device)
        self.optimizer = build_optimizer(self.network, config.optimizer, self.decoder)
        self.views = ViewMaker(pairs, tokenizer, config, self.network.molecule.kind)
        views = (*self.objective.views, *self.objective.key_views)
        if "text_b" in views and pairs.one_text_each:
            warnings.warn(
                "No molecule of these pairs has two texts, so the two views of a text are one text, "
                "and only dropout tells them apart.",
                stacklevel=2,
            )
        self.tokenizer = tokenizer
        negatives = config.negatives
        self.planner = Planner(pairs, negatives, self.run.batch_size, self.run.seed, self.device)
        rules = negatives.rules if negatives.false != "keep" else []
        self.false = FalseNegatives(pairs, rules, negatives.tanimoto)
        self.false_molecules = FalseNegatives(
            pairs, [rule for rule in rules if rule in MOLECULE_RULES], negatives.tanimoto
        )
        self.ahead = Ahead(
            Preparer(
                config,
                pairs,
                self.views,
                self.objective,
                self.false,
                self.false_molecules,
                self.processes.share,
                self.processes.rank,
            ),
            self.run.prepare_ahead,
        )
        self.epoch = 0
        self.step_in_epoch = 0
        self.step = 0
        self.plan: list[Plan] = []
        self.best = -math.inf
        self.evaluations_since_best = 0
        expected = self.run.epochs * self._steps_per_epoch()
        self.total_steps = min(self.run.max_steps or expected, expected)
        self.history = History(
            folder,
            config,
            total_steps=self.total_steps,
            max_scale=self.network.max_scale,
            writes=self.processes.is_main,
        )

    # -- running ------------------------------------------------------------------------------

    def train(self) -> DualEncoder:
        """Run to the end, from the last checkpoint if there is one; returns what to save.

        Raises
        ------
        ConfigError
            When the loss is not a finite number (the step, the rows of the batch and the last good
            checkpoint are named), memory runs out (the setting to lower is named), or a checkpoint
            cannot be written.
        """
        self._resume()
        if self.processes.agree(self.step) != self.step:
            raise ConfigError(
                f"Process {self.processes.rank} does not see the checkpoint of the first one in "
                f"{self.folder}.",
                "The output folder must be the same for all processes, on a shared disk.",
            )
        saved_at = time.monotonic()
        while not self._is_over():
            if not self.plan:
                self.plan = self._plan_epoch()
            while self.step_in_epoch < len(self.plan) and self.step < self.total_steps_allowed:
                rows = self.plan[self.step_in_epoch]
                self.ahead.ask(self._coming())
                started = time.monotonic()
                with memory_advice(self.config, len(rows), self.step):
                    numbers = self.train_step(rows)
                self.step_in_epoch += 1
                self.step += 1
                numbers["pairs_per_second"] = len(rows) / (time.monotonic() - started)
                numbers["step"] = self.step
                self.history.step(numbers)
                track(self.processes.accelerator, numbers, self.step)
                if self.report:
                    self.report(
                        {**numbers, "epoch": self._epochs_done(), "steps": self.total_steps}
                    )
                minutes = (time.monotonic() - saved_at) / 60
                if self.processes.agree(minutes) >= self.run.checkpoint_minutes:
                    self._save()
                    saved_at = time.monotonic()
            self._end_epoch()
            saved_at = time.monotonic()
        self.ahead.close()
        return self._result()

    def _coming(self) -> list[tuple[Place, Plan]]:
        """The step at hand and those after it in the epoch, as far as they are made in advance."""
        left = self.plan[self.step_in_epoch : self.step_in_epoch + 1 + AHEAD]
        return [(Place(self.epoch, self.step + n), rows) for n, rows in enumerate(left)]

    @property
    def total_steps_allowed(self) -> float:
        """Steps after which the run ends whatever the epoch; infinite without `max_steps`."""
        return self.run.max_steps or math.inf

    @property
    def averaged(self) -> DualEncoder:
        """The network to evaluate and save: the running average where one is kept."""
        return self.average if self.average is not None else self.network

    def _is_over(self) -> bool:
        if self.epoch >= self.run.epochs or self.step >= self.total_steps_allowed:
            return True
        return self.run.patience is not None and self.evaluations_since_best >= self.run.patience

    def _end_epoch(self) -> None:
        self.epoch += 1
        self.step_in_epoch = 0
        self.plan = []
        scores: dict[str, float] = {}
        due = self.run.evaluate_every and (
            self.epoch % self.run.evaluate_every == 0
            or self.epoch == self.run.epochs
            or self.step >= self.total_steps_allowed
        )
        diagnosis: dict[str, float] = {}
        if self.processes.is_main:
            if self.evaluate and due:
                scores = self.evaluate(self.averaged)
            diagnosis = self._diagnose()
        if self.run.patience is not None and due:
            self._watch(scores.get(WATCHED))
        record = self.history.epoch(self.epoch, self.step, scores, diagnosis)
        track(self.processes.accelerator, record, self.step, "epoch")
        self._save()
        if self.report:
            self.report({**record, "epoch_end": self.epoch})

    def _watch(self, score: float | None) -> None:
        """Count evaluations without progress, the same in every process."""
        value = self.processes.agree(math.nan if score is None else score)
        if math.isnan(value):
            raise ConfigError(
                "run.patience needs an evaluation to watch, and there is none.",
                "Name data.validation_pairs, or remove run.patience.",
            )
        if value > self.best:
            self.best, self.evaluations_since_best = value, 0
            if self.processes.is_main:
                save_checkpoint(self.folder, {"network": self.averaged.state_dict()}, "best.pt")
        else:
            self.evaluations_since_best += 1

    def _result(self) -> DualEncoder:
        """The averaged network; of the best evaluation, where one was watched."""
        best = load_checkpoint(self.folder, "best.pt") if self.run.patience is not None else None
        if best is not None:
            self.averaged.load_state_dict(best["network"])
        return self.averaged

    # -- one step -----------------------------------------------------------------------------

    def train_step(self, rows: Plan) -> dict[str, float]:
        """One update from the pairs `rows` of a joint batch; its numbers by name."""
        self.network.train()
        rate = rate_at(self.config.optimizer, self.step, self.total_steps)
        set_rate(self.optimizer, rate)
        self.optimizer.zero_grad(set_to_none=True)
        numbers = self.backward(rows)
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), self.config.optimizer.clip_norm)
        if not math.isfinite(float(norm)):
            raise self._not_finite("gradient", float(norm), rows)
        self.optimizer.step()
        with torch.no_grad():
            self.network.log_scale.clamp_(max=math.log(self.network.max_scale))
        if self.average is not None:
            # The average of few steps is short, so that it soon forgets the random start.
            follow(
                self.average, self.network, min(self.run.ema, (1 + self.step) / (10 + self.step))
            )
        if self.slow is not None:
            follow(self.slow, self.network, self.config.objective.momentum)
        return {**numbers, "gradient_norm": float(norm), "learning_rate": rate}

    def backward(self, rows: Plan) -> dict[str, float]:
        """Gradients of the joint batch `rows` in every parameter; the loss and its company."""
        # Dropout is drawn per step from the seed, so a resumed run draws what an unbroken one does.
        torch.manual_seed((self.run.seed * 1_000_003 + self.step) * 64 + self.processes.rank)
        prepared = self.ahead.take(Place(self.epoch, self.step), rows)
        captions, inputs = prepared.captions, prepared.inputs
        passes = {
            view: self._pass(self.network, view, inputs[view]) for view in self.objective.views
        }
        questions = prepared.questions
        if questions is not None:
            passes[QUESTIONS] = self._pass(self.network, TEXT, questions.inputs)
        width = self.config.model.dimension
        sizes = dict.fromkeys(passes, len(rows))
        if questions is not None:
            sizes[QUESTIONS] = len(questions.holds)
        vectors = {
            view: self.processes.join(part.forward(), sizes[view], width).requires_grad_()
            for view, part in passes.items()
        }
        around, masked = self._surroundings(rows, prepared)
        value = self.objective(vectors, around)
        loss = float(value.loss.detach())
        if not math.isfinite(loss):
            raise self._not_finite("loss", loss, rows)
        total, beside = self._with_auxiliary(value.loss, vectors, prepared)
        total.backward()  # type: ignore[no-untyped-call]
        for view, part in passes.items():
            gradient = vectors[view].grad
            own = self.processes.share(sizes[view])
            if gradient is not None and own.stop > own.start:
                part.backward(gradient[own])
        towers = [self.network.text, self.network.molecule]
        self.processes.combine_gradients(
            added=[parameter for tower in towers for parameter in tower.parameters()],
            equal=[p for p in (self.network.log_scale, self.network.bias) if p is not None],
        )
        for view, queue in self.queues.items():
            queue.push(around.keys[view], rows, captions.get(view))
        main = value.main
        numbers = {
            "loss": loss,
            "temperature": 1 / float(self.network.scale.detach()),
            "accuracy": float(main.accuracy),
            "masked": float(main.masked),
            **masked,
            **beside,
            **{f"{name}_loss": part for name, part in value.parts.items()},
        }
        if main.candidates is not None:
            numbers["candidates"] = float(main.candidates)
        if value.parts:
            numbers["objective_loss"] = float(main.loss.detach())
        return numbers

    def _with_auxiliary(
        self, loss: Tensor, vectors: Mapping[str, Tensor], prepared: Prepared
    ) -> tuple[Tensor, dict[str, float]]:
        """The loss with the auxiliary tasks added, and their own numbers."""
        numbers = {}
        if self.decoder is not None and prepared.features is not None:
            counts = torch.from_numpy(prepared.features).to(self.device)
            for view in (TEXT, MOLECULE):
                with self._autocast():
                    missing = self.decoder(vectors[view], counts)
                numbers[f"missing_{view}"] = float(missing.detach())
                loss = loss + self.config.objective.reconstruction / 2 * missing
        if prepared.questions is not None:
            asked = label_loss(
                nn.functional.normalize(vectors[QUESTIONS], dim=-1),
                nn.functional.normalize(vectors[MOLECULE], dim=-1),
                torch.from_numpy(prepared.questions.holds).to(self.device),
                self.network.scale,
            )
            numbers["questions_loss"] = float(asked.detach())
            loss = loss + self.config.captions.questions_weight * asked
        return loss, numbers

    def _pass(self, network: DualEncoder, view: str, inputs: ViewInputs) -> View:
        def encode(places: list[int]) -> Tensor:
            taken = inputs.take(places)
            with self._autocast():
                if is_text(view):
                    return network.text.project_sorted(taken, network.pad_id)
                return network.molecule.project(network.molecule.collate(taken).to(self.device))

        return View(encode, chunks_of(inputs.order, self.run.chunk_size))

    def _autocast(self) -> torch.autocast:
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.bf16)

    def _surroundings(
        self, rows: Plan, prepared: Prepared
    ) -> tuple[Surroundings, dict[str, float]]:
        """Scale, masks, keys and queues of a step, and the share that each rule masks."""
        shares: dict[str, float] = {}
        false = false_molecules = None
        if prepared.false is not None:
            false = torch.from_numpy(prepared.false.mask).to(self.device)
            shares = {
                f"masked_{rule}": part
                for rule, part in prepared.false.shares.items()
                if rule != "any"
            }
        if prepared.false_molecules is not None:
            false_molecules = torch.from_numpy(prepared.false_molecules.mask).to(self.device)
        keys, queue_false = self._keys(rows, prepared.captions, prepared.inputs)
        around = Surroundings(
            scale=self.network.scale,
            bias=self.network.bias,
            false=false,
            false_molecules=false_molecules,
            keys=keys,
            queues={view: queue.keys for view, queue in self.queues.items()},
            queue_false=queue_false,
        )
        return around, shares

    def _keys(
        self, rows: Plan, captions: Mapping[str, list[Caption]], inputs: Mapping[str, ViewInputs]
    ) -> tuple[dict[str, Tensor], dict[str, Tensor | None]]:
        """Keys of the batch from the slow encoders, and which remembered ones are no negatives."""
        keys: dict[str, Tensor] = {}
        queue_false: dict[str, Tensor | None] = {}
        if self.slow is None:
            return keys, queue_false
        self.slow.train()
        width = self.config.model.dimension
        for view, queue in self.queues.items():
            with torch.no_grad():
                local = self._pass(self.slow, view, inputs[view]).forward()
            joined = self.processes.join(local, len(rows), width)
            keys[view] = nn.functional.normalize(joined, dim=-1)
            queue_false[view] = self._queue_false(view, queue, rows, captions)
        return keys, queue_false

    def _queue_false(
        self, view: str, queue: KeyQueue, rows: Plan, captions: Mapping[str, list[Caption]]
    ) -> Tensor | None:
        """Bool ``(N, K)``: queries down, remembered keys of a view across."""
        single = view.endswith("_b")
        rules = self.false_molecules if single and not is_text(view) else self.false
        if not rules.rules:
            return None
        if single and not is_text(view):
            mask = rules.mask_queue(rows, [], queue.rows).mask
        elif is_text(view) and not single:
            # Molecules ask texts: what a remembered text is true of is none of its negatives.
            mask = rules.mask_queue(queue.rows, queue.captions, rows, captions["text"]).mask.T
        else:
            asked = captions["text_a" if single else "text"]
            mask = rules.mask_queue(rows, asked, queue.rows, queue.captions or None).mask
        return torch.from_numpy(np.ascontiguousarray(mask)).to(self.device)

    def _not_finite(self, what: str, value: float, rows: Plan) -> ConfigError:
        """The error of a step that produced no number; lists the rows in a file beside the log."""
        ids = [self.pairs.ids[row] for row in rows.tolist()]
        path = self.folder / "failed_batch.json"
        if self.processes.is_main:
            # A full disk must not hide what went wrong.
            with contextlib.suppress(OSError):
                path.write_text(
                    json.dumps({"step": self.step, what: str(value), "ids": ids}), encoding="utf-8"
                )
        return ConfigError(
            f"The {what} is {value} at step {self.step}; rows {', '.join(ids[:5])}, … "
            f"(all {len(ids)} in {path}).",
            f"The last good checkpoint is kept in {self.folder}. Try a lower learning rate, a lower "
            "clip_norm, or precision = 'float32'.",
        )

    # -- epochs -------------------------------------------------------------------------------

    def _steps_per_epoch(self) -> int:
        shown = float((self.pairs.chances * self.pairs.repeats).sum())
        return batch_count(shown, self.run.batch_size)

    def _epochs_done(self) -> float:
        return self.epoch + self.step_in_epoch / max(len(self.plan), 1)

    def _plan_epoch(self) -> list[Plan]:
        """The batches of this epoch; planned once, because vectors differ between machines."""
        plan = [self.planner.plan(self.epoch, self._embed) if self.processes.is_main else None]
        if self.processes.size > 1:
            from accelerate.utils import broadcast_object_list

            broadcast_object_list(plan)
        assert plan[0] is not None
        # The last batch of an epoch is a short one; its rows come next epoch.
        usable = [batch for batch in plan[0] if len(batch) >= self.objective.least_rows]
        if plan[0] and not usable:
            raise ConfigError(
                f"No batch has the {self.objective.least_rows} rows that the objective needs; the "
                f"largest has {max(len(batch) for batch in plan[0])}.",
                "Give more pairs, or a smaller model.dimension.",
            )
        return usable

    @torch.inference_mode()
    def _embed(self, rows: Plan, texts: list[str] | None) -> Vectors:
        """Unit vectors of training rows, and of texts, under the averaged network."""
        network = self.averaged.eval()
        molecules, found = [], []
        store, places = self.pairs.store, self.pairs.feature_rows[rows]
        for start in range(0, len(rows), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            batch = network.molecule.collate(store.inputs(places[part], network.molecule.kind))
            molecules.append(network.molecule(batch.to(self.device)).cpu().numpy())
            if texts is not None:
                ids = [encoded.ids for encoded in self.tokenizer.encode(texts[part])]
                found.append(network.text.forward_sorted(ids, network.pad_id).cpu().numpy())
        return Vectors(
            np.concatenate(molecules), np.concatenate(found) if texts is not None else None
        )

    def _diagnose(self) -> dict[str, float]:
        """Figures of both modalities on the same sample of training pairs in every epoch."""
        drawn = np.flatnonzero(self.pairs.chances > 0)
        rows = drawn[diagnostics.sample_rows(len(drawn), self.run.seed)]
        captions = [self.pairs.caption(row, self.run.seed, -1, 0) for row in rows.tolist()]
        vectors = self._embed(rows, [caption.text for caption in captions])
        mask = self.false.mask(rows, captions).mask
        assert vectors.texts is not None
        return diagnostics.diagnose(
            vectors.texts,
            vectors.molecules,
            float(self.averaged.scale.detach()),
            mask,
            self.config.objective.name,
        )

    # -- checkpoints --------------------------------------------------------------------------

    def _save(self) -> None:
        if self.processes.is_main:
            save_checkpoint(self.folder, self._state())
        self.processes.wait()

    def _state(self) -> dict[str, Any]:
        return {
            "network": self.network.state_dict(),
            "average": self.average.state_dict() if self.average is not None else None,
            "slow": self.slow.state_dict() if self.slow is not None else None,
            "decoder": self.decoder.state_dict() if self.decoder is not None else None,
            "queues": {view: queue.state_dict() for view, queue in self.queues.items()},
            "optimizer": self.optimizer.state_dict(),
            "planner": self.planner.state_dict(),
            "history": self.history.state_dict(),
            "epoch": self.epoch,
            "step_in_epoch": self.step_in_epoch,
            "step": self.step,
            "best": self.best,
            "evaluations_since_best": self.evaluations_since_best,
            "plan": [torch.from_numpy(batch) for batch in self.plan],
            "pairs": self.digest,
            "rows": len(self.pairs),
            "vocabulary": self.tokenizer.size,
        }

    def _resume(self) -> None:
        state = load_checkpoint(self.folder)
        if state is None:
            self.history.resume(0)
            if self.processes.is_main:
                # The first epoch is judged against the untrained model.
                self.history.begin(self._diagnose())
            return
        same = state["rows"] == len(self.pairs) and state["vocabulary"] == self.tokenizer.size
        if not same or state.get("pairs", self.digest) != self.digest:
            raise ConfigError(
                f"The checkpoint in {self.folder} is of a run over {state['rows']} molecules and "
                f"a vocabulary of {state['vocabulary']}; this one has {len(self.pairs)} and "
                f"{self.tokenizer.size}" + (", and other texts or structures." if same else "."),
                "Use the same data, or another output folder.",
            )
        self.network.load_state_dict(state["network"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
        if self.slow is not None:
            self.slow.load_state_dict(state["slow"])
        if self.decoder is not None:
            self.decoder.load_state_dict(state["decoder"])
        for view, queue in self.queues.items():
            queue.load_state_dict(state["queues"][view])
        self.optimizer.load_state_dict(state["optimizer"])
        self.planner.load_state_dict(state["planner"])
        self.epoch, self.step = state["epoch"], state["step"]
        self.step_in_epoch = state["step_in_epoch"]
        self.best = state["best"]
        self.evaluations_since_best = state["evaluations_since_best"]
        self.plan = [batch.numpy() for batch in state["plan"]]
        self.history.resume(self.epoch)
        self.history.load_state_dict(state["history"])
