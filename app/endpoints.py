"""Every function of the page for programs: by gradio_client, by HTTP, and as MCP tools.

The docstrings of the functions are what a program, or a language model that uses the tools, reads.
"""

from __future__ import annotations

import sys
import traceback
from functools import wraps
from typing import TYPE_CHECKING, Any

import gradio as gr
from gradio.events import api

from molclip.errors import MolclipError

from . import arguments as given
from .api_knowing import KnowingFunctions
from .api_molecules import MoleculeFunctions
from .api_search import SearchFunctions

if TYPE_CHECKING:
    from collections.abc import Callable

    from .service import Service

_BROKEN = "Something went wrong inside molclip, not with your input."


class Endpoints(SearchFunctions, MoleculeFunctions, KnowingFunctions):
    """All functions."""

    @property
    def functions(self) -> tuple[Callable[..., Any], ...]:
        """Everything that is offered, in the order of the documentation."""
        return (
            self.search,
            self.classify,
            self.describe,
            self.explain,
            self.counter_example,
            self.applicability,
            self.rank_molecules,
            self.embed_text,
            self.embed_molecules,
            self.read_input,
            self.label_sets,
            self.compare_with_pictures,
            self.library_info,
            self.model_info,
        )


def register(service: Service) -> None:
    """Offer every function on the page that is being laid out."""
    for function in Endpoints(service).functions:
        api(
            _answering(function),
            api_name=function.__name__,
            concurrency_limit=2,
            concurrency_id="api",
        )


def _answering(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with plain answers, and with errors that are sentences."""

    @wraps(function)
    def answer(*args: Any, **options: Any) -> Any:
        try:
            return given.plain(function(*args, **options))
        except MolclipError as problem:
            raise gr.Error(str(problem), print_exception=False) from None
        except Exception as problem:
            traceback.print_exception(problem, file=sys.stderr)
            raise gr.Error(_BROKEN, print_exception=False) from None

    return answer
