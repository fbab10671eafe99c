"""What the encoders read in one step: captions as tokens, molecules as inputs, views of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from molclip.chem.augmentations import augmented_inputs, checked
from molclip.chem.inputs import Kind
from molclip.text.captions import Caption
from molclip.text.tokenizer import TextTokenizer
from molclip.training.batches import Plan
from molclip.training.config import TrainingConfig
from molclip.training.objectives import TEXT, is_text
from molclip.training.pairs import Pairs

#: Strengths of the default augmentations, from the measurement in docs/augmentations.md.
DEFAULT_AUGMENTATIONS = {
    "fingerprint": {"bit_dropout": 0.5},
    "graph": {"subgraph_removal": 0.25},
    # Both parts must lose something, or the whole one tells the views apart.
    "hybrid": {"subgraph_removal": 0.25},
}


def check_augmentations(config: TrainingConfig) -> None:
    """Refuse augmentations that do not exist or do not fit the molecule encoder.

    Raises
    ------
    ConfigError
        For an unknown name, a strength outside [0, 1], or bit dropout without a fingerprint.
    """
    checked(config.objective.augmentations, config.model.molecule.get("encoder", "fingerprint"))


@dataclass(frozen=True, slots=True)
class ViewInputs:
    """Inputs of one view, for the places of this process's share of the batch."""

    items: Any
    """Lists of token ids; or molecule inputs, an array or a list."""
    order: list[int]
    """Places in the order in which they are best encoded."""

    def take(self, places: list[int]) -> Any:
        """The inputs of some places."""
        if isinstance(self.items, np.ndarray):
            return self.items[places]
        return [self.items[place] for place in places]


class ViewMaker:
    """Makes the inputs of every view of a batch, the same for the same seed, epoch and step.

    Parameters
    ----------
    pairs, tokenizer
        What is drawn from, and with what texts are read.
    config
        The seed, and the strengths of augmentations.
    kind
        Of molecule input; see `chem.inputs`.
    """

    def __init__(
        self, pairs: Pairs, tokenizer: TextTokenizer, config: TrainingConfig, kind: Kind
    ) -> None:
        self.pairs = pairs
        self.tokenizer = tokenizer
        self.seed = config.run.seed
        self.kind = kind
        self.augmentations = config.objective.augmentations or DEFAULT_AUGMENTATIONS[kind]

    def captions(self, rows: Plan, epoch: int, step: int, view: str = TEXT) -> list[Caption]:
        """A caption for each row of a joint batch; a row that comes twice gets two draws."""
        shown: dict[int, int] = {}
        made = []
        for row in rows.tolist():
            shown[row] = shown.get(row, -1) + 1
            draw = step * 8 + shown[row]
            # The second view of a text is drawn on the other side of zero.
            draw = -1 - draw if view.endswith("_b") else draw
            made.append(self.pairs.caption(row, self.seed, epoch, draw))
        return made

    def texts(self, captions: list[Caption]) -> ViewInputs:
        """Token ids, in the order of their length: like lengths share a chunk and its padding."""
        tokens = [encoded.ids for encoded in self.tokenizer.encode([c.text for c in captions])]
        return ViewInputs(tokens, sorted(range(len(tokens)), key=lambda place: len(tokens[place])))

    def molecules(self, rows: Plan, step: int, view: str, rank: int = 0) -> ViewInputs:
        """Inputs of molecules, augmented where the view is one of two."""
        assert not is_text(view)
        store = self.pairs.store
        places = self.pairs.feature_rows[rows]
        inputs = store.inputs(places, self.kind)
        if view.endswith(("_a", "_b")):
            rng = np.random.default_rng((self.seed, step, rank, int(view.endswith("_b"))))
            structural = self.kind != "graph" and set(self.augmentations) - {"bit_dropout"}
            smiles = store.smiles(places) if structural else None
            inputs = augmented_inputs(inputs, smiles, self.kind, self.augmentations, rng)
        return ViewInputs(inputs, list(range(len(rows))))
