"""The molecule tower: a residual perceptron over count fingerprints."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from molclip.models.molecule_encoder import MoleculeEncoder

if TYPE_CHECKING:
    from molclip.models.config import MoleculeConfig


class LogCounts(nn.Module):
    """Log(1 + count) of uint8 counts, so that the hundredth CH2 of a lipid drowns no ring."""

    def __init__(self) -> None:
        super().__init__()
        self.table: Tensor
        self.register_buffer("table", torch.log1p(torch.arange(256.0)), persistent=False)

    def forward(self, counts: Tensor) -> Tensor:
        """Same shape out as in; what is not uint8 is taken for logs already."""
        return self.table[counts.long()] if counts.dtype == torch.uint8 else counts


class CountDropout(nn.Module):
    """Dropout of counts: as `nn.Dropout` on their logs, but drawn only where there is a count.

    A row has some hundred counts among thousands of zeros, and what is zero stays zero, so nothing
    is lost by not drawing for it; on a CPU the draws would cost more than a layer.

    Parameters
    ----------
    rate
        Chance of a count to be left out; the others are scaled up by ``1 / (1 - rate)``.
    """

    def __init__(self, rate: float) -> None:
        super().__init__()
        self.p = rate

    def forward(self, logs: Tensor) -> Tensor:
        """Same shape out as in, ``(N, inputs)``."""
        if not self.training or self.p == 0:
            return logs
        rows, columns = logs.nonzero(as_tuple=True)
        left_out = torch.rand(len(rows), device=logs.device) < self.p
        kept = logs / (1 - self.p)
        return kept.index_put((rows[left_out], columns[left_out]), kept.new_zeros(()))


class FingerprintEncoder(MoleculeEncoder):
    """Feature rows in, unit vectors out.

    A batch is a tensor ``(N, inputs)``: uint8 counts, or their logs.

    Parameters
    ----------
    config
        Widths, dropout and head.
    dimension
        Width of the shared space.
    """

    kind = "fingerprint"

    def __init__(self, config: MoleculeConfig, dimension: int) -> None:
        super().__init__(config, dimension)
        self.logs = LogCounts()
        self.input_dropout = CountDropout(config.input_dropout)
        self.first = nn.Linear(config.inputs, config.hidden)

    @staticmethod
    def collate(inputs: npt.NDArray[np.uint8] | Sequence[npt.NDArray[np.uint8]]) -> Tensor:
        """Tensor ``(N, inputs)`` uint8 of an array of that shape, or of N rows."""
        rows = inputs if isinstance(inputs, np.ndarray) else np.stack(list(inputs))
        return torch.from_numpy(np.ascontiguousarray(rows))

    def features(self, batch: Any) -> Tensor:
        """Hidden features ``(N, hidden)`` before the head."""
        return self._refined(self.first(self.input_dropout(self.logs(batch))))
