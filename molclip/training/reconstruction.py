"""The auxiliary task beside a contrastive objective: read the molecule's features off a vector."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from molclip.losses.reconstruction import reconstruction_loss
from molclip.training.pairs import Pairs

# Molecules that the prevalence of features is counted over.
_SAMPLE = 20_000
# What fewer or more molecules have teaches little and costs as much.
_RAREST = 0.01


class FeatureDecoder(nn.Module):
    """One linear layer from a unit vector to the presence of the features that are no rarity.

    It is trained with the encoders and left behind when the model is saved. Linear, so that what
    it reads lies in directions of the space, where a cosine sees it.

    Parameters
    ----------
    pairs
        Whose features count.
    dimension
        Width D of the shared space.
    seed
        Of the sample that is counted.
    """

    def __init__(self, pairs: Pairs, dimension: int, seed: int) -> None:
        super().__init__()
        rng = np.random.default_rng((seed, 5))
        drawn = np.flatnonzero(pairs.chances > 0)
        sample = rng.choice(drawn, min(_SAMPLE, len(drawn)), replace=False)
        share = np.zeros(0)
        counted = 0
        for start in range(0, len(sample), 2048):
            part = pairs.store.dense(pairs.feature_rows[np.sort(sample[start : start + 2048])]) > 0
            share = part.sum(0) if not counted else share + part.sum(0)
            counted += len(part)
        share = share / counted
        columns = np.flatnonzero((share > _RAREST) & (share < 1 - _RAREST))
        self.columns: Tensor
        self.prior: Tensor
        self.register_buffer("columns", torch.from_numpy(columns))
        self.register_buffer("prior", torch.from_numpy(share[columns]).float())
        self.gain = dimension**0.5
        self.linear = nn.Linear(dimension, len(columns))
        with torch.no_grad():
            self.linear.bias.copy_(torch.logit(self.prior))
            self.linear.weight.mul_(0.1)

    def forward(self, vectors: Tensor, counts: Tensor) -> Tensor:
        """Missing information, a scalar.

        Parameters
        ----------
        vectors
            Float ``(N, D)``, projections of any length.
        counts
            uint8 ``(N, inputs)``: the features of the molecules.
        """
        present = counts[:, self.columns] > 0
        unit = functional.normalize(vectors, dim=-1) * self.gain
        return reconstruction_loss(self.linear(unit).float(), present, self.prior)
