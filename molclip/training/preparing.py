"""What a step needs besides weights, made by another process while the last step is computed.

Captions, tokens, features and masks take Python about as long as the encoders take on two cores.
All of it follows from the seed, the epoch, the step and the rows, so it does not matter where or
when it is made: a run with a helper process gives the numbers of one without.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import threading
import time
from collections.abc import Iterable
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from molclip.text.captions import Caption
from molclip.training.batches import Plan
from molclip.training.false_negatives import FalseMask, FalseNegatives
from molclip.training.label_questions import ask
from molclip.training.objectives import TEXT, Objective, is_text
from molclip.training.views import ViewInputs, ViewMaker

if TYPE_CHECKING:
    from molclip.training.config import TrainingConfig
    from molclip.training.pairs import Pairs

#: Steps that are made in advance.
AHEAD = 2
# Between two looks whether the run still lives.
_LOOK_SECONDS = 2.0


class Place(NamedTuple):
    """A step of a run."""

    epoch: int
    step: int


class Questions(NamedTuple):
    """Short questions of a step; see `training.label_questions`."""

    inputs: ViewInputs
    """Of this process's share of them."""
    holds: npt.NDArray[np.bool_]
    """Bool ``(L, N)`` of the joint batch: which row holds what is asked for."""


@dataclass(frozen=True, slots=True)
class Prepared:
    """One step's worth; N rows of the joint batch."""

    captions: dict[str, list[Caption]]
    """By text view, of all N rows."""
    inputs: dict[str, ViewInputs]
    """By view, of this process's share."""
    false: FalseMask | None
    """Text × molecule, where texts and molecules are each other's negatives."""
    false_molecules: FalseMask | None
    questions: Questions | None
    features: npt.NDArray[np.uint8] | None
    """Feature rows ``(N, inputs)`` for the auxiliary task, where there is one."""


class Preparer:
    """Makes `Prepared` steps; holds nothing of torch.

    Parameters
    ----------
    config, pairs, views, objective
        Of the run.
    false, false_molecules
        The rules of false negatives, with and without texts.
    share
        Slice of a joint batch of so many rows that this process encodes.
    rank
        Of this process.
    """

    def __init__(
        self,
        config: TrainingConfig,
        pairs: Pairs,
        views: ViewMaker,
        objective: Objective,
        false: FalseNegatives,
        false_molecules: FalseNegatives,
        share: Any,
        rank: int,
    ) -> None:
        self.config = config
        self.pairs = pairs
        self.views = views
        self.objective = objective
        self.false = false
        self.false_molecules = false_molecules
        self.share = share
        self.rank = rank

    def prepare(self, place: Place, rows: Plan) -> Prepared:
        """Everything for the joint batch `rows`, ``(N,)``, at a step."""
        share = self.share(len(rows))
        objective = self.objective
        views = tuple(dict.fromkeys((*objective.views, *objective.key_views)))
        captions = {
            view: self.views.captions(rows, place.epoch, place.step, view)
            for view in views
            if is_text(view)
        }
        inputs = {
            view: self.views.texts(captions[view][share])
            if is_text(view)
            else self.views.molecules(rows[share], place.step, view, self.rank)
            for view in views
        }
        false = false_molecules = features = None
        if self.false.rules and objective.needs_false:
            false = self.false.mask(rows, captions[TEXT])
        if self.false_molecules.rules and objective.needs_false_molecules:
            false_molecules = self.false_molecules.mask(rows, [])
        if self.config.objective.reconstruction:
            features = self.pairs.store.dense(self.pairs.feature_rows[rows])
        questions = self._questions(place, rows)
        return Prepared(captions, inputs, false, false_molecules, questions, features)

    def _questions(self, place: Place, rows: Plan) -> Questions | None:
        count = self.config.captions.questions
        if not count or self.pairs.maker is None:
            return None
        rng = random.Random(f"questions/{self.config.run.seed}/{place.step}")
        texts, holds = ask(self.pairs, rows, count, rng)
        part = texts[self.share(len(texts))]
        if not texts:
            return None
        return Questions(self.views.texts([Caption(text, None) for text in part]), holds)


class Ahead:
    """Prepared steps, a few of them made in advance by a forked process.

    Parameters
    ----------
    preparer
        What makes them. The forked process has a copy of it as of the first `ask`.
    enabled
        False makes each step when it is taken, as do systems that cannot fork.
    """

    def __init__(self, preparer: Preparer, enabled: bool = True) -> None:
        self.preparer = preparer
        self.enabled = enabled and "fork" in multiprocessing.get_all_start_methods()
        self._pool: ProcessPoolExecutor | None = None
        self._coming: dict[Place, Future[Prepared]] = {}

    def ask(self, steps: Iterable[tuple[Place, Plan]]) -> None:
        """Have steps made that will be taken soon."""
        if not self.enabled:
            return
        for place, rows in steps:
            if place in self._coming:
                continue
            if self._pool is None:
                self._pool = ProcessPoolExecutor(
                    1,
                    mp_context=multiprocessing.get_context("fork"),
                    initializer=_hold,
                    initargs=(self.preparer,),
                )
            try:
                self._coming[place] = self._pool.submit(_prepared, place, rows)
            except BrokenProcessPool:
                self._do_without()
                return

    def take(self, place: Place, rows: Plan) -> Prepared:
        """The step at `place`, made now if nobody asked for it before."""
        coming = self._coming.pop(place, None)
        if coming is not None:
            try:
                return coming.result()
            except BrokenProcessPool:
                self._do_without()
        return self.preparer.prepare(place, rows)

    def _do_without(self) -> None:
        # The helper was killed, for want of memory as a rule; the run needs it for speed only.
        self.close()
        self.enabled = False

    def close(self) -> None:
        """End the helper process."""
        self._coming.clear()
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
            self._pool = None


# Set in the forked process only: pickling the pairs of a run for every step is out of the question.
_held: Preparer | None = None


def _hold(preparer: Preparer) -> None:
    global _held
    # Threads do not survive a fork, and one is enough.
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    _held = preparer


def _end_with(parent: int) -> None:
    """End this process when the run is gone: a killed one cannot say so."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(0)


def _prepared(place: Place, rows: Plan) -> Prepared:
    assert _held is not None
    return _held.prepare(place, rows)
