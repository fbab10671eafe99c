"""What MoCo remembers: keys of earlier batches and the slow encoder that makes them."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from molclip.text.captions import Caption


class KeyQueue:
    """The newest keys of one modality, first in, first out.

    The queue starts empty and grows, so that no random vector ever counts as a negative: the number
    of candidates is told as it is.

    Parameters
    ----------
    size
        Keys kept.
    width
        D.
    device
        Where the keys lie.
    """

    def __init__(self, size: int, width: int, device: torch.device | str = "cpu") -> None:
        self.size = size
        self._keys = torch.zeros(size, width, device=device)
        self._rows = np.full(size, -1, dtype=np.int64)
        self._captions: list[Caption | None] = [None] * size
        self._next = 0
        self._filled = 0

    def __len__(self) -> int:
        return self._filled

    @property
    def keys(self) -> Tensor:
        """Float ``(K, D)``, K growing to the size; in no particular order."""
        return self._keys[: self._filled]

    @property
    def rows(self) -> npt.NDArray[np.int64]:
        """Training row behind each key, int64 ``(K,)``."""
        return self._rows[: self._filled]

    @property
    def captions(self) -> list[Caption]:
        """Caption behind each key; only of queues that were given captions."""
        return [caption for caption in self._captions[: self._filled] if caption is not None]

    def push(
        self,
        keys: Tensor,
        rows: npt.NDArray[np.int64],
        captions: list[Caption] | None = None,
    ) -> None:
        """Add keys ``(N, D)``, replacing the oldest; of more than `size` only the last stay."""
        if len(keys) > self.size:
            keys, rows = keys[-self.size :], rows[-self.size :]
            captions = captions[-self.size :] if captions is not None else None
        places = (self._next + np.arange(len(keys))) % self.size
        self._keys[torch.from_numpy(places)] = keys.detach().to(self._keys)
        self._rows[places] = rows
        if captions is not None:
            for place, caption in zip(places.tolist(), captions, strict=True):
                self._captions[place] = caption
        self._next = int((self._next + len(keys)) % self.size)
        self._filled = min(self.size, self._filled + len(keys))

    def state_dict(self) -> dict[str, Any]:
        """Everything, as tensors and plain values."""
        return {
            "keys": self._keys.cpu(),
            "rows": torch.from_numpy(self._rows),
            "captions": [
                None if c is None else [c.text, None if c.facts is None else sorted(c.facts)]
                for c in self._captions
            ],
            "next": self._next,
            "filled": self._filled,
        }

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Go on from `state_dict`."""
        self._keys.copy_(state["keys"])
        self._rows = state["rows"].numpy().copy()
        self._captions = [
            None if c is None else Caption(c[0], None if c[1] is None else frozenset(c[1]))
            for c in state["captions"]
        ]
        self._next, self._filled = state["next"], state["filled"]


def frozen_copy(network: nn.Module) -> Any:
    """A copy that no gradient reaches."""
    made = copy.deepcopy(network)
    for parameter in made.parameters():
        parameter.requires_grad = False
    return made


@torch.no_grad()
def follow(slow: nn.Module, fast: nn.Module, decay: float) -> None:
    """Move the weights of `slow` towards those of `fast`: slow = decay slow + (1 - decay) fast."""
    for kept, new in zip(slow.parameters(), fast.parameters(), strict=True):
        kept.lerp_(new, 1 - decay)
