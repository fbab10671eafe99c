"""What every command does with errors, interrupts and closed pipes."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import typer
from typer.core import TyperGroup

from molclip.cli.quiet import debugging, keep_quiet
from molclip.errors import InvalidRowError, MolclipError

if TYPE_CHECKING:
    from collections.abc import Callable

UNEXPECTED, USAGE, INVALID_ROW, INTERRUPTED, BROKEN_PIPE = 1, 2, 3, 130, 141

EXIT_CODES = (
    "**Exit codes** 0: done; rows that failed are counted on stderr. 1: an error of molclip "
    "itself. 2: wrong options or unusable input. 3: a bad row with `--on-invalid raise`. "
    "130: interrupted."
)
# The class that typer raises for wrong options; where it lives depends on typer's version.
_UsageError: Any = next(
    kind for kind in typer.BadParameter.__mro__ if kind.__name__ == "ClickException"
)


class GuardedGroup(TyperGroup):
    """The top of the command line: ends in a sentence and an exit code, never in a traceback."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        keep_quiet()
        return guarded(lambda: super(GuardedGroup, self).invoke(ctx))


def guarded(command: Callable[[], Any]) -> Any:
    """Call `command`; what it raises becomes words on stderr and an exit code."""
    try:
        result = command()
        sys.stdout.flush()
        return result
    except (_UsageError, typer.Exit, typer.Abort):
        raise
    except BrokenPipeError:
        # The reader has seen enough (`| head`). Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise typer.Exit(BROKEN_PIPE) from None
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except Exception as error:
        if debugging():
            raise
        raise typer.Exit(_explained(error)) from None


def _explained(error: Exception) -> int:
    from molclip.cli.console import fail

    if isinstance(error, MolclipError):
        fail(error)
        return INVALID_ROW if isinstance(error, InvalidRowError) else USAGE
    if isinstance(error, OSError) and error.filename is not None:
        fail(MolclipError(f"{error.filename}: {error.strerror}.", "Check the path."))
        return USAGE
    said = " ".join(str(error).split())[:300]
    fail(
        MolclipError(
            f"molclip met an error it did not expect ({type(error).__name__}: {said}).",
            "Set MOLCLIP_DEBUG=1 and run it again to see where.",
        )
    )
    return UNEXPECTED
