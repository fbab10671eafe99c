"""Networks that are about to be given their weights, without drawing others first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from torch import Tensor
from torch.nn import init
from torch.overrides import TorchFunctionMode

_FILLING = frozenset(
    (
        init.kaiming_uniform_,
        init.normal_,
        init.ones_,
        init.trunc_normal_,
        init.uniform_,
        init.xavier_uniform_,
        init.zeros_,
    )
)


class Unfilled(TorchFunctionMode):
    """Context in which modules allocate their parameters and leave them as memory has them.

    To be used where all parameters are loaded afterwards: drawing sixteen million numbers to throw
    them away takes a fifth of a second, and moves the caller's random numbers. Of this thread
    alone.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func`, unless it fills a tensor by one of the usual rules."""
        if func in _FILLING:
            filled: Tensor = args[0] if args else (kwargs or {})["tensor"]
            return filled
        return func(*args, **(kwargs or {}))
