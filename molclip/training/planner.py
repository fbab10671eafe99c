"""The batches of every epoch: which rows, beside which others, and how hard."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from molclip.training.batches import Plan, epoch_rows, grouped_batches, random_batches
from molclip.training.false_negatives import FalseNegatives
from molclip.training.grouping import Ranker, Refuses, VectorRanker, grow_groups
from molclip.training.relatives import Relatives

if TYPE_CHECKING:
    from molclip.text.captions import Caption
    from molclip.training.config import NegativesSection
    from molclip.training.pairs import Pairs

# Rows that are grouped with each other; more would cost memory and time with the square.
_BLOCK = 131_072
# The repeat of `Pairs.caption` that the index of texts uses; batches use numbers from 0.
_INDEX_REPEAT = -1


class Vectors(NamedTuple):
    """Rows of an index under the current model, of unit length, any float type."""

    molecules: npt.NDArray[np.floating]
    """``(M, D)``, row-aligned with what was asked for."""
    texts: npt.NDArray[np.floating] | None = None
    """``(M, D)``; None where no texts were asked for."""


#: Called as ``embed(rows, texts)``: `rows` int64 ``(M,)`` of distinct rows in rising order, `texts`
#: one text per row, or None where none are needed.
Embed = Callable[[Plan, list[str] | None], Vectors]


class Planner:
    """Plans the epochs of a run, by `negatives.batches` of the configuration.

    `random` needs nothing. `neighbours` groups the molecules that the current model finds alike;
    `mined` groups a text's row with the molecules that the current model ranks highest for the
    text though they are wrong; `related` groups relatives by chemistry (`training.relatives`),
    without a model. False negatives by the configured rules are left out of groups.

    Under `torchrun`, plan on one process and send the plan to the others: vectors of two machines
    differ in their last bits.

    Parameters
    ----------
    pairs
        The training rows.
    negatives
        The configuration's section.
    batch_size
        Rows per batch, over all processes.
    seed
        Fixes every draw, with the number of the epoch.
    device
        Where similarities are computed.
    """

    def __init__(
        self,
        pairs: Pairs,
        negatives: NegativesSection,
        batch_size: int,
        seed: int,
        device: torch.device | str = "cpu",
    ) -> None:
        self.pairs = pairs
        self.negatives = negatives
        self.batch_size = batch_size
        self.seed = seed
        self.device = torch.device(device)
        self.false = FalseNegatives(pairs, negatives.rules, negatives.tanimoto)
        self._index: _Index | None = None
        self._planned = -1

    def plan(self, epoch: int, embed: Embed) -> list[Plan]:
        """The batches of an epoch.

        Parameters
        ----------
        epoch
            Counted from 0.
        embed
            Called only where vectors of the current model are needed and those at hand are older
            than `negatives.refresh` epochs; see `Embed`.

        Returns
        -------
        list of int64 arrays of row numbers; together the rows of the epoch, each as often as it is
        to be shown, less a last batch under half the size.
        """
        rows = epoch_rows(self.pairs.chances, self.pairs.repeats, self.seed, epoch)
        self._planned = epoch
        share = self.grouped_share(epoch)
        if share == 0:
            return random_batches(rows, self.batch_size)
        if self.negatives.batches != "related":
            self._refresh(epoch, embed)
        groups: list[Plan] = []
        rng = np.random.default_rng((self.seed, epoch, 2))
        for block in self._blocks(rows, rng):
            groups.extend(self._groups(block))
        return grouped_batches(groups, self.batch_size, share, rng)

    def grouped_share(self, epoch: int) -> float:
        """Share of the rows of an epoch that stand in groups, from 0 to 1."""
        settings = self.negatives
        if settings.batches == "random" or epoch < settings.batches_from:
            return 0.0
        if settings.curriculum == 0:
            return 1.0
        return min(1.0, (epoch - settings.batches_from) / settings.curriculum)

    def state_dict(self) -> dict[str, Any]:
        """What the next epoch needs of this one: the index while it lasts, in float16."""
        index = self._index
        if index is None or self._planned + 1 >= index.epoch + self.negatives.refresh:
            return {}
        return {
            "epoch": index.epoch,
            "rows": torch.from_numpy(index.rows),
            "molecules": torch.from_numpy(index.molecules),
            "texts": None if index.texts is None else torch.from_numpy(index.texts),
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on with the index of a saved run."""
        self._index = None
        if state:
            texts = state["texts"]
            self._index = _Index(
                state["epoch"],
                state["rows"].numpy(),
                state["molecules"].numpy(),
                None if texts is None else texts.numpy(),
            )

    # -- groups -------------------------------------------------------------------------------

    def _blocks(self, rows: Plan, rng: np.random.Generator) -> list[Plan]:
        """The rows in blocks of bounded size, drawn by skeleton so that relatives stay together."""
        if len(rows) <= _BLOCK:
            return [rows]
        skeletons = self.false.skeletons
        place = rng.permutation(int(skeletons.max()) + 1)[skeletons[rows]]
        order = np.argsort(place, kind="stable")
        return [
            rows[np.sort(order[start : start + _BLOCK])] for start in range(0, len(rows), _BLOCK)
        ]

    def _groups(self, rows: Plan) -> list[Plan]:
        """The groups of one block of an epoch's rows."""
        members, order = np.unique(rows, return_inverse=True)
        ranker, refuses = self._ranker(members)
        group = min(self.negatives.group, self.batch_size)
        codes = self.false.molecules[members]
        return [members[found] for found in grow_groups(order, codes, ranker, group, refuses)]

    def _ranker(self, members: Plan) -> tuple[Ranker, Refuses]:
        if self.negatives.batches == "related":
            return Relatives(self.pairs, members), self._refuse_same(members)
        index = self._index
        assert index is not None
        at = np.searchsorted(index.rows, members)
        molecules = index.molecules[at]
        if index.texts is None:
            return VectorRanker(molecules, molecules, self.device), self._refuse_same(members)
        return (
            VectorRanker(index.texts[at], molecules, self.device),
            self._refuse_true(members, index.epoch),
        )

    def _refuse_same(self, members: Plan) -> Refuses:
        return lambda seed, others: self.false.same_molecules(int(members[seed]), members[others])

    def _refuse_true(self, members: Plan, epoch: int) -> Refuses:
        """A molecule that the asking text is true of is no negative of it."""

        def refuse(seed: int, others: Plan) -> npt.NDArray[np.bool_]:
            row = members[seed : seed + 1]
            caption = self._index_caption(int(row[0]), epoch)
            return self.false.mask_queue(row, [caption], members[others]).mask.reshape(-1)

        return refuse

    # -- the index of vectors -----------------------------------------------------------------

    def _refresh(self, epoch: int, embed: Embed) -> None:
        """Embed the rows of the coming epochs, unless the vectors at hand are new enough.

        The vectors are kept and used in float16, so that a run that goes on from a checkpoint
        makes the very plan that an unbroken one makes.
        """
        refresh = self.negatives.refresh
        index = self._index
        if index is not None and index.epoch <= epoch < index.epoch + refresh:
            return
        needed = np.zeros(len(self.pairs), dtype=bool)
        for coming in range(epoch, epoch + refresh):
            needed[epoch_rows(self.pairs.chances, self.pairs.repeats, self.seed, coming)] = True
        rows = np.flatnonzero(needed)
        texts = None
        if self.negatives.batches == "mined":
            texts = [self._index_caption(row, epoch).text for row in rows.tolist()]
        vectors = embed(rows, texts)
        self._index = _Index(
            epoch,
            rows,
            vectors.molecules.astype(np.float16),
            None if vectors.texts is None else vectors.texts.astype(np.float16),
        )

    def _index_caption(self, row: int, epoch: int) -> Caption:
        return self.pairs.caption(row, self.seed, epoch, _INDEX_REPEAT)


class _Index(NamedTuple):
    """Vectors of some rows, as of the start of an epoch."""

    epoch: int
    rows: Plan
    molecules: npt.NDArray[np.float16]
    texts: npt.NDArray[np.float16] | None
