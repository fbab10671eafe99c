"""Why a molecule and a text match: which atoms, which words.

`from molclip.explain import explain`. The names are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molclip.explain.attribution import Attribution
    from molclip.explain.counter import CounterExample, counter_example
    from molclip.explain.explaining import explain
    from molclip.explain.explanation import Explanation

_HOMES = {
    "Attribution": "molclip.explain.attribution",
    "CounterExample": "molclip.explain.counter",
    "counter_example": "molclip.explain.counter",
    "Explanation": "molclip.explain.explanation",
    "explain": "molclip.explain.explaining",
}

__all__ = ["Attribution", "CounterExample", "Explanation", "counter_example", "explain"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'molclip.explain' has no attribute {name!r}")
