"""Integrated gradients, with steps where the path bends.

The attribution of an input x is the integral of its gradient along the straight line from a
baseline b to x, times x − b [1]_; over all inputs it sums to the difference of the scores. That
holds for every piece of the line as well: the integral from α₁ to α₂ must sum to the difference of
the scores there. So each piece knows its own error, and only pieces that are wrong are halved. It
matters: behind a layer normalisation most of the change lies within a thousandth of the line.

References
----------
.. [1] Sundararajan et al., Axiomatic Attribution for Deep Networks, ICML 2017.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

FloatArray = npt.NDArray[np.float64]
Score = Callable[[int], Tensor]
"""Runs the network on so many copies of one input, and gives their scores, ``(copies,)``."""

Module = TypeVar("Module", bound=nn.Module)

TOLERANCE = 0.02
"""Share of the difference that the errors of the pieces may add up to, without regard to sign;
with it, where they cancel, a tenth of that."""
_CANCEL = 10
_NOISE = 5e-5  # what float32 scores of length-1 vectors are uncertain by, summed over the pieces
_MOST_STEPS = 4096
_FIRST_PIECES = 4
# Gauss and Legendre's points of a piece, from 0 to 1, and their weights; exact to degree 7.
_POINTS = np.polynomial.legendre.leggauss(4)
_NODES, _WEIGHTS = (_POINTS[0] + 1) / 2, _POINTS[1] / 2


@dataclass(frozen=True, eq=False)
class Tap:
    """A module whose output is an input of the path."""

    module: nn.Module
    baseline: Tensor | None = None
    """Its output at the baseline, for one copy; None: zeros."""
    columns: bool = False
    """Keep the attribution of every column; else those of a row, such as the numbers of one
    embedding, are added up."""


@dataclass(frozen=True, eq=False)
class Integral:
    """Attributions of one input."""

    parts: list[FloatArray]
    """By tap: float64, the shape of the tap's output for one copy, less the last axis unless the
    tap keeps its columns."""
    baseline: float
    """Score at the baseline."""
    score: float
    steps: int


@dataclass(eq=False)
class _Piece:
    start: float
    end: float
    parts: list[FloatArray]
    error: float


def private_copy(module: Module) -> Module:
    """The module again, with the same tensors and hooks of its own.

    Taps hook into the modules they name; on a copy, whoever else uses the model at the same time
    (another thread of a web server) gets right answers.
    """
    tensors = (*module.parameters(), *module.buffers())
    return copy.deepcopy(module, {id(tensor): tensor for tensor in tensors})


def integrate(score: Score, taps: Sequence[Tap], *, at_once: int = 64) -> Integral:
    """Integrate gradients of a score over the outputs of modules.

    Parameters
    ----------
    score
        See `Score`. In each run every tapped module must be called once, and its output must hold
        the copies one after the other along the first axis.
    taps
        The modules; all move from baseline to their output together.
    at_once
        Most copies in a run.

    Returns
    -------
    Integral
        Sums to the difference of the scores within a tenth of `TOLERANCE` (or 5e-6, what float32
        resolves), unless that takes more than 4096 gradients.
    """
    edges = np.linspace(0, 1, _FIRST_PIECES + 1).tolist()
    values = dict(zip(edges, _scores(score, taps, edges, at_once), strict=True))
    allowed = max(TOLERANCE * abs(values[1.0] - values[0.0]), _NOISE)
    pieces: list[_Piece] = []
    new = list(pairwise(edges))
    steps = 0
    while True:
        pieces += _integrated(score, taps, new, values, at_once)
        steps += len(new) * len(_NODES)
        wrong = _to_halve(pieces, allowed)
        if not wrong or steps + 2 * len(wrong) * len(_NODES) > _MOST_STEPS:
            break
        halves = {piece: (piece.start + piece.end) / 2 for piece in wrong}
        middles = list(halves.values())
        values.update(zip(middles, _scores(score, taps, middles, at_once), strict=True))
        pieces = [piece for piece in pieces if piece not in halves]
        new = [
            span
            for piece, middle in halves.items()
            for span in ((piece.start, middle), (middle, piece.end))
        ]
    parts = [np.sum([piece.parts[tap] for piece in pieces], axis=0) for tap in range(len(taps))]
    return Integral(parts, values[0.0], values[1.0], steps)


def _to_halve(pieces: list[_Piece], allowed: float) -> list[_Piece]:
    """The worst pieces, so that the errors of the others fill at most half of what is allowed."""
    rest = sum(abs(piece.error) for piece in pieces)
    if rest > allowed:
        enough = allowed / 2
    elif abs(sum(piece.error for piece in pieces)) > allowed / _CANCEL:
        enough = allowed / _CANCEL / 2
    else:
        return []
    chosen: list[_Piece] = []
    for piece in sorted(pieces, key=lambda piece: -abs(piece.error)):
        if rest <= enough:
            break
        chosen.append(piece)
        rest -= abs(piece.error)
    return chosen


def _integrated(
    score: Score,
    taps: Sequence[Tap],
    spans: Sequence[tuple[float, float]],
    values: dict[float, float],
    at_once: int,
) -> list[_Piece]:
    """Pieces of those spans."""
    count = len(_NODES)
    points = [start + (end - start) * node for start, end in spans for node in _NODES]
    products = _products(score, taps, points, at_once)
    made = []
    for number, (start, end) in enumerate(spans):
        weights = _WEIGHTS * (end - start)
        mine = [
            np.tensordot(weights, part[number * count : (number + 1) * count], axes=1)
            for part in products
        ]
        total = sum(float(part.sum()) for part in mine)
        made.append(_Piece(start, end, mine, total - (values[end] - values[start])))
    return made


def _scores(
    score: Score, taps: Sequence[Tap], points: Sequence[float], at_once: int
) -> list[float]:
    found: list[float] = []
    with torch.no_grad():
        for start in range(0, len(points), at_once):
            chunk = points[start : start + at_once]
            with _on_path(taps, chunk):
                found += score(len(chunk)).double().tolist()
    return found


def _products(
    score: Score, taps: Sequence[Tap], points: Sequence[float], at_once: int
) -> list[FloatArray]:
    """Gradient times the way from the baseline at points of the line; by tap ``(points, …)``."""
    chunks = []
    for start in range(0, len(points), at_once):
        chunk = points[start : start + at_once]
        with torch.enable_grad(), _on_path(taps, chunk) as stops:
            total = score(len(chunk)).sum()
            leaves = [stop.leaf for stop in stops]
            gradients = torch.autograd.grad(total, leaves, allow_unused=True)
        chunks.append(
            [
                stop.product(gradient, columns=tap.columns)
                for tap, stop, gradient in zip(taps, stops, gradients, strict=True)
            ]
        )
    return [np.concatenate(parts) for parts in zip(*chunks, strict=True)]


class _Stop:
    """One tap in one run."""

    def __init__(self, output: Tensor, baseline: Tensor | None, points: Sequence[float]) -> None:
        copies = len(points)
        # Copies first: a graph's atoms or a fingerprint's row, all copies one after the other.
        shaped = output.detach().reshape(copies, len(output) // copies, *output.shape[1:])
        base = torch.zeros_like(shaped) if baseline is None else baseline.to(shaped)
        self.way = shaped - base
        along = torch.tensor(points, dtype=shaped.dtype, device=shaped.device)
        at = base + self.way * along.view(-1, *[1] * (shaped.dim() - 1))
        self.leaf = at.reshape(output.shape).requires_grad_()

    def product(self, gradient: Tensor | None, *, columns: bool) -> FloatArray:
        if gradient is None:
            found = torch.zeros_like(self.way).double()
        else:
            found = gradient.reshape(self.way.shape).double() * self.way.double()
        made: FloatArray = (found if columns else found.sum(-1)).cpu().numpy()
        return made


@contextmanager
def _on_path(taps: Sequence[Tap], points: Sequence[float]) -> Iterator[list[_Stop]]:
    """While open, tapped modules give what lies at the points of the line, one point per copy."""
    stops: list[Any] = [None] * len(taps)

    def hook(number: int, baseline: Tensor | None) -> Any:
        def replace(_module: nn.Module, _inputs: Any, output: Tensor) -> Tensor:
            stops[number] = _Stop(output, baseline, points)
            leaf: Tensor = stops[number].leaf
            return leaf

        return replace

    handles = [
        tap.module.register_forward_hook(hook(number, tap.baseline))
        for number, tap in enumerate(taps)
    ]
    try:
        yield stops
    finally:
        for handle in handles:
            handle.remove()
