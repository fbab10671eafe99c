"""Words for a molecule: its classes, roles and uses, written definitions, and captions.

`from molclip.describe import describe`. The names are imported on first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from molclip.describe.describing import Describer, describe
    from molclip.describe.description import Description, Record, Statement

_HOMES = {
    "Describer": "molclip.describe.describing",
    "Description": "molclip.describe.description",
    "Record": "molclip.describe.description",
    "Statement": "molclip.describe.description",
    "describe": "molclip.describe.describing",
}

__all__ = ["Describer", "Description", "Record", "Statement", "describe"]


def __getattr__(name: str) -> Any:
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'molclip.describe' has no attribute {name!r}")
