"""Gradient caching: contrast more pairs with each other than fit into memory at once.

The loss needs the vectors of the whole batch, the encoders only their own rows. So (1) encode chunk
by chunk without a graph, remembering the random state; (2) work out the loss of the joint batch and
its gradient for every vector; (3) encode each chunk again under the same random state, with a
graph, and feed it the gradient of its vectors. Memory is that of one chunk, the gradient is that of
the whole batch, and the price is one more forward pass. Gao et al., Scaling Deep Contrastive
Learning Batch Size under Memory Limited Setup, RepL4NLP 2021.

Accumulating the gradients of small batches is something else: it averages losses that each see few
negatives.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch
from torch import Tensor

Encode = Callable[[list[int]], Tensor]
"""Vectors ``(len(places), D)`` of the places of one view."""


class View:
    """One set of vectors of a batch: forward now, backward when their gradient is known.

    Parameters
    ----------
    encode
        Encodes some places of the view.
    chunks
        Places of the view, in lists that cover each of them once. A single list is encoded with its
        graph right away, at the price of an ordinary step.
    """

    def __init__(self, encode: Encode, chunks: Sequence[list[int]]) -> None:
        self.encode = encode
        self.chunks = [chunk for chunk in chunks if chunk]
        self._states: list[RandomState] = []
        self._whole: Tensor | None = None

    def forward(self) -> Tensor | None:
        """Vectors ``(N, D)`` in the order of the places, without graph; None for no places."""
        if not self.chunks:
            return None
        if len(self.chunks) == 1:
            self._whole = self.encode(self.chunks[0])
            return _ordered([self._whole.detach()], self.chunks)
        parts = []
        with torch.no_grad():
            for chunk in self.chunks:
                self._states.append(RandomState())
                parts.append(self.encode(chunk))
        return _ordered(parts, self.chunks)

    def backward(self, gradient: Tensor) -> None:
        """Add the parameters' gradients, given that of the vectors, ``(N, D)``."""
        if self._whole is not None:
            _backward(self._whole, gradient[self.chunks[0]])
            self._whole = None
            return
        after = RandomState()
        for chunk, state in zip(self.chunks, self._states, strict=True):
            state.restore()
            _backward(self.encode(chunk), gradient[chunk])
        after.restore()


class RandomState:
    """The state of torch's generators, on the CPU and on the current GPU."""

    def __init__(self) -> None:
        self.cpu = torch.get_rng_state()
        self.cuda = torch.cuda.get_rng_state() if torch.cuda.is_available() else None

    def restore(self) -> None:
        """Draw from here on what was drawn after the state was taken."""
        torch.set_rng_state(self.cpu)
        if self.cuda is not None:
            torch.cuda.set_rng_state(self.cuda)


def chunks_of(order: Sequence[int], size: int | None) -> list[list[int]]:
    """Consecutive pieces of `order`, `size` places long; one piece for None."""
    places = list(order)
    if size is None:
        return [places]
    return [places[start : start + size] for start in range(0, len(places), size)]


def _backward(vectors: Tensor, gradient: Tensor) -> None:
    # A frozen encoder without a head has nothing to learn.
    if vectors.requires_grad:
        vectors.backward(gradient)  # type: ignore[no-untyped-call]


def _ordered(parts: list[Tensor], chunks: list[list[int]]) -> Tensor:
    joined = torch.cat(parts)
    places = torch.tensor([place for chunk in chunks for place in chunk], device=joined.device)
    result = torch.empty_like(joined)
    result[places] = joined
    return result
