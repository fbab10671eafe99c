"""Whatever goes wrong becomes a sentence on the page."""

from __future__ import annotations

import sys
import traceback

from molclip.errors import MolclipError

from .. import markup


def said(problem: Exception) -> str:
    """The sentence for an exception; what nobody foresaw goes to the server's log as well."""
    if isinstance(problem, MolclipError):
        return markup.error(problem)
    traceback.print_exception(problem, file=sys.stderr)
    return markup.message(
        "error",
        "Something went wrong inside molclip, not with your input.",
        "Try again; if it stays, report it with what you typed.",
    )
