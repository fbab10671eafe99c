"""Third-party libraries kept quiet; molclip's own warnings shown."""

from __future__ import annotations

import logging
import os
import warnings
from pathlib import Path

_FLAGS = {
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_VERBOSITY": "error",
    "TOKENIZERS_PARALLELISM": "false",
    "TRANSFORMERS_NO_ADVISORY_WARNINGS": "1",
    "TRANSFORMERS_VERBOSITY": "error",
}
_PACKAGE = str(Path(__file__).resolve().parent.parent)


def debugging() -> bool:
    """Whether the user asked for tracebacks and for all warnings (MOLCLIP_DEBUG=1)."""
    return os.environ.get("MOLCLIP_DEBUG", "") not in ("", "0")


def keep_quiet() -> None:
    """Set the flags that libraries read on import, and take over the printing of warnings.

    What the user has set is left as it is.
    """
    if debugging():
        return
    for flag, value in _FLAGS.items():
        os.environ.setdefault(flag, value)
    # Without any handler, logging prints warnings of libraries to stderr.
    if not logging.getLogger().handlers:
        logging.getLogger().addHandler(logging.NullHandler())
    warnings.showwarning = _show


def _show(
    message: Warning | str, category: type[Warning], filename: str, *_rest: object, **_more: object
) -> None:
    # molclip warns with UserWarning; other kinds at its lines are a library's about its use.
    if category is UserWarning and str(Path(filename).resolve()).startswith(_PACKAGE + os.sep):
        from molclip.cli.console import warn

        warn(str(message))
